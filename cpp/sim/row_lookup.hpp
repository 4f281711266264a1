// SPDX-License-Identifier: Apache-2.0
/// Look-up from the address of a received spike to rows. Dense regime: an address is an index into one list of all sources of this rank;
/// every table has an index from these to its rows. Sparse regime: an address is the index of a row in the order (owner, gid); tables in
/// another order have a permutation.
#pragma once
#include <vector>

#include "exchange/regime.hpp"
#include "sim/each_table.hpp"
#include "sim/wanted_rows.hpp"

namespace npl::sim {

/// Numbers of distinct sources and of rows of all tables; for very many rows, sources are estimated from a sample.
exchange::Audience audience_of(const Slices& slices);

class RowLookup {
 public:
  RowLookup() = default;
  /// @param parts out: requests to other ranks: (dense) one list of sources, (sparse) the rows of each table
  RowLookup(const Slices& slices, const Owners& owners, bool dense, std::vector<RowsByOwner>& parts);

  /// True when addresses of this table are row numbers. @param table index among the tables of this rank
  bool plain(std::size_t table) const { return !dense_ && order_[table].empty(); }
  /// Calls f(row) for the destination rows of a spike in a table. @param number index of the table; @param named address in the spike
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
  std::vector<tables::SourceIndex> rows_;     ///< dense: [tables] first row of each source number
  std::vector<Buffer<std::uint32_t>> order_;  ///< sparse: [tables] rows by (owner, gid); empty: the table has this order
};

}  // namespace npl::sim
