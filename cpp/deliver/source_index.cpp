// SPDX-License-Identifier: Apache-2.0
#include "deliver/source_index.hpp"

namespace npl::deliver {

SourceIndex::SourceIndex(std::span<const Gid> gids) {
  if (gids.empty()) return;
  first_ = gids.front();
  last_ = gids.back();
  const auto span = static_cast<std::size_t>(last_ - first_ + 1);
  if (span <= 4 * gids.size()) {
    direct_ = Buffer<std::uint32_t>(span);
    std::fill(direct_.begin(), direct_.end(), none);
    for (std::size_t i = 0; i < gids.size(); ++i) direct_[static_cast<std::size_t>(gids[i] - first_)] = static_cast<std::uint32_t>(i);
  } else {
    sorted_ = Buffer<std::uint64_t>(gids.size());
    for (std::size_t i = 0; i < gids.size(); ++i) sorted_[i] = static_cast<std::uint64_t>(gids[i] - first_);
  }
}

SourceIndex::SourceIndex(const std::vector<std::pair<std::uint32_t, Gid>>& some) : sorted_(some.size()), row_(some.size()) {
  if (some.empty()) return;
  first_ = some.front().second;
  last_ = some.back().second;
  for (std::size_t i = 0; i < some.size(); ++i) row_[i] = some[i].first, sorted_[i] = static_cast<std::uint64_t>(some[i].second - first_);
}

}  // namespace npl::deliver
