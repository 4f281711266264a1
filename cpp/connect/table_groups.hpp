// SPDX-License-Identifier: Apache-2.0
/// Tables that are filled at the same time: a projection whose weights have both signs writes to two.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

namespace npl::connect {

class TableGroups {
 public:
  explicit TableGroups(std::size_t tables) : group_(tables) { std::iota(group_.begin(), group_.end(), 0); }
  void join(int a, int b) {
    if (of(a) != of(b)) std::replace(group_.begin(), group_.end(), of(b), of(a));
  }
  int of(int table) const { return group_[static_cast<std::size_t>(table)]; }
  /// The tables of each group, ascending; groups with the most synapses first. @param synapses [tables]
  std::vector<std::vector<int>> in_order(const std::vector<double>& synapses) const {
    std::vector<std::vector<int>> groups(group_.size());
    std::vector<double> sum(group_.size());
    for (std::size_t t = 0; t < group_.size(); ++t) {
      const auto g = static_cast<std::size_t>(group_[t]);
      groups[g].push_back(static_cast<int>(t)), sum[g] += synapses[t];
    }
    std::erase_if(groups, [](const auto& g) { return g.empty(); });
    const auto size = [&](const std::vector<int>& g) { return sum[static_cast<std::size_t>(of(g[0]))]; };
    std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
    return groups;
  }

 private:
  std::vector<int> group_;  ///< [tables] number of the group
};

}  // namespace npl::connect
