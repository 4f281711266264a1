// SPDX-License-Identifier: Apache-2.0
#include "pathways/source_rows.hpp"

#include <algorithm>
#include <tuple>

namespace npl::pathways {

bool PathwayIds::are_of(const Pathways& pathways) const {
  const auto same = [](const auto& pathway, std::uint64_t id) { return pathway->id() == id; };
  return known_ && std::equal(pathways.begin(), pathways.end(), ids_.begin(), ids_.end(), same);
}

void PathwayIds::take(const Pathways& pathways) {
  ids_.clear();
  for (const auto& p : pathways) ids_.push_back(p->id());
  known_ = true;
}

void SourceRows::make(const Pathways& pathways) {
  made_of_.forget();
  std::vector<std::pair<Gid, Place>> all;
  for (std::uint32_t p = 0; p < pathways.size(); ++p)
    pathways[p]->table().sources.for_each([&](std::uint32_t row, Gid gid) { all.push_back({gid, {p, row}}); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.pathway, a.second.row) < std::tie(b.first, b.second.pathway, b.second.row);
  });
  tables::SourceList::Writer sources;
  std::vector<std::uint32_t> begin;
  places_ = Buffer<Place>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].first != all[i - 1].first)
      sources.add(static_cast<std::uint64_t>(all[i].first)), begin.push_back(static_cast<std::uint32_t>(i));
    places_[i] = all[i].second;
  }
  begin.push_back(static_cast<std::uint32_t>(all.size()));
  begin_ = Buffer<std::uint32_t>(begin.size());
  std::copy(begin.begin(), begin.end(), begin_.begin());
  sources_ = std::move(sources).finish();
  found_.resize(pathways.size());
  made_of_.take(pathways);
}

void SourceRows::find(const Emitted& emitted) {
  constexpr std::size_t ahead = 8;
  const bool timed = !emitted.offsets.empty();
  const std::vector<Spike>& spikes = emitted.spikes;
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    if (i + ahead < spikes.size()) sources_.prefetch(static_cast<std::uint64_t>(spikes[i + ahead].gid));
    const std::size_t at = sources_.find(static_cast<std::uint64_t>(spikes[i].gid));
    if (at == sources_.size()) continue;
    for (std::uint32_t k = begin_[at]; k < begin_[at + 1]; ++k) {
      Found& f = found_[places_[k].pathway];
      if (f.spikes.empty()) addressed_.push_back(places_[k].pathway);
      f.spikes.push_back({places_[k].row, static_cast<std::int32_t>(spikes[i].step)});
      if (timed) f.offsets.push_back(emitted.offset(i));
    }
  }
}

void SourceRows::schedule(const Pathways& pathways, const Emitted& emitted) {
  prepare(pathways);
  find(emitted);
  for (const std::uint32_t p : addressed_) {
    pathways[p]->schedule(found_[p].spikes, found_[p].offsets);
    found_[p].spikes.clear(), found_[p].offsets.clear();
  }
  addressed_.clear();
}

std::size_t SourceRows::bytes() const { return sources_.bytes() + begin_.bytes() + places_.bytes(); }

std::size_t SourceRows::buffer_bytes() const {
  std::size_t total = found_.capacity() * sizeof(Found) + addressed_.capacity() * sizeof(std::uint32_t) + made_of_.bytes();
  for (const Found& f : found_) total += f.spikes.capacity() * sizeof(RowSpike) + f.offsets.capacity() * sizeof(double);
  return total;
}

double SourceRows::expected_bytes(double sources, double span, double rows) {
  return tables::SourceList::expected_bytes(sources, span) + sizeof(std::uint32_t) * (sources + 1) + sizeof(Place) * rows;
}

}  // namespace npl::pathways
