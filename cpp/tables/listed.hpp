// SPDX-License-Identifier: Apache-2.0
/// A table from a list of synapses: for edits of single connections. Networks are built from drafts (connect/draft.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// A synapse or row of another table, whose history a new one takes over; table null: it has none.
struct Origin {
  const EdgeTable* table = nullptr;
  std::uint32_t at = 0;
};

/// Have the sources of two rows had the same spikes, as far as the rows know?
bool same_history(const Origin& a, const Origin& b);

struct ListedSynapse {
  Gid source;
  std::uint32_t row;     ///< number of its row: synapses of one source and number share a row
  Delay delay;           ///< [steps]
  std::uint16_t target;  ///< node of the slice
  double weight;
  Origin history = {};
};

struct Listed {
  std::unique_ptr<EdgeTable> table;
  std::vector<std::uint32_t> position;  ///< [synapses of the list] in the table
};

/// Rows by (source, number), synapses of a row by delay, in the order of the list among equal ones. The list is not empty.
/// @param rows histories by number
Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const Origin> rows, std::optional<Layout> layout = {});

}  // namespace npl::tables
