// SPDX-License-Identifier: Apache-2.0
/// Edges one by one, four bytes each: for rules that draw them before the tables are built.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace npl::connect {

struct EdgeList {
  std::vector<std::int64_t> target;     ///< positions in the postsynaptic set, ascending: those that have edges
  std::vector<std::uint64_t> begin{0};  ///< first edge of each, and the number of edges
  std::vector<std::uint32_t> source;    ///< positions in the presynaptic set

  std::size_t size() const { return source.size(); }

  /// Targets must come in ascending order.
  void add(std::int64_t to, std::int64_t from) { *add_some(to, 1) = static_cast<std::uint32_t>(from); }

  /// Room for the sources of n more edges of a target, n > 0.
  std::uint32_t* add_some(std::int64_t to, std::size_t n) {
    if (target.empty() || target.back() != to) {
      target.push_back(to);
      begin.push_back(source.size());
    }
    source.resize(source.size() + n);
    begin.back() = source.size();
    return source.data() + source.size() - n;
  }

  /// Number of the first edge of a target, and one past its last.
  std::pair<std::uint64_t, std::uint64_t> of(std::int64_t to) const {
    const auto found = std::lower_bound(target.begin(), target.end(), to);
    if (found == target.end() || *found != to) return {0, 0};
    const auto i = static_cast<std::size_t>(found - target.begin());
    return {begin[i], begin[i + 1]};
  }
};

}  // namespace npl::connect
