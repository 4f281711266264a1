// SPDX-License-Identifier: Apache-2.0
/// Sets of nodes as ranges, never as lists, when they are ranges: a population of 10^9 neurons costs 24 bytes.
#pragma once
#include <span>
#include <vector>

#include "base/ids.hpp"

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
  /// Calls f(position, gid) for every member with (gid - 1) % slices == slice, in order of position; time O(members of the slice + ranges).
  template <class F>
  void for_slice(SliceId slice, SliceId slices, F&& f) const;

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
void NodeSet::for_slice(SliceId slice, SliceId slices, F&& f) const {
  std::int64_t base = 0;
  for (const Range& r : ranges_) {
    // Members k with (first + k*stride - 1) % slices == slice repeat with period slices / gcd(stride, slices) <= slices.
    for (std::int64_t start = 0; start < r.count && start < slices; ++start) {
      if ((r.first + start * r.stride - 1) % slices != slice) continue;
      std::int64_t period = 1;
      while ((period * r.stride) % slices != 0) ++period;
      for (std::int64_t k = start; k < r.count; k += period) f(base + k, r.first + k * r.stride);
      break;
    }
    base += r.count;
  }
}

}  // namespace npl::connect
