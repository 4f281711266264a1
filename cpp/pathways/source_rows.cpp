// SPDX-License-Identifier: Apache-2.0
#include "pathways/source_rows.hpp"

#include <algorithm>
#include <utility>

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

namespace {

constexpr std::size_t narrow = std::size_t{1} << 16;  ///< pathways and rows that half of 32 bits can name

template <class Place>
constexpr int half = 4 * sizeof(Place);  // bits

/// Sources of all rows, ascending, and the most rows of a pathway.
std::pair<std::vector<Gid>, std::size_t> sources_of_rows(const Pathways& pathways) {
  std::vector<Gid> gids;
  std::size_t known = 0, most = 0;
  for (const auto& p : pathways) known += p->table().sources.keys().size();
  gids.reserve(known);
  for (const auto& p : pathways)
    p->table().sources.for_each([&](std::uint32_t row, Gid gid) { gids.push_back(gid), most = std::max(most, std::size_t{row} + 1); });
  std::sort(gids.begin(), gids.end());
  return {std::move(gids), most};
}

}  // namespace

void SourceRows::make(const Pathways& pathways) {
  made_of_.forget();
  narrow_ = {}, wide_ = {};
  const auto [gids, most] = sources_of_rows(pathways);
  tables::SourceList::Writer sources;
  std::vector<std::uint32_t> begin;
  for (std::size_t i = 0; i < gids.size(); ++i)
    if (i == 0 || gids[i] != gids[i - 1]) sources.add(static_cast<std::uint64_t>(gids[i])), begin.push_back(static_cast<std::uint32_t>(i));
  begin.push_back(static_cast<std::uint32_t>(gids.size()));
  begin_ = Buffer<std::uint32_t>(begin.size());
  std::copy(begin.begin(), begin.end(), begin_.begin());
  sources_ = std::move(sources).finish();
  if (most <= narrow && pathways.size() <= narrow)
    narrow_ = Buffer<std::uint32_t>(gids.size()), fill(pathways, narrow_);
  else
    wide_ = Buffer<std::uint64_t>(gids.size()), fill(pathways, wide_);
  found_.resize(pathways.size());
  made_of_.take(pathways);
}

/// Pathway by pathway, so that those of a source come in this order.
template <class Place>
void SourceRows::fill(const Pathways& pathways, Buffer<Place>& places) const {
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end());
  for (std::size_t p = 0; p < pathways.size(); ++p)
    pathways[p]->table().sources.for_each([&](std::uint32_t row, Gid gid) {
      places[next[sources_.find(static_cast<std::uint64_t>(gid))]++] = static_cast<Place>(Place(p) << half<Place> | row);
    });
}

template <class Place>
void SourceRows::find(const Emitted& emitted, const Buffer<Place>& places) {
  constexpr std::size_t ahead = 8;
  const bool timed = !emitted.offsets.empty();
  const std::vector<Spike>& spikes = emitted.spikes;
  std::size_t at = 0;
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    if (i + ahead < spikes.size()) sources_.prefetch(static_cast<std::uint64_t>(spikes[i + ahead].gid));
    if (i == 0 || spikes[i].gid != spikes[i - 1].gid) at = sources_.find(static_cast<std::uint64_t>(spikes[i].gid));
    if (at == sources_.size()) continue;
    for (std::uint32_t k = begin_[at]; k < begin_[at + 1]; ++k) {
      const auto pathway = static_cast<std::uint32_t>(places[k] >> half<Place>);
      Found& f = found_[pathway];
      if (f.spikes.empty()) addressed_.push_back(pathway);
      f.spikes.push_back(
          {static_cast<std::uint32_t>(places[k] & ((Place{1} << half<Place>)-1)), static_cast<std::int32_t>(spikes[i].step)});
      if (timed) f.offsets.push_back(emitted.offset(i));
    }
  }
}

void SourceRows::schedule(const Pathways& pathways, const Emitted& emitted) {
  prepare(pathways);
  wide_.empty() ? find(emitted, narrow_) : find(emitted, wide_);
  for (const std::uint32_t p : addressed_) {
    pathways[p]->schedule(found_[p].spikes, found_[p].offsets);
    found_[p].spikes.clear(), found_[p].offsets.clear();
  }
  addressed_.clear();
}

std::size_t SourceRows::bytes() const { return sources_.bytes() + begin_.bytes() + narrow_.bytes() + wide_.bytes(); }

std::size_t SourceRows::buffer_bytes() const {
  std::size_t total = found_.capacity() * sizeof(Found) + addressed_.capacity() * sizeof(std::uint32_t) + made_of_.bytes();
  for (const Found& f : found_) total += f.spikes.capacity() * sizeof(RowSpike) + f.offsets.capacity() * sizeof(double);
  return total;
}

double SourceRows::expected_bytes(double sources, double span, double rows, double most) {
  const double place = most <= narrow ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  return tables::SourceList::expected_bytes(sources, span) + sizeof(std::uint32_t) * (sources + 1) + place * rows;
}

}  // namespace npl::pathways
