// SPDX-License-Identifier: Apache-2.0
/// Builds a table from a list of synapses, for edits of single connections. Networks are built from drafts (connect/draft.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

/// Synapse or row of another table whose state a new one copies. table null: initial state.
struct Origin {
  const EdgeTable* table = nullptr;
  std::uint32_t at = 0;
};

/// True when two rows have the same presynaptic state.
bool same_history(const Origin& a, const Origin& b);

struct ListedSynapse {
  Gid source;
  std::uint32_t row;     ///< index of its row in `rows`; synapses of one source and index share a row
  Delay delay;           ///< [steps]
  std::uint16_t target;  ///< local index in the slice
  double weight;
  Origin history = {};
};

struct Listed {
  std::unique_ptr<EdgeTable> table;
  std::vector<std::uint32_t> position;  ///< [list] position of each synapse in the table
};

/// Builds the table: rows by (source, index); synapses of a row by delay, then in the order of the list. @param list not empty;
/// @param rows origin of the state of each row
Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const Origin> rows,
                std::optional<Layout> layout = {});

}  // namespace npl::tables
