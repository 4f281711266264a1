// SPDX-License-Identifier: Apache-2.0
/// Edges on their way to their rows, collected by ranges of sources. Written one by one, edges of consecutive targets would each touch
/// cache lines of another row (three lines fetched and written back per synapse); a full bucket touches few rows, many times each.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "connect/edge.hpp"

namespace npl::connect {

/// Buckets hold an eighth of the edges at most, and ranges of sources are as short as that allows.
struct BucketShape {
  std::uint32_t capacity = 4096;  ///< edges of a bucket
  unsigned rows_log2 = 8;         ///< sources per bucket
  std::uint64_t buckets = 1;

  static BucketShape of(double slots, double edges) {
    constexpr double part = 8, least = 512;
    BucketShape s;
    double each = edges / std::max(slots, 1.0) * 256;  // edges that go through a bucket
    for (; each < part * least && s.rows_log2 < 24; ++s.rows_log2) each *= 2;
    while (s.capacity > least && s.capacity * part > each) s.capacity /= 2;
    s.buckets = (static_cast<std::uint64_t>(slots) >> s.rows_log2) + 1;
    return s;
  }
};

template <class W>
class Buckets {
 public:
  /// @param slots numbers of sources are below this; @param edges expected
  Buckets(std::size_t slots, double edges)
      : shape_(BucketShape::of(static_cast<double>(slots), edges)), edges_(shape_.buckets * shape_.capacity), size_(shape_.buckets) {}

  /// flush(edges, n) is called with the bucket when it is full; edges of a source stay in order.
  template <class Flush>
  NPL_INLINE void add(const Edge<W>& edge, Flush&& flush) {
    const std::uint32_t b = edge.slot >> shape_.rows_log2;
    edges_[at(b) + size_[b]] = edge;
    if (++size_[b] < shape_.capacity) return;
    flush(&edges_[at(b)], shape_.capacity);
    size_[b] = 0;
  }
  /// Flushes what is left and gives the memory back.
  template <class Flush>
  void finish(Flush&& flush) {
    for (std::uint32_t b = 0; b < size_.size(); ++b)
      if (size_[b]) flush(&edges_[at(b)], size_[b]);
    edges_ = {}, size_ = {};
  }

 private:
  std::size_t at(std::uint32_t bucket) const { return std::size_t{bucket} * shape_.capacity; }

  BucketShape shape_;
  Buffer<Edge<W>> edges_;
  std::vector<std::uint32_t> size_;
};

}  // namespace npl::connect
