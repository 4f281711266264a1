// SPDX-License-Identifier: Apache-2.0
/// Builds a table from a list of synapses, for edits of single connections. Networks are built from drafts (connect/draft.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// Presynaptic state of a row.
struct RowState {
  std::int32_t last = 0;            ///< (plastic) stamp of the last spike of the source [steps]
  std::vector<double> values = {};  ///< (plastic) [values per row] state of the rule
};

struct ListedSynapse {
  Gid source;
  std::uint32_t state;   ///< index of its RowState; synapses of one source and state share a row
  Delay delay;           ///< [steps]
  std::uint16_t target;  ///< local index in the slice
  double weight;
  std::vector<double> values;  ///< (rules with state per synapse) [values per synapse]
};

struct Listed {
  std::unique_ptr<EdgeTable> table;
  std::vector<std::uint32_t> position;  ///< [list] position of each synapse in the table
};

/// Builds the table: rows by (source, state); synapses of a row by delay, then in the order of the list. @param list not empty;
/// @param layout of delays, default: the smallest
Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const RowState> states,
                std::optional<Layout> layout = {});

}  // namespace npl::tables
