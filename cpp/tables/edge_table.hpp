// SPDX-License-Identifier: Apache-2.0
/// The synapses of one slice with a common spec (synapse model, receptor, kind of weight): rows by source, columns as plain arrays, offsets
/// instead of pointers. The synapses of a row are sorted by delay, so that those due in one step are one run. A source has one row, or
/// several adjacent rows when its synapses were made at different times and have different presynaptic states.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "synapses/stored_weights.hpp"
#include "tables/columns.hpp"
#include "tables/row_offsets.hpp"
#include "tables/source_index.hpp"

namespace npl::tables {

/// `length` synapses in a row with the same delay.
struct Run {
  Delay delay;
  std::uint16_t length;
};

/// Synapses are addressed by their position 0 .. n_synapses() - 1 in the columns.
struct EdgeTable : Columns {
  const TableSpec* spec = nullptr;
  Layout layout = Layout::runs;
  SourceIndex sources;
  RowOffsets rows;
  Delay one_delay = 1;              ///< (layout single) delay of all synapses [steps]
  Buffer<std::uint32_t> run_begin;  ///< (layout runs) [rows + 1] index of the first run of each row
  Buffer<Run> runs;                 ///< (layout runs)

  std::size_t n_rows() const { return rows.rows(); }
  std::size_t n_synapses() const { return target.size(); }
  double weight(std::size_t i) const {
    switch (spec->weights) {
      case Weights::f32: return static_cast<double>(weight32[i]);
      case Weights::f64: return weight64[i];
      case Weights::coded: return static_cast<double>(spec->book->values()[code[i]]);
      case Weights::uniform: break;
    }
    return spec->uniform;
  }
  /// Sets a weight that the spec holds, rounded to the precision of the table.
  void set_weight(std::size_t i, double weight) {
    if (spec->weights == Weights::f32) weight32[i] = static_cast<float>(weight);
    if (spec->weights == Weights::f64) weight64[i] = weight;
    if (spec->weights == Weights::coded) code[i] = spec->book->find(static_cast<float>(weight)).value();
  }
  /// Weights of the synapses from i on. Not uniform or coded ones.
  synapses::StoredWeights stored_weights(std::size_t i) {
    return spec->weights == Weights::f32 ? synapses::StoredWeights(&weight32[i]) : synapses::StoredWeights(&weight64[i]);
  }
  /// Converts the weights to those of `wider`, which is spec->widened() but for its order.
  void widen(const TableSpec& wider);
  /// Takes this back. @param codes of the weights before (Weights::coded)
  void narrow(const TableSpec& before, Buffer<Code> codes) noexcept;
  /// Fetches the weights of n synapses.
  NPL_INLINE void prefetch_weights(std::size_t i, std::size_t n) const {
    if (spec->weights == Weights::f32) prefetch_lines(&weight32[i], n * sizeof(float));
    if (spec->weights == Weights::f64) prefetch_lines(&weight64[i], n * sizeof(double));
    if (spec->weights == Weights::coded) prefetch_lines(&code[i], n * sizeof(Code));
  }
  /// The shortest delay of a row [steps].
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
  /// The delay of a synapse of this row [steps]. O(runs of the row).
  Delay delay_of(std::uint32_t row, std::uint32_t synapse) const;
  /// (plastic) State variable of a synapse, see Plasticity::state; nan when the rule has no such name.
  double state(std::string_view name, std::uint32_t synapse) const;
  /// (layout words) Gives a synapse another delay: it goes behind the synapses of its row that have no longer one, and those between move
  /// by one. Returns its new position.
  std::uint32_t move_to_delay(std::uint32_t synapse, Delay to) noexcept;
  /// Moves all values of a synapse to another position in its row; those between move by one.
  void move(std::uint32_t synapse, std::uint32_t to) noexcept;
  /// The longest delay of the table [steps].
  Delay longest_delay() const;
  /// Its parameters that differ from synapse to synapse, in place; null: none do.
  const double* varied(std::size_t i) const { return parameters.empty() ? nullptr : &parameters[i * spec->varied.size()]; }
  double* varied(std::size_t i) { return const_cast<double*>(std::as_const(*this).varied(i)); }
  /// All parameters of a synapse, in the order of SynapseInfo::parameters.
  std::vector<double> parameters_of(std::size_t i) const;
  /// (plastic) Presynaptic state of a row, in place.
  double* source_values(std::uint32_t row) { return pre_values.data() + std::size_t{row} * values_per_row(*spec); }

  /// Completes the table after its rows, targets and delays are set: allocates the remaining columns (0), sets row_source and nth. Call
  /// once. Throws BadParameter for more than 2^16 synapses that only `nth` tells apart.
  void complete();
  /// (rules that draw) Continues the numbering `nth` of a table of the same spec, before this table is merged into it.
  /// @param out [synapses of `earlier`] nonzero: ignored because it is removed; empty: none. Throws as complete().
  void count_on(const EdgeTable& earlier, const std::vector<char>& out = {});

  /// Call when synapses are made during a simulation. Where first spikes pair with all postsynaptic ones before, these are those since
  /// `now` [steps], whatever else is still kept: pre_last is -now.
  void begin(Step now);

  /// Allocated bytes: columns per synapse; everything else.
  std::size_t payload_bytes() const { return column_bytes(static_cast<const Columns&>(*this), Per::synapse); }
  std::size_t index_bytes() const {
    return sources.bytes() + rows.bytes() + run_begin.bytes() + runs.bytes() + column_bytes(static_cast<const Columns&>(*this), Per::row);
  }
};

/// Hash of content and encoding: equal for tables with equal spec, columns, rows and delays.
std::uint64_t hash_of(const EdgeTable& table);

}  // namespace npl::tables
