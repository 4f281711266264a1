// SPDX-License-Identifier: Apache-2.0
/// List of edges, four bytes per edge: for rules that draw their edges before the tables are built, and for edges that callers list.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace npl::connect {

struct EdgeList {
  std::vector<std::int64_t> target;     ///< targets with edges: positions in the postsynaptic set, ascending
  std::vector<std::uint64_t> begin{0};  ///< [targets + 1] index of the first edge of each target, then the number of edges
  std::vector<std::uint32_t> source;    ///< [edges] positions in the presynaptic set

  std::size_t size() const { return source.size(); }

  /// Adds an edge; targets must come in ascending order.
  void add(std::int64_t to, std::int64_t from) { *add_some(to, 1) = static_cast<std::uint32_t>(from); }

  /// Adds n > 0 edges of a target and returns the array for their sources [n]; valid until the next call.
  std::uint32_t* add_some(std::int64_t to, std::size_t n) {
    if (target.empty() || target.back() != to) {
      target.push_back(to);
      begin.push_back(source.size());
    }
    source.resize(source.size() + n);
    begin.back() = source.size();
    return source.data() + source.size() - n;
  }

  /// Index of the first edge of a target and one past its last; (0, 0) without edges.
  std::pair<std::uint64_t, std::uint64_t> of(std::int64_t to) const {
    const auto found = std::lower_bound(target.begin(), target.end(), to);
    if (found == target.end() || *found != to) return {0, 0};
    const auto i = static_cast<std::size_t>(found - target.begin());
    return {begin[i], begin[i + 1]};
  }

  /// True when a target from `first` to `last` has edges.
  bool meets(std::int64_t first, std::int64_t last) const {
    const auto found = std::lower_bound(target.begin(), target.end(), first);
    return found != target.end() && *found <= last;
  }
};

/// The list of edges whose targets ascend; null where they do not, or where positions are negative or sources 2^32 and more.
/// @param sources, targets of the same length
std::shared_ptr<EdgeList> ascending_edges(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets);

}  // namespace npl::connect
