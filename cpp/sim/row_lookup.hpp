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

  /// Do spikes for this table say the number of its row? @param table number among all of this rank
  bool plain(std::size_t table) const { return !dense_ && order_[table].empty(); }
  /// Calls f(row) for the rows of a table that a spike is for. @param named what the spike said
  template <class F>
  void for_rows(std::size_t number, const tables::EdgeTable& table, std::uint32_t named, F&& f) const {
    if (!dense_) return f(order_[number].empty() ? named : order_[number][named]);
    std::uint32_t row = rows_[number].row(named);
    if (row == tables::SourceIndex::none) return;
    do f(row);
    while (table.sources.continues(++row));
  }
  std::size_t bytes() const;

 private:
  void list_rows(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts);
  void list_sources(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts);

  bool dense_ = true;
  std::vector<tables::SourceIndex> rows_;     ///< dense: [table] (first) row of a number of the source
  std::vector<Buffer<std::uint32_t>> order_;  ///< sparse: [table] its rows by (owner, gid), empty where they are so themselves
};

}  // namespace npl::sim
