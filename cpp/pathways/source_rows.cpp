// SPDX-License-Identifier: Apache-2.0
#include "pathways/source_rows.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/simd.hpp"

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

/// Spikes are looked up some at a time, so that the cache misses of their look-ups overlap.
void SourceRows::find(const Emitted& emitted) {
  constexpr std::size_t ahead = 8, together = 16;
  const std::vector<Spike>& spikes = emitted.spikes;
  std::array<std::size_t, together> at;
  for (std::size_t first = 0; first < spikes.size(); first += together) {
    const std::size_t n = std::min(together, spikes.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      if (first + k + ahead < spikes.size()) sources_.prefetch(static_cast<std::uint64_t>(spikes[first + k + ahead].gid));
      at[k] = sources_.find(static_cast<std::uint64_t>(spikes[first + k].gid));
      if (at[k] != sources_.size()) __builtin_prefetch(&begin_[at[k]]);
    }
    for (std::size_t k = 0; k < n; ++k)
      if (at[k] != sources_.size()) prefetch_lines(&places_[begin_[at[k]]], (begin_[at[k] + 1] - begin_[at[k]]) * sizeof(Place));
    for (std::size_t k = 0; k < n; ++k)
      if (at[k] != sources_.size()) hand_over(emitted, first + k, at[k]);
  }
}

/// Notes spike i for the rows of its source.
void SourceRows::hand_over(const Emitted& emitted, std::size_t i, std::size_t source) {
  const auto stamp = static_cast<std::int32_t>(emitted.spikes[i].step);
  for (std::uint32_t k = begin_[source]; k < begin_[source + 1]; ++k) {
    Found& f = found_[places_[k].pathway];
    if (f.spikes.empty()) addressed_.push_back(places_[k].pathway);
    f.spikes.push_back({places_[k].row, stamp});
    if (!emitted.offsets.empty()) f.offsets.push_back(emitted.offset(i));
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
