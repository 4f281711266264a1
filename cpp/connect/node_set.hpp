// SPDX-License-Identifier: Apache-2.0
/// Sets of nodes as lists of ranges: a population of 10^9 neurons takes 24 bytes.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/members.hpp"

namespace npl::connect {

/// `count` gids: first, first + stride, ...
struct Range {
  Gid first;
  std::int64_t count;
  std::int64_t stride;
  /// True when a member lies in [from, until).
  bool meets(Gid from, Gid until) const {
    const std::int64_t k = from <= first ? 0 : (from - first + stride - 1) / stride;
    return k < count && first + k * stride < until;
  }
};

inline Gid last_gid(const Range& r) { return r.first + (r.count - 1) * r.stride; }

/// The intersection; count 0 when it is empty. O(log stride).
Range common_nodes(const Range& a, const Range& b);

/// An ordered set of nodes: ranges with strides >= 1 without common nodes. Position i is the i-th node in this order. Gids up to 2^62.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::vector<Range> ranges);
  std::int64_t size() const { return size_; }
  std::span<const Range> ranges() const { return several_ ? std::span(several_->ranges) : std::span(&only_, size_ > 0); }
  /// Gid at position i; O(log ranges).
  Gid operator[](std::int64_t i) const;
  /// out[k] = gid at positions[k].
  void gids(std::span<const std::uint64_t> positions, Gid* out) const;
  /// Position of gid, or -1. O(log ranges) when the ranges do not overlap.
  std::int64_t position(Gid gid) const;
  /// Number of nodes in both sets. O(log) for each pair of overlapping ranges.
  std::int64_t common(const NodeSet& other) const;
  /// Calls f(range) for every non-empty intersection of `r` with a range of this set.
  template <class F>
  void for_each_common(const Range& r, F&& f) const;
  Gid lowest() const { return lowest_; }  ///< 0 when empty
  Gid highest() const { return highest_; }
  /// Calls f(position, gid, local) for every member in a slice, in order of position. O(nodes of the slice in the ranges).
  template <class F>
  void for_each_in(const Residents& slice, F&& f) const;
  std::int64_t count_in(const Residents& slice) const;  ///< members in a slice; O(populations) where ranges have no gaps

 private:
  void hold(const Range& only);

  /// Entry of a list sorted by first gid; reach: largest gid in this or an earlier range of the list.
  struct Lookup {
    Gid first, reach;
    std::uint32_t range;
  };

  struct Several {
    std::vector<Range> ranges;
    std::vector<std::int64_t> offsets;  ///< offsets[r] = number of nodes in ranges 0..r
    std::vector<Lookup> lookup;
  };
  static std::int64_t position_in(const Range& r, Gid gid) {
    const std::int64_t distance = gid - r.first;
    const std::int64_t i = r.stride == 1 ? distance : distance % r.stride == 0 ? distance / r.stride : -1;
    return i >= 0 && i < r.count ? i : -1;
  }

  Range only_{0, 0, 1};                     ///< of a set of one range, which most are: it needs no further memory
  std::shared_ptr<const Several> several_;  ///< else; the same for all copies
  std::int64_t size_ = 0;
  Gid lowest_ = 0, highest_ = 0;
};

/// Number of positions at which two sets of the same size have the same node. O(ranges).
std::int64_t same_at_same_position(const NodeSet& a, const NodeSet& b);

template <class F>
void NodeSet::for_each_common(const Range& r, F&& f) const {
  if (!several_) {
    if (const Range c = size_ > 0 ? common_nodes(r, only_) : only_; c.count > 0) f(c);
    return;
  }
  const auto& [ranges, offsets, lookup] = *several_;
  auto entry = std::upper_bound(lookup.begin(), lookup.end(), last_gid(r), [](Gid g, const Lookup& l) { return g < l.first; });
  while (entry != lookup.begin() && (--entry)->reach >= r.first)
    if (const Range c = common_nodes(r, ranges[entry->range]); c.count > 0) f(c);
}

/// Calls f(block, begin, end) for the members of blocks that lie within the span of a range.
template <class F>
void for_each_block(const Residents& slice, const Range& r, F&& f) {
  const auto& blocks = slice.blocks();
  const Gid last = last_gid(r);
  const bool after_first = !blocks.empty() && r.first >= blocks.front().first;
  for (std::size_t b = after_first ? slice.block_of(r.first) : 0; b < blocks.size() && blocks[b].first <= last; ++b)
    f(blocks[b], blocks[b].members.below(r.first), blocks[b].members.below(last + 1));
}

template <class F>
void NodeSet::for_each_in(const Residents& slice, F&& f) const {
  std::int64_t base = 0;
  for (const Range& r : ranges()) {
    for_each_block(slice, r, [&](const Residents::Block& block, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const Gid gid = block.members[k], distance = gid - r.first;
        if (r.stride == 1)  // without a division
          f(base + distance, gid, block.first_local + static_cast<Local>(k));
        else if (distance % r.stride == 0)
          f(base + distance / r.stride, gid, block.first_local + static_cast<Local>(k));
      }
    });
    base += r.count;
  }
}

}  // namespace npl::connect
