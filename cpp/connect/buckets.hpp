// SPDX-License-Identifier: Apache-2.0
/// Edges on their way to their rows, collected by ranges of sources. Written one by one, edges of consecutive targets would each touch
/// cache lines of another row (three lines fetched and written back per synapse); a full bucket touches few rows, many times each.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/simd.hpp"
#include "connect/edge.hpp"

namespace npl::connect {

template <class W>
class Buckets {
 public:
  static constexpr std::uint32_t capacity = 4096;
  static constexpr int rows_log2 = 8;  ///< sources per bucket

  explicit Buckets(std::size_t slots) : edges_((slots >> rows_log2) + 1), size_(edges_.size()) {}

  /// flush(edges, n) is called with the bucket when it is full; edges of a source stay in order.
  template <class Flush>
  NPL_INLINE void add(const Edge<W>& edge, Flush&& flush) {
    const std::uint32_t b = edge.slot >> rows_log2;
    if (!edges_[b]) edges_[b] = std::make_unique_for_overwrite<Edge<W>[]>(capacity);
    edges_[b][size_[b]] = edge;
    if (++size_[b] < capacity) return;
    flush(edges_[b].get(), capacity);
    size_[b] = 0;
  }
  /// Flushes what is left and gives the memory back.
  template <class Flush>
  void finish(Flush&& flush) {
    for (std::size_t b = 0; b < edges_.size(); ++b) {
      if (size_[b]) flush(edges_[b].get(), size_[b]);
      size_[b] = 0;
      edges_[b].reset();
    }
  }

 private:
  std::vector<std::unique_ptr<Edge<W>[]>> edges_;
  std::vector<std::uint32_t> size_;
};

}  // namespace npl::connect
