// SPDX-License-Identifier: Apache-2.0
#include "sim/binned.hpp"

#include <algorithm>
#include <unordered_map>

namespace npl::sim {

void Bins::forget(Step before) {
  const auto n = std::clamp<Step>(before - first, 0, static_cast<Step>(sums.size()));
  sums = std::vector<std::int64_t>(sums.begin() + n, sums.end());  // gives memory back
  first = std::max(first, before);
}

/// Nodes move from their group to one that also has the new recorder. A group that would be left empty gets the recorder itself, so there
/// are never more groups than nodes.
void Binned::add(const connect::NodeSet& nodes, Step width, Step first) {
  std::vector<Local> members;
  nodes.for_each_in(host_.nodes, [&](std::int64_t, Gid, Local local) { members.push_back(local); });
  const auto k = static_cast<std::uint32_t>(all_.size());
  if (!members.empty()) group_of_.resize(std::max<std::size_t>(group_of_.size(), *std::ranges::max_element(members) + std::size_t{1}));
  std::unordered_map<std::uint32_t, std::uint32_t> moved, to;  // by group: number of nodes, the new group
  for (Local node : members) ++moved[group_of_[node]];
  for (const auto& [group, n] : moved) {
    to[group] = group;
    if (group != 0 && n == sizes_[group]) continue;
    sizes_[group] -= group ? n : 0;
    to[group] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(Numbers(groups_[group])), sizes_.push_back(n);
  }
  for (const auto& [group, into] : to) groups_[into].push_back(k);
  for (Local node : members) group_of_[node] = to[group_of_[node]];
  all_.push_back({width, first, {}});
}

std::size_t Binned::bytes() const {
  if (all_.empty()) return 0;
  std::size_t n = all_.capacity() * sizeof(Bins) + (group_of_.capacity() + sizes_.capacity()) * sizeof(std::uint32_t);
  for (const Bins& b : all_) n += b.sums.capacity() * sizeof(std::int64_t);
  for (const Numbers& g : groups_) n += sizeof(Numbers) + g.capacity() * sizeof(std::uint32_t);
  return n;
}

void Binned::restore(Kept& kept) noexcept {
  all_.resize(std::min(kept, all_.size()));
  for (Numbers& g : groups_)
    while (!g.empty() && g.back() >= kept) g.pop_back();
  std::ranges::fill(sizes_, 0);
  for (const std::uint32_t group : group_of_) sizes_[group] += group != 0;
}

}  // namespace npl::sim
