// SPDX-License-Identifier: Apache-2.0
/// Edges that are not yet in their rows.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace npl::connect {

/// Weight type of tables without a weight per synapse.
struct NoWeight {};

/// Weight type of tables with parameters that differ from synapse to synapse, which are made when the edges are in their rows.
struct KeyedWeight {
  double weight;
  std::uint64_t index;       ///< EdgeBatch::value_index, where it is needed
  std::uint32_t number;      ///< of the edge among those of its target that the projection makes
  std::uint32_t projection;  ///< index among those that fill the table
};

template <class W>
struct Edge {
  std::uint32_t slot;  ///< index of the source among those that are sorted together
  std::uint16_t target;
  Delay delay;
  [[no_unique_address]] W weight;
};

/// A batch of edges.
template <class W>
struct EdgeColumns {
  std::size_t n;
  const Gid* source;
  const Local* target;
  const Delay* delay;  ///< [steps]
  const W* weight;     ///< not read with NoWeight
};

/// An edge in few bytes; KeyFormat tells what is where in the key.
template <class W, class Key>
struct PackedEdge {
  Key key;
  [[no_unique_address]] W weight;
};

/// Layout of PackedEdge::key, from the lowest bit: target, delay beyond the lowest, row in the bucket.
struct KeyFormat {
  static constexpr unsigned target_bits = 16;
  Delay lowest_delay = 1;
  unsigned delay_bits = 0;

  static KeyFormat of(Delay lowest, Delay highest) {
    return {lowest, static_cast<unsigned>(std::bit_width(static_cast<unsigned>(highest - lowest)))};
  }
  unsigned row_shift() const { return target_bits + delay_bits; }
  /// Most bits that there are for rows.
  template <class Key>
  unsigned row_bits() const {
    return sizeof(Key) > 4 ? 24 : 8 * sizeof(Key) - row_shift();
  }
  /// True when a key of 32 bits leaves enough room for rows.
  bool short_keys() const { return delay_bits <= 10; }
};

}  // namespace npl::connect
