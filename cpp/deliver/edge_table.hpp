// SPDX-License-Identifier: Apache-2.0
/// The synapses of one slice that share synapse model, receptor and kind of weight: rows by source, columns of plain arrays.
/// Within a row synapses are sorted by delay, so that what is due in one step is one run. No pointers: offsets only.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "deliver/row_offsets.hpp"
#include "deliver/source_index.hpp"
#include "synapses/model.hpp"

namespace npl::deliver {

enum class Weights : std::uint8_t { uniform, f32, f64 };  ///< bytes per synapse: 0, 4, 8
enum class Layout : std::uint8_t { runs, words, single };  ///< delays: per run of equal delay (4 B), per synapse (2 B), one for the table (0 B)

/// What all synapses of a table share. The list of specs is the same for all slices.
struct TableSpec {
  const synapses::SynapseInfo* synapse = nullptr;
  std::shared_ptr<const synapses::Plasticity> plasticity;  ///< null when static
  std::vector<double> parameters;                          ///< of the synapse model
  int receptor = 0;
  bool counts = false;  ///< the targets count spikes and ignore weights
  Weights weights = Weights::uniform;
  double uniform = 0.0;
  bool by_sign = false;  ///< the sign of the weight chose the receptor, so it may not change
  int order = 0;         ///< place in the canonical order of connections
  int recorder = -1;     ///< number of the weight recorder that notes what its synapses send; -1: none
  bool precise = false;  ///< the targets take spikes between grid points, as a list of events; never plastic
  double earlier = 0.0;  ///< delays are so much shorter than whole steps [ms]; never plastic then
  double resolution = 0.1;  ///< [ms]

  /// Are synapses processed one by one, since they are recorded or have state of their own?
  bool one_by_one() const { return recorder >= 0 || (plasticity && plasticity->single()); }

  /// Does it matter when in a step a spike was emitted?
  bool by_time() const { return precise || earlier > 0.0; }
};

/// `length` synapses in a row with the same delay.
struct Run {
  Delay delay;
  std::uint16_t length;
};

struct EdgeTable {
  const TableSpec* spec = nullptr;
  Layout layout = Layout::runs;
  SourceIndex sources;
  RowOffsets rows;
  Delay one_delay = 1;              ///< of all synapses (layout single)
  Buffer<std::uint32_t> run_begin;  ///< [rows + 1] first run (layout runs)
  Buffer<Run> runs;
  Buffer<std::uint16_t> target;     ///< [synapses] node of the slice
  Buffer<Delay> delay;              ///< [synapses] (layout words)
  Buffer<float> weight32;           ///< [synapses] (weights f32)
  Buffer<double> weight64;          ///< [synapses] (weights f64)
  Buffer<std::int32_t> pre_last;    ///< [rows] (plastic) stamp of the last spike of the source
  Buffer<double> pre_values;        ///< [rows x values_per_row] (plastic) what the rule keeps of the source
  int values_per_row = 0;
  Buffer<Gid> row_source;           ///< [rows] (one by one) source
  Buffer<double> synapse_values;    ///< [synapses x values_per_synapse] (one by one) what the rule keeps of the synapse
  Buffer<std::uint16_t> nth;        ///< [synapses] (one by one, where the rule draws) number among those with the same source, target and delay
  int values_per_synapse = 0;

  std::size_t n_rows() const { return rows.rows(); }
  std::size_t n_synapses() const { return target.size(); }
  double weight(std::size_t i) const {
    return spec->weights == Weights::f32 ? static_cast<double>(weight32[i]) : spec->weights == Weights::f64 ? weight64[i] : spec->uniform;
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
  /// The row of a synapse.
  std::uint32_t row_of(std::uint32_t synapse) const;
  /// (plastic) Part of the state of a synapse, see Plasticity::state; nan where there is none of this name.
  double state(std::string_view name, std::uint32_t synapse) const;
  /// The longest delay of the table.
  Delay longest_delay() const;
  /// (plastic) Room for what is kept of the sources.
  void allocate_sources() {
    values_per_row = spec->plasticity->row_values();
    pre_last = Buffer<std::int32_t>(n_rows());
    pre_values = Buffer<double>(n_rows() * static_cast<std::size_t>(values_per_row));
  }
  /// (one by one) Names of rows and synapses, and room for what is kept of them. Once, when the table is complete.
  void name_synapses();
  /// (one by one) Synapses of this table count on from those of earlier ones of the same spec.
  void count_on(const std::vector<const EdgeTable*>& earlier);
  /// From one weight for all to a double per synapse, described by `wider`.
  void make_explicit(const TableSpec& wider) {
    weight64 = Buffer<double>(n_synapses());
    std::fill(weight64.begin(), weight64.end(), spec->uniform);
    spec = &wider;
  }
  std::size_t payload_bytes() const { return target.bytes() + delay.bytes() + weight32.bytes() + weight64.bytes() + synapse_values.bytes() + nth.bytes(); }
  std::size_t index_bytes() const { return sources.bytes() + rows.bytes() + run_begin.bytes() + runs.bytes() + pre_last.bytes() + pre_values.bytes() + row_source.bytes(); }
};

}  // namespace npl::deliver
