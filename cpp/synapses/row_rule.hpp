// SPDX-License-Identifier: Apache-2.0
/// Rules whose state is stored per source row and per target, not per synapse: they update whole rows.
#pragma once
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

class RowRule : public Plasticity {
 public:
  Takes takes() const final { return Takes::rows; }
  /// Updates the state of a row at a spike of its source and returns the state that its synapses need. Called at emission, in order of
  /// stamps.
  /// @param stamp of the spike [steps]; @param last in/out: stamp of the previous spike, or 0 or less (tables::EdgeTable::begin)
  /// @param values [row_values()] in/out
  virtual PreTrace spike(Step stamp, std::int32_t& last, double* values) const = 0;
  /// Updates the weights of a run and adds them to its sums. One virtual call per run, not per synapse.
  virtual void process(const PlasticRun& run) const = 0;
  /// Share of the weight (as `process` left it) that is transmitted.
  virtual double share_sent(const PreTrace&) const { return 1.0; }
};

}  // namespace npl::synapses
