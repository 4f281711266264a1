// SPDX-License-Identifier: Apache-2.0
/// What this rank hears of, and how a spike that arrives finds its row. Dense regime: other ranks know a source by its number in one list
/// of all sources; every table has an index from these numbers to its rows. Sparse regime: other ranks know every row, by its number in the
/// order (owner, gid); tables in another order have a list that leads back.
#pragma once
#include <vector>

#include "exchange/regime.hpp"
#include "sim/each_table.hpp"
#include "sim/wanted_rows.hpp"

namespace npl::sim {

/// Numbers of sources and rows of all tables; of very many rows, sources are counted in a sample.
exchange::Audience audience_of(const Slices& slices);

class RowLookup {
 public:
  RowLookup() = default;
  /// @param parts gets what is wanted of other ranks: (dense) one list of sources, (sparse) the rows of each table
  RowLookup(const Slices& slices, const Owners& owners, bool dense, std::vector<RowsByOwner>& parts);

  /// Row of a table, or SourceIndex::none. @param table number among all of this rank @param named what the spike said
  std::uint32_t row(std::size_t table, std::uint32_t named) const {
    if (dense_) return rows_[table].row(named);
    return order_[table].empty() ? named : order_[table][named];
  }
  std::size_t bytes() const;

 private:
  void list_rows(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts);
  void list_sources(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts);

  bool dense_ = true;
  std::vector<deliver::SourceIndex> rows_;    ///< dense: [table] row of a number of the source
  std::vector<Buffer<std::uint32_t>> order_;  ///< sparse: [table] its rows by (owner, gid), empty where they are so themselves
};

}  // namespace npl::sim
