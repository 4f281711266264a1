// SPDX-License-Identifier: Apache-2.0
#include "tables/source_index.hpp"

#include <algorithm>
#include <tuple>

namespace npl::tables {
namespace {

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

SourceIndex::SourceIndex(std::vector<Pair> some) : some_(true) {
  if (some.empty()) return;
  drop_repeats(some);
  SourceList::Writer writer;
  for (const auto& [row, gid] : some) writer.add(static_cast<std::uint64_t>(gid));
  list_ = std::move(writer).finish();
  first_row_ = some.front().first;
  bool follow = true;
  for (std::size_t i = 0; i < some.size(); ++i) follow = follow && some[i].first == first_row_ + i;
  if (follow) return;
  row_ = Buffer<std::uint32_t>(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) row_[i] = some[i].first;
}

}  // namespace npl::tables
