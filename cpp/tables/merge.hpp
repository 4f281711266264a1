// SPDX-License-Identifier: Apache-2.0
/// Merges the remaining synapses of an old table with new synapses. Building, disconnecting and editing all use this, so that a slice has
/// one table per spec after any history.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// Map from old to new positions of synapses.
class Places {
 public:
  static constexpr std::uint32_t gone = 0xffffffffu;
  /// The new position of a synapse, or `gone`. O(log stretches).
  std::uint32_t operator()(std::uint32_t synapse) const;
  /// Synapses [from, from + length) are now [to, to + length).
  struct Stretch {
    std::uint32_t from, to, length;
  };
  Places() = default;
  explicit Places(std::vector<Stretch> stretches);

 private:
  std::vector<Stretch> stretches_;  ///< by `from`
};

/// One input of a merge. Rows of both inputs are joined if they have the same source, the same presynaptic state and no spike in flight,
/// and if synapses between the same two nodes stay in order.
struct Side {
  const EdgeTable* table = nullptr;  ///< null: no synapses
  std::vector<char> out = {};        ///< [synapses] nonzero: removed; empty: none
  std::vector<char> in_flight = {};  ///< [rows] nonzero: a spike in flight has not reached all synapses of the row; empty: none
};

struct Merged {
  std::unique_ptr<EdgeTable> table;  ///< may have no synapses
  Places old_places, new_places;
};

/// Merges two tables of the same spec. Rows are in order of sources, old ones first; synapses of a row in order of delays, old ones first.
/// @param order of sources, used if the rows of one of the tables are sorted by rank; else rows are sorted by gid
/// @param layout of delays; default: the smallest
/// Time and memory: O(synapses of both), mostly copies of whole stretches.
Merged merge(const Side& old, const Side& fresh, const SourceOrder& order, std::optional<Layout> layout = {});

}  // namespace npl::tables
