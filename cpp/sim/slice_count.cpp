// SPDX-License-Identifier: Apache-2.0
#include "sim/slice_count.hpp"

#include <algorithm>
#include <bit>

namespace npl::sim {
namespace {

constexpr double small = 3072;        ///< work of a network in one slice: in two slices it took 1.3 to 1.6 times the CPU time
constexpr double least = 256;         ///< work of a slice of larger networks
constexpr double per_variable = 2;    ///< work of a neuron whose model has a solver, per state variable
constexpr double per_synapse = 1e-3;  ///< an event is as much work as a neuron, and a source rarely spikes

}  // namespace

double work_of(const nodes::ModelInfo* model, double n) {
  return model && !model->in_pieces ? n * std::max(1.0, per_variable * static_cast<double>(model->state.size())) : n;
}

double work_of_synapse(const tables::TableSpec& spec) {
  const bool every_step = spec.synapse->continuous || (spec.plasticity && spec.plasticity->catches_up());
  return every_step ? 1.0 : per_synapse;
}

/// Powers of 2, so that a growing network is rarely dealt again.
int enough_slices(double work, int most) {
  if (work < small) return 1;
  if (work >= least * most) return most;
  return std::min(most, static_cast<int>(std::bit_floor(static_cast<unsigned>(work / least))));
}

}  // namespace npl::sim
