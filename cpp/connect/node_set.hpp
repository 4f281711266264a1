// SPDX-License-Identifier: Apache-2.0
/// Sets of nodes as ranges, never as lists, when they are ranges: a population of 10^9 neurons costs 24 bytes.
#pragma once
#include <span>
#include <vector>

#include "base/members.hpp"

namespace npl::connect {

/// Gids first, first+stride, ... (count of them).
struct Range {
  Gid first;
  std::int64_t count;
  std::int64_t stride;
};

/// An ordered list of ranges with strides >= 1, no node twice. Position i of the set means the i-th node in this order.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::vector<Range> ranges);
  std::int64_t size() const { return offsets_.empty() ? 0 : offsets_.back(); }
  std::span<const Range> ranges() const { return ranges_; }
  /// Gid at position i; O(log ranges).
  Gid operator[](std::int64_t i) const;
  /// out[k] = gid at positions[k].
  void gids(std::span<const std::uint32_t> positions, Gid* out) const;
  /// Position of gid, or -1. O(log ranges) when the ranges do not overlap.
  std::int64_t position(Gid gid) const;
  /// How many nodes are in both sets. O(product of the ranges), but O(log) for a single node.
  std::int64_t common(const NodeSet& other) const;
  Gid lowest() const;  ///< 0 when empty
  Gid highest() const;
  /// Calls f(position, gid, local) for every member that lives in a slice, in order of position; time O(nodes of the slice in the ranges).
  template <class F>
  void for_each_in(const Residents& slice, F&& f) const;

 private:
  /// Ranges sorted by first gid; reach is the largest gid in this range or one before.
  struct Lookup {
    Gid first, reach;
    std::uint32_t range;
  };

  std::vector<Range> ranges_;
  std::vector<std::int64_t> offsets_;  ///< offsets_[r] = number of nodes in ranges 0..r
  std::vector<Lookup> lookup_;
};

template <class F>
void NodeSet::for_each_in(const Residents& slice, F&& f) const {
  const auto& blocks = slice.blocks();
  std::int64_t base = 0;
  for (const Range& r : ranges_) {
    const Gid last = r.first + (r.count - 1) * r.stride;
    const bool after_first = !blocks.empty() && r.first >= blocks.front().first;
    for (std::size_t b = after_first ? slice.block_of(r.first) : 0; b < blocks.size() && blocks[b].first <= last; ++b) {
      const Members& members = blocks[b].members;
      const std::int64_t end = members.below(last + 1);
      for (std::int64_t k = members.below(r.first); k < end; ++k) {
        const Gid gid = members[k];
        if ((gid - r.first) % r.stride == 0) f(base + (gid - r.first) / r.stride, gid, blocks[b].first_local + static_cast<Local>(k));
      }
    }
    base += r.count;
  }
}

}  // namespace npl::connect
