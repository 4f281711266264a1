// SPDX-License-Identifier: Apache-2.0
/// Tables in checkpoints: what an EdgeTable holds as columns. The columns of all tables of a rank follow one another.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/archive.hpp"
#include "tables/edge_table.hpp"

namespace npl::tables {

/// The extent of one table in the columns.
struct StoredTable {
  Layout layout = Layout::runs;
  Delay one_delay = 1;
  std::uint64_t rows = 0, synapses = 0, runs = 0;

  static StoredTable of(const EdgeTable& t) { return {t.layout, t.one_delay, t.n_rows(), t.n_synapses(), t.runs.size()}; }
  void visit(checkpoint::Archive& a) {
    a("layout", layout), a("one_delay", one_delay), a("rows", rows), a("synapses", synapses), a("runs", runs);
  }
};

/// Appends the columns of a table, which must not change until they are read.
void save(const EdgeTable& table, checkpoint::Columns& to);

/// Reads tables in the order in which they were saved.
class StoredTables {
 public:
  explicit StoredTables(const checkpoint::Shard& shard) : shard_(shard) {}
  struct Loaded {
    std::unique_ptr<EdgeTable> table;  ///< without an index of sources
    std::vector<Gid> sources;          ///< [rows]
  };
  /// Throws BadCheckpoint for columns that do not fit the spec.
  Loaded next(const StoredTable& extent, const TableSpec& spec);
  /// Passes over a table.
  void skip(const StoredTable& extent, const TableSpec& spec);

 private:
  template <class T>
  Buffer<T> take(const std::string& path, std::uint64_t n);
  checkpoint::Shard shard_;
  std::map<std::string, std::uint64_t> at_;  ///< values of each column that were taken
};

/// Makes the index of sources of a table that has all else. False: its rows are in none of the orders that an index can have.
/// @param order of the network; rows may be by gid instead
bool index_sources(EdgeTable& table, const std::vector<Gid>& sources, const SourceOrder& order);

}  // namespace npl::tables
