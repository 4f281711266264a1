// SPDX-License-Identifier: Apache-2.0
/// Write-combining buffers for edges: a bucket collects the edges of a range of sources and writes them to their rows when it is full.
/// Edges are generated target by target; written one by one, each would touch the cache lines of another row (three lines fetched and
/// written back per synapse), whereas a full bucket writes many edges to few rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "connect/edge.hpp"

namespace npl::connect {

/// Sizes of the buckets: together they hold at most an eighth of the edges, and the ranges of sources are as short as that permits.
struct BucketShape {
  std::uint32_t capacity = 4096;  ///< edges of a bucket
  unsigned rows_log2 = 8;         ///< sources per bucket
  std::uint64_t buckets = 1;

  static BucketShape of(double slots, double edges) {
    constexpr double part = 8, least = 512;
    BucketShape s;
    double each = edges / std::max(slots, 1.0) * 256;  // expected edges per bucket
    for (; each < part * least && s.rows_log2 < 24; ++s.rows_log2) each *= 2;
    while (s.capacity > least && s.capacity * part > each) s.capacity /= 2;
    s.buckets = (static_cast<std::uint64_t>(slots) >> s.rows_log2) + 1;
    return s;
  }
};

/// @tparam W type of the weight, NoWeight for none
template <class W>
class Buckets {
 public:
  /// @param slots number of sources; @param edges expected number of edges
  Buckets(std::size_t slots, double edges)
      : shape_(BucketShape::of(static_cast<double>(slots), edges)), edges_(shape_.buckets * shape_.capacity), size_(shape_.buckets) {}

  /// Adds an edge. Calls flush(edges, n) when its bucket is full; edges of one source stay in order.
  template <class Flush>
  NPL_INLINE void add(const Edge<W>& edge, Flush&& flush) {
    const std::uint32_t b = edge.slot >> shape_.rows_log2;
    edges_[at(b) + size_[b]] = edge;
    if (++size_[b] < shape_.capacity) return;
    flush(&edges_[at(b)], shape_.capacity);
    size_[b] = 0;
  }
  /// Flushes all buckets and frees their memory.
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
