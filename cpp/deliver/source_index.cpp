// SPDX-License-Identifier: Apache-2.0
#include "deliver/source_index.hpp"

namespace npl::deliver {
namespace {

/// A plain array of 4 B per possible gid against 12 B per pair or a search: dense enough?
bool dense(Gid first, Gid last, std::size_t n) { return static_cast<std::uint64_t>(last - first) < 4 * std::uint64_t{n}; }

}  // namespace

SourceIndex::SourceIndex(std::span<const Gid> gids) {
  if (gids.empty()) return;
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
  for (std::size_t i = 0; i < gids.size(); ++i) direct_[static_cast<std::size_t>(gids[i] - first_)] = static_cast<std::uint32_t>(i);
}

SourceIndex::SourceIndex(std::vector<Pair> some) {
  if (some.empty()) return;
  const auto by_gid = [](const Pair& a, const Pair& b) { return a.second < b.second; };
  const auto [first, last] = std::minmax_element(some.begin(), some.end(), by_gid);
  first_ = first->second;
  last_ = last->second;
  if (dense(first_, last_, some.size())) {
    direct_ = Buffer<std::uint32_t>(static_cast<std::size_t>(last_ - first_ + 1));
    std::fill(direct_.begin(), direct_.end(), none);
    for (const auto& [row, gid] : some) direct_[static_cast<std::size_t>(gid - first_)] = row;
    return;
  }
  std::sort(some.begin(), some.end(), by_gid);
  some_ = Buffer<Gid>(some.size());
  row_ = Buffer<std::uint32_t>(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) row_[i] = some[i].first, some_[i] = some[i].second;
}

}  // namespace npl::deliver
