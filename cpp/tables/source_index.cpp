// SPDX-License-Identifier: Apache-2.0
#include "tables/source_index.hpp"

#include <algorithm>
#include <tuple>

namespace npl::tables {
namespace {

/// True when at least a quarter of the gids occur: then an array of 4 B per possible gid is used instead of 12 B per pair or a search.
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
  if (gids.empty()) return;
  for (std::size_t i = 1; i < gids.size(); ++i)
    if (gids[i] == gids[i - 1]) mark_again(static_cast<std::uint32_t>(i), gids.size());
  if (!dense(gids.front(), gids.back(), gids.size())) {
    SourceList::Writer writer;
    for (Gid gid : gids) writer.add(static_cast<std::uint64_t>(gid));
    list_ = std::move(writer).finish();
    return;
  }
  first_ = gids.front();
  last_ = gids.back();
  direct_ = Buffer<std::uint32_t>(static_cast<std::size_t>(last_ - first_ + 1));
  std::fill(direct_.begin(), direct_.end(), none);
  for (std::size_t i = gids.size(); i-- > 0;) direct_[static_cast<std::size_t>(gids[i] - first_)] = static_cast<std::uint32_t>(i);
}

SourceIndex::SourceIndex(Gid lowest, std::span<const std::uint32_t> synapses) {
  const auto some = [](std::uint32_t n) { return n > 0; };
  const auto begin = std::find_if(synapses.begin(), synapses.end(), some);
  if (begin == synapses.end()) return;
  const auto end = std::find_if(synapses.rbegin(), synapses.rend(), some).base();
  const Gid first = lowest + (begin - synapses.begin()), last = lowest + (end - synapses.begin()) - 1;
  if (!dense(first, last, static_cast<std::size_t>(std::count_if(begin, end, some)))) {
    SourceList::Writer writer;
    for (auto n = begin; n < end; ++n)
      if (*n) writer.add(static_cast<std::uint64_t>(lowest + (n - synapses.begin())));
    list_ = std::move(writer).finish();
    return;
  }
  first_ = first, last_ = last;
  direct_ = Buffer<std::uint32_t>(static_cast<std::size_t>(end - begin));
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < direct_.size(); row += some(begin[static_cast<std::ptrdiff_t>(i++)]))
    direct_[i] = some(begin[static_cast<std::ptrdiff_t>(i)]) ? row : none;
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
