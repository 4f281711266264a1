// SPDX-License-Identifier: Apache-2.0
#include "sim/slice_count.hpp"

#include <algorithm>

namespace npl::sim {
namespace {

constexpr double least = 256;         ///< work of a slice
constexpr double per_step = 160;      ///< what several slices cost in each step
constexpr double per_exchange = 454;  ///< and what it costs that they wait for each other
constexpr double worth = 0.7;         ///< twice as many slices take at most this part of the time, as they take more CPU time
constexpr double per_part = 60;       ///< work of a device with some targets in a slice
constexpr double few = 8;             ///< targets of a device, which are not in all slices
constexpr double per_variable = 2;    ///< work of a neuron whose model has a solver, per state variable
constexpr double per_synapse = 1e-3;  ///< an event is as much work as a neuron, and a source rarely spikes

}  // namespace

double work_of(const nodes::ModelInfo* model, double n) {
  return model && (model->integrated || !model->in_pieces) ? n * std::max(1.0, per_variable * static_cast<double>(model->state.size())) : n;
}

double work_of_synapse(const tables::TableSpec& spec) {
  const bool every_step = spec.synapse->continuous || (spec.plasticity && spec.plasticity->catches_up());
  return every_step ? 1.0 : per_synapse;
}

Work work_of_devices(double devices, double edges) { return {edges, edges > few * devices ? per_part * devices : 0.0}; }

/// Powers of 2, so that a growing network is rarely dealt again; each time twice as many must be worth it.
int enough_slices(const Work& work, int most) {
  const double together = work.repeated + per_step + per_exchange / work.interval;
  int n = 1;
  for (double now = work.shared + work.repeated; 2 * n <= most && work.shared >= 2 * n * least; n *= 2) {
    const double then = work.shared / (2 * n) + together;
    if (then >= worth * now) return n;
    now = then;
  }
  return work.shared >= least * most ? most : n;
}

}  // namespace npl::sim
