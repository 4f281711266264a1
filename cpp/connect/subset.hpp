// SPDX-License-Identifier: Apache-2.0
/// Intersection of two node sets as positions in the first, computed by arithmetic on ranges instead of stored as a list.
#pragma once
#include <cstdint>
#include <vector>

#include "connect/node_set.hpp"

namespace npl::connect {

/// Members: positions in `set` of nodes that are also in `other`. Outsiders: all other positions. Memory: O(pairs of overlapping ranges).
class Subset {
 public:
  Subset(const NodeSet& set, const NodeSet& other);
  std::int64_t size() const { return groups_.empty() ? 0 : groups_.back().before + groups_.back().size; }
  /// Number of members at positions below `position`. O(log groups).
  std::int64_t before(std::int64_t position) const;
  /// Position of the k-th member, and of the k-th outsider, ascending from k = 0. O(log groups); O(log nodes) where ranges interleave.
  std::int64_t member(std::int64_t k) const { return gapless_ ? groups_[0].first + k : search_member(k); }
  std::int64_t outsider(std::int64_t k) const {
    if (!gapless_) return search_outsider(k);
    return k < groups_[0].first ? k : k + groups_[0].size;
  }

 private:
  /// Positions first, first + period, ..., last.
  struct Run {
    std::int64_t first, last, period;
    std::int64_t below(std::int64_t position) const;
  };
  /// Runs that interleave; most groups have one.
  struct Group {
    std::int64_t first, last;         ///< positions
    std::int64_t before, size;        ///< members before the group and in it
    std::size_t first_run, last_run;  ///< one past the end
    std::int64_t outsiders_before() const { return first - before; }
    std::int64_t outsiders() const { return last - first + 1 - size; }
  };

  std::int64_t search_member(std::int64_t k) const;
  std::int64_t search_outsider(std::int64_t k) const;
  std::int64_t below_in(const Group&, std::int64_t position) const;
  template <class Reached>
  static std::int64_t lowest(const Group&, Reached&& reached);

  std::vector<Run> runs_;
  std::vector<Group> groups_;
  bool gapless_ = false;  ///< the members are one run of consecutive positions: fast path of the usual case, evaluated for each edge
};

}  // namespace npl::connect
