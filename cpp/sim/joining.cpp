// SPDX-License-Identifier: Apache-2.0
#include "sim/joining.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace npl::sim {
namespace {

// Neurons per slice.
constexpr double small = 64;            ///< a larger population with equal neurons has a group of its own: the search for the source
                                        ///< of a spike among scattered gids, and columns, cost it more than a group
constexpr double small_varied = 256;    ///< the same where neurons have columns anyway
constexpr double largest_joint = 2048;  ///< setting one neuron may turn a whole group into columns

/// Populations that share a group.
struct Together {
  std::vector<std::size_t> members;
  double n = 0;
  void add(const Together& more) {
    members.insert(members.end(), more.members.begin(), more.members.end());
    n += more.n;
  }
};

/// Adds to the open group of this key, or opens another one.
template <class Key>
void place(std::vector<Together>& groups, std::map<Key, std::size_t>& open, const Key& key, const Together& one) {
  const auto [at, fresh] = open.try_emplace(key, groups.size());
  if (!fresh && groups[at->second].n + one.n <= largest_joint) return groups[at->second].add(one);
  at->second = groups.size();
  groups.push_back(one);
}

bool varies(const Candidate& c) { return std::find(c.varied.begin(), c.varied.end(), 1) != c.varied.end(); }

/// Populations without any difference but size.
std::vector<Together> alike(std::span<const Candidate> all) {
  using Key = std::pair<const nodes::ModelInfo*, std::vector<double>>;
  std::vector<Together> groups;
  std::map<Key, std::size_t> open;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const Candidate& c = all[p];
    if (!c.model) continue;
    const Together one{{p}, c.n};
    if (c.n > small || varies(c))
      groups.push_back(one);
    else
      place(groups, open, Key{c.model, {c.uniform.begin(), c.uniform.end()}}, one);
  }
  return groups;
}

}  // namespace

std::vector<std::size_t> share_groups(std::span<const Candidate> populations) {
  std::vector<Together> groups;
  std::map<const nodes::ModelInfo*, std::size_t> mixed;
  for (const Together& t : alike(populations)) {
    const Candidate& first = populations[t.members[0]];
    if (t.n <= (varies(first) ? small_varied : small))
      place(groups, mixed, first.model, t);
    else
      groups.push_back(t);
  }
  for (Together& t : groups) std::sort(t.members.begin(), t.members.end());
  std::sort(groups.begin(), groups.end(), [](const Together& a, const Together& b) { return a.members[0] < b.members[0]; });
  std::vector<std::size_t> group(populations.size(), no_group);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::size_t p : groups[g].members) group[p] = g;
  return group;
}

std::size_t columns_of(std::span<const Candidate> together) {
  const Candidate& first = together[0];
  std::size_t columns = 0;
  for (std::size_t k = 0; k < first.uniform.size(); ++k)
    columns +=
        std::any_of(together.begin(), together.end(), [&](const Candidate& c) { return c.varied[k] || c.uniform[k] != first.uniform[k]; });
  return columns;
}

}  // namespace npl::sim
