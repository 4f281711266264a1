// SPDX-License-Identifier: Apache-2.0
/// Changing a table: what stays of an old one and new synapses become one table. Building, disconnecting and editing all go through here, so
/// that a slice has one table per spec, whatever its history.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// Where the synapses of a table went.
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

/// One side of a merge. Rows of both sides are joined where they have one source, the same source values and no spike in flight.
struct Side {
  const EdgeTable* table = nullptr;  ///< null: nothing
  std::vector<char> out = {};        ///< [synapses] which are left out; empty: none
  std::vector<char> in_flight = {};  ///< [rows] has a spike of this row synapses still to reach? empty: no
};

struct Merged {
  std::unique_ptr<EdgeTable> table;  ///< may have no synapses
  Places old_places, new_places;
};

/// Both tables have the same spec. Rows in the order of sources, old ones first; synapses of a row by delay, old ones first.
/// @param order of sources: rows are sorted by it where one of the tables has them by rank
/// @param layout of delays; none: what takes least space
/// Time and memory: O(synapses of both), mostly copies of whole stretches.
Merged merge(const Side& old, const Side& fresh, const SourceOrder& order, std::optional<Layout> layout = {});

}  // namespace npl::tables
