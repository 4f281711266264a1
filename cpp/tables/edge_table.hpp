// SPDX-License-Identifier: Apache-2.0
/// The synapses of one slice that share a spec (synapse model, receptor, kind of weight): rows by source, columns of plain arrays.
/// Within a row synapses are sorted by delay, so that what is due in one step is one run. No pointers: offsets only.
/// A source has one row; or several neighbouring ones, where synapses were made at different times and have heard different spikes.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/buffer.hpp"
#include "tables/columns.hpp"
#include "tables/row_offsets.hpp"
#include "tables/source_index.hpp"

namespace npl::tables {

/// `length` synapses in a row with the same delay.
struct Run {
  Delay delay;
  std::uint16_t length;
};

struct EdgeTable : Columns {
  const TableSpec* spec = nullptr;
  Layout layout = Layout::runs;
  SourceIndex sources;
  RowOffsets rows;
  Delay one_delay = 1;              ///< of all synapses (layout single)
  Buffer<std::uint32_t> run_begin;  ///< [rows + 1] first run (layout runs)
  Buffer<Run> runs;                 ///< (layout runs)

  std::size_t n_rows() const { return rows.rows(); }
  std::size_t n_synapses() const { return target.size(); }
  double weight(std::size_t i) const {
    return spec->weights == Weights::f32 ? static_cast<double>(weight32[i]) : spec->weights == Weights::f64 ? weight64[i] : spec->uniform;
  }
  void set_weight(std::size_t i, double weight) {
    if (spec->weights == Weights::f32) weight32[i] = static_cast<float>(weight);
    if (spec->weights == Weights::f64) weight64[i] = weight;
  }
  /// The shortest delay of a row.
  Delay first_delay(std::uint32_t row) const {
    return layout == Layout::runs ? runs[run_begin[row]].delay : layout == Layout::words ? delay[rows[row].begin] : one_delay;
  }
  /// Calls f(synapse, delay) for the synapses of a row, in order.
  template <class F>
  void for_row(std::uint32_t row, F&& f) const {
    auto [i, end] = rows[row];
    if (layout != Layout::runs) {
      for (; i < end; ++i) f(i, layout == Layout::words ? delay[i] : one_delay);
      return;
    }
    for (std::uint32_t r = run_begin[row]; r < run_begin[row + 1]; ++r)
      for (std::uint32_t k = 0; k < runs[r].length; ++k) f(i++, runs[r].delay);
  }
  /// The row of a synapse. O(log rows).
  std::uint32_t row_of(std::uint32_t synapse) const;
  /// The delay of a synapse of this row. O(runs of the row).
  Delay delay_of(std::uint32_t row, std::uint32_t synapse) const;
  /// (plastic) Part of the state of a synapse, see Plasticity::state; nan where there is none of this name.
  double state(std::string_view name, std::uint32_t synapse) const;
  /// The longest delay of the table.
  Delay longest_delay() const;
  /// Values that the rule keeps of the source of a row, in place.
  double* source_values(std::uint32_t row) { return pre_values.data() + std::size_t{row} * values_per_row(*spec); }

  /// Once, when rows and targets are complete: columns per row, and of synapses those that start from nothing; sources and numbers of equal
  /// synapses.
  void complete();
  /// (rules that draw) Numbers of synapses go on from those of a table of the same spec, to which this one will be added.
  /// @param out [synapses of `earlier`] which do not count; empty: all count
  void count_on(const EdgeTable& earlier, const std::vector<char>& out = {});

  std::size_t payload_bytes() const { return column_bytes(static_cast<const Columns&>(*this), Per::synapse); }
  std::size_t index_bytes() const {
    return sources.bytes() + rows.bytes() + run_begin.bytes() + runs.bytes() + column_bytes(static_cast<const Columns&>(*this), Per::row);
  }
};

/// A number for all that a table holds, and how: equal for tables that are equal in every column, row and bound.
std::uint64_t hash_of(const EdgeTable& table);

}  // namespace npl::tables
