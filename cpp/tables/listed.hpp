// SPDX-License-Identifier: Apache-2.0
/// A table from a list of synapses: for edits of single connections. Networks are built from drafts (connect/draft.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// What the synapses of one row have heard.
struct RowState {
  std::int32_t last = 0;            ///< (plastic) stamp of the last spike of the source
  std::vector<double> values = {};  ///< (plastic) [values per row] what the rule keeps of the source
};

struct ListedSynapse {
  Gid source;
  std::uint32_t state;   ///< of its row: index into the states; synapses of one source and state share a row
  Delay delay;           ///< [steps]
  std::uint16_t target;  ///< node of the slice
  double weight;
  std::vector<double> values;  ///< (rules with state per synapse) [values per synapse]
};

struct Listed {
  std::unique_ptr<EdgeTable> table;
  std::vector<std::uint32_t> position;  ///< [synapses of the list] in the table
};

/// Rows by (source, state), synapses of a row by delay, in the order of the list among equal ones. The list is not empty.
Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const RowState> states,
                std::optional<Layout> layout = {});

}  // namespace npl::tables
