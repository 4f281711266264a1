// SPDX-License-Identifier: Apache-2.0
/// Rules whose state is stored per source row and per target, not per synapse: they update whole rows.
#pragma once
#include <span>

#include "base/fixed.hpp"
#include "synapses/model.hpp"
#include "synapses/post_trace.hpp"
#include "synapses/stored_weights.hpp"

namespace npl::synapses {

/// Presynaptic state at a spike, shared by all synapses of the source row.
struct PreTrace {
  Step last = 0;       ///< stamp of the previous spike [steps]; 0: none (as in NEST)
  double trace = 0.0;  ///< STDP: K+ just after the previous spike; short-term plasticity: share of the weight released by this spike
};

/// Due part of a row: n synapses with the same delay, to be updated for one spike of their source. Or of several short rows, for
/// one spike of each source.
struct PlasticRun {
  std::uint32_t n;
  const std::uint16_t* target;  ///< [n] nodes of the slice
  StoredWeights weight;         ///< [n]
  Step stamp;                   ///< of the presynaptic spike
  PreTrace before;              ///< presynaptic state before this spike, if `each` is null
  Step delay;                   ///< of the dendrite, less that of the axon [steps]
  const PostTrace* post;
  Fixed* sums;                            ///< input of the receptor in this step, indexed by target
  double to_fixed;                        ///< fixed-point units per unit of weight
  double* largest;                        ///< in/out: raised to the largest |weight| of the run, so that the fixed-point scale can follow
  bool counts = false;                    ///< the targets count spikes: each synapse adds 1 instead of its weight
  const PostArrivals* arrived = nullptr;  ///< at stamp - delay; null: unknown
  const PreTrace* each = nullptr;         ///< [n] (several rows) presynaptic state of each synapse
};

/// A spike of the source of a row.
struct RowFired {
  std::uint32_t row;
  Step stamp;            ///< [steps]
  PreTrace before = {};  ///< out: presynaptic state that its synapses need
};

class RowRule : public Plasticity {
 public:
  Takes takes() const final { return Takes::rows; }
  /// Updates the states of rows at spikes of their sources and sets the states that their synapses need. Called at emission, in order of
  /// stamps.
  /// @param last [rows] in/out: stamp of the previous spike, or 0 or less (tables::EdgeTable::begin)
  /// @param values [rows x row_values()] in/out
  virtual void spike(std::span<RowFired> fired, std::int32_t* last, double* values) const = 0;
  /// The same for one row.
  PreTrace spike(Step stamp, std::int32_t& last, double* values) const {
    RowFired fired{0, stamp};
    spike({&fired, 1}, &last, values);
    return fired.before;
  }
  /// Updates the weights of a run and adds them to its sums. One virtual call per run, not per synapse.
  virtual void process(const PlasticRun& run) const = 0;
  /// Share of the weight (as `process` left it) that is transmitted.
  virtual double share_sent(const PreTrace&) const { return 1.0; }

 protected:
  /// spike() of a rule that has `PreTrace source_spike(Step stamp, std::int32_t& last, double* values) const`.
  template <class Rule>
  static void spike_each(const Rule& rule, std::span<RowFired> fired, std::int32_t* last, double* values) {
    const auto width = static_cast<std::size_t>(rule.row_values());
    for (RowFired& f : fired) f.before = rule.source_spike(f.stamp, last[f.row], values + f.row * width);
  }
};

}  // namespace npl::synapses
