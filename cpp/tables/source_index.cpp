// SPDX-License-Identifier: Apache-2.0
#include "tables/source_index.hpp"

#include <algorithm>
#include <tuple>

namespace npl::tables {
namespace {

/// True when at least a quarter of the gids occur: then an array of 4 B per possible gid is used instead of 12 B per pair.
bool dense(Gid first, Gid last, std::size_t n) { return static_cast<std::uint64_t>(last - first) < 4 * std::uint64_t{n}; }

/// Keeps the first row of each source.
void drop_repeats(std::vector<SourceIndex::Pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return std::tie(a.second, a.first) < std::tie(b.second, b.first); });
  pairs.erase(std::unique(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.second == b.second; }), pairs.end());
}

}  // namespace

void SourceIndex::mark_again(std::uint32_t row, std::size_t rows) {
  if (again_.empty()) again_ = Buffer<std::uint64_t>(rows / 64 + 1);
  again_[row / 64] |= std::uint64_t{1} << (row % 64);
}

SourceIndex::SourceIndex(std::span<const Gid> gids) {
  SourceList::Writer writer;
  for (const Gid gid : gids) writer.add(static_cast<std::uint64_t>(gid));
  *this = SourceIndex(std::move(writer).finish(), {});
}

SourceIndex::SourceIndex(Gid lowest, std::span<const std::uint32_t> synapses) {
  SourceList::Writer writer;
  for (std::size_t i = 0; i < synapses.size(); ++i)
    if (synapses[i]) writer.add(static_cast<std::uint64_t>(lowest) + i);
  list_ = std::move(writer).finish();
}

SourceIndex::SourceIndex(SourceList keys, SourceOrder order) : list_(std::move(keys)), order_(order) {
  if (!list_.repeats()) return;
  std::uint64_t last = 0;
  for (SourceList::Cursor c(list_); !c.at_end(); last = *c, c.next())
    if (c.index() && *c == last) mark_again(static_cast<std::uint32_t>(c.index()), list_.size());
}

SourceIndex::SourceIndex(std::vector<Pair> some) {
  if (some.empty()) return;
  drop_repeats(some);
  first_ = some.front().second;
  last_ = some.back().second;
  if (dense(first_, last_, some.size())) {
    direct_ = Buffer<std::uint32_t>(static_cast<std::size_t>(last_ - first_ + 1));
    std::fill(direct_.begin(), direct_.end(), none);
    for (const auto& [row, gid] : some) direct_[static_cast<std::size_t>(gid - first_)] = row;
    return;
  }
  some_ = Buffer<Gid>(some.size());
  row_ = Buffer<std::uint32_t>(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) row_[i] = some[i].first, some_[i] = some[i].second;
}

}  // namespace npl::tables
