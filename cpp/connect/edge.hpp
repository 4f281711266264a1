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

/// Weight type of tables with parameters that differ from synapse to synapse, which are made from the key when the edge is in its row.
template <class W>
struct Keyed {
  W weight;
  std::uint32_t low, high;  ///< of the key

  Keyed() = default;
  Keyed(W w, std::uint64_t key) : weight(w), low(static_cast<std::uint32_t>(key)), high(static_cast<std::uint32_t>(key >> 32)) {}
  /// The bits of the key, as they wait in the column of the parameters.
  double key() const { return std::bit_cast<double>(std::uint64_t{high} << 32 | low); }
};
template <class W>
inline constexpr bool is_keyed = false;
template <class W>
inline constexpr bool is_keyed<Keyed<W>> = true;

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
