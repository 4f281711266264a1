// SPDX-License-Identifier: Apache-2.0
/// What all synapses of a table have in common. The list of specs is the same for all slices of all ranks.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "synapses/model.hpp"

namespace npl::tables {

enum class Weights : std::uint8_t { uniform, f32, f64 };  ///< bytes per synapse: 0, 4, 8
enum class Layout : std::uint8_t {
  runs,
  words,
  single
};  ///< delays: per run of equal delay (4 B), per synapse (2 B), one for the table (0 B)

/// What the targets of a table do with the spikes that reach them.
enum class TargetInput : std::uint8_t {
  weights,  ///< sum the weights at the receptor
  by_sign,  ///< the sign of the weight chose the receptor (0: >= 0, 1: < 0), so it may not change
  counts,   ///< count spikes and ignore weights
};

struct TableSpec {
  const synapses::SynapseInfo* synapse = nullptr;
  std::vector<double> parameters;                          ///< of the synapse model
  std::shared_ptr<const synapses::Plasticity> plasticity;  ///< the model with these parameters; null: static
  int receptor = 0;
  TargetInput input = TargetInput::weights;
  Weights weights = Weights::uniform;
  double uniform = 0.0;         ///< the weight of all synapses (Weights::uniform)
  int order = 0;                ///< place in the canonical order of connections
  int recorder = -1;            ///< number of the weight recorder that notes what the synapses send; -1: none
  bool off_grid = false;        ///< the targets take spikes between grid points, as a list of events; never plastic
  double sub_step_delay = 0.0;  ///< [ms] subtracted from the delay in whole steps; never plastic then
  double resolution = 0.1;      ///< [ms]

  bool counts() const { return input == TargetInput::counts; }
  /// The rule when synapses have state or random numbers of their own; null: they have not.
  const synapses::SinglePlasticity* single() const { return plasticity ? plasticity->single() : nullptr; }
  /// Does it matter when inside its step a spike was emitted?
  bool keeps_offsets() const { return off_grid || sub_step_delay > 0.0; }
};

}  // namespace npl::tables
