// SPDX-License-Identifier: Apache-2.0
/// Writes the edges of a full bucket to their rows. Edges of few rows are sorted by row first, in cache, so that each row is written in one
/// stretch; edges of many rows go to their places one by one, fetched some edges ahead.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/simd.hpp"
#include "connect/edge.hpp"

namespace npl::connect {

/// The columns of a table that is being written.
struct RowColumns {
  std::uint32_t* next = nullptr;  ///< per slot (possible source): place of the next edge of its row
  std::uint16_t* target = nullptr;
  float* weight32 = nullptr;
  double* weight64 = nullptr;
  std::uint16_t* code = nullptr;   ///< weights as codes
  std::uint8_t* narrow = nullptr;  ///< delay - lowest; null: not in one byte
  Delay* wide = nullptr;           ///< delay; null: not in two bytes
  double* key = nullptr;           ///< Keyed::key()

  /// The columns with slots counted from `slot`.
  RowColumns from(std::size_t slot) const {
    RowColumns c = *this;
    c.next += slot;
    return c;
  }
  /// Sets the weight of the edge at a place, and its key.
  template <class W>
  NPL_INLINE void put(std::size_t at, const W& w) const {
    if constexpr (is_keyed<W>)
      put(at, w.weight), key[at] = w.key();
    else if constexpr (!std::is_same_v<W, NoWeight>)
      weight<W>()[at] = w;
  }
  template <class W>
  auto* weight() const {
    if constexpr (std::is_same_v<W, double>)
      return weight64;
    else if constexpr (std::is_same_v<W, std::uint16_t>)
      return code;
    else
      return weight32;
  }
};

/// How edges are put in buckets.
struct BucketFormat {
  Gid lowest;          ///< source of slot 0
  unsigned rows_log2;  ///< slots per bucket
  KeyFormat key;
};

/// key[i], bucket[i]: of edge i.
template <class W, class Key>
void pack_keys(const EdgeColumns<W>& edges, const BucketFormat& format, Key* key, std::uint32_t* bucket);

/// With its scratch memory.
template <class W, class Key>
class RowWriter {
 public:
  /// Appends edges to their rows, in order. @param rows number of rows in the range of the bucket; columns.next[0] is that of the first
  void write(std::span<const PackedEdge<W, Key>> edges, std::size_t rows, const KeyFormat& format, const RowColumns& columns);

 private:
  static constexpr std::size_t worth_sorting = 4;  ///< edges per row
  static constexpr std::size_t whole_vector = 16;  ///< edges that may be read beyond the last
  std::vector<PackedEdge<W, Key>> sorted_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace npl::connect
