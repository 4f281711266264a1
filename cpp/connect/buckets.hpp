// SPDX-License-Identifier: Apache-2.0
/// Write-combining buffers for edges: a bucket collects the edges of a range of sources and writes them to their rows when it is full.
/// Edges are generated target by target; written one by one, each would touch the cache lines of another row (three lines fetched and
/// written back per synapse), whereas a full bucket is sorted in cache and writes many edges to few rows.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "connect/rule.hpp"
#include "connect/write_rows.hpp"

namespace npl::connect {

/// Sizes of the buckets: together they take at most a byte for each edge, and the ranges of sources are as short as that permits.
struct BucketShape {
  static constexpr std::uint32_t least = 16, most = 4096;
  std::uint32_t capacity = most;  ///< edges of a bucket
  unsigned rows_log2 = 8;         ///< sources per bucket
  std::uint64_t buckets = 1;

  /// @param row_bits most that rows_log2 may be; @param edge_bytes of a PackedEdge
  static BucketShape of(double slots, double edges, unsigned row_bits, std::size_t edge_bytes) {
    constexpr double enough = 1024;  // edges: with fewer of them per bucket, ranges are longer
    const auto part = static_cast<double>(edge_bytes);
    BucketShape s;
    s.rows_log2 = std::min(s.rows_log2, row_bits);
    const auto rows = [&] { return static_cast<double>(1u << s.rows_log2); };
    const auto each = [&] { return edges * std::min(1.0, rows() / std::max(slots, 1.0)); };  // expected edges per bucket
    while (each() < part * enough && s.rows_log2 < row_bits && rows() < slots) ++s.rows_log2;
    s.capacity = static_cast<std::uint32_t>(std::clamp<double>(each() / part, least, most));
    s.buckets = (static_cast<std::uint64_t>(slots) >> s.rows_log2) + 1;
    return s;
  }
};

/// @tparam W type of the weight, NoWeight for none; @tparam Key unsigned type of PackedEdge::key
template <class W, class Key>
class Buckets {
 public:
  using Packed = PackedEdge<W, Key>;

  /// @param slots number of sources; @param edges expected number of edges
  Buckets(std::size_t slots, double edges, KeyFormat format)
      : format_(format),
        slots_(slots),
        shape_(BucketShape::of(static_cast<double>(slots), edges, format.row_bits<Key>(), sizeof(Packed))),
        edges_(shape_.buckets * stride()),
        tails_(shape_.buckets) {
    for (std::size_t b = 0; b < tails_.size(); ++b) tails_[b] = {begin(b), begin(b) + shape_.capacity};
  }

  /// Adds edges; those of one source stay in order. Full buckets are written to `rows`.
  void add(const EdgeColumns<W>& edges, Gid lowest, const RowColumns& rows) {
    std::array<Key, batch_capacity> key;
    std::array<std::uint32_t, batch_capacity> bucket;
    pack_keys(edges, {lowest, shape_.rows_log2, format_}, key.data(), bucket.data());
    for (std::size_t i = 0; i < edges.n; ++i) {
      Tail& t = tails_[bucket[i]];
      if constexpr (std::is_same_v<W, NoWeight>)
        *t.next++ = {key[i], {}};
      else
        *t.next++ = {key[i], edges.weight[i]};
      if (t.next == t.full) flush(bucket[i], rows);
    }
  }
  /// Writes what is left and frees the memory.
  void finish(const RowColumns& rows) {
    for (std::uint32_t b = 0; b < tails_.size(); ++b) flush(b, rows);
    edges_ = {}, tails_ = {}, writer_ = {};
  }

 private:
  struct Tail {
    Packed *next, *full;
  };
  /// A cache line more than the capacity: the ends of buckets that are equally full lie in different sets of the cache.
  std::size_t stride() const { return shape_.capacity + std::max<std::size_t>(1, 64 / sizeof(Packed)); }
  Packed* begin(std::size_t bucket) { return edges_.data() + bucket * stride(); }

  [[gnu::noinline]] void flush(std::uint32_t bucket, const RowColumns& rows) {
    Packed* const edges = begin(bucket);
    const std::size_t first = std::size_t{bucket} << shape_.rows_log2;
    const std::size_t n_rows = std::min(slots_ - std::min(slots_, first), std::size_t{1} << shape_.rows_log2);
    writer_.write({edges, static_cast<std::size_t>(tails_[bucket].next - edges)}, n_rows, format_, rows.from(first));
    tails_[bucket].next = edges;
  }

  KeyFormat format_;
  std::size_t slots_;
  BucketShape shape_;
  Buffer<Packed> edges_;
  std::vector<Tail> tails_;
  RowWriter<W, Key> writer_;
};

}  // namespace npl::connect
