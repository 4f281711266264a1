// SPDX-License-Identifier: Apache-2.0
/// How many slices a network gets that has little to do in a step. Every slice visits its share of all tables, devices and groups in each
/// step, so little work is done sooner in few slices. Results do not depend on it (law 1).
#pragma once
#include "nodes/model.hpp"
#include "tables/table_spec.hpp"

namespace npl::sim {

/// Work of a rank in a step.
struct Work {
  double shared = 0;    ///< divided among slices
  double repeated = 0;  ///< done in every slice
  double interval = 1;  ///< steps from one exchange of spikes to the next, for which slices wait for each other
  Work& operator+=(const Work& more) { return shared += more.shared, repeated += more.repeated, *this; }
};

/// Work of n nodes in a step. The unit is a neuron of a model whose steps are computed in vectors: 2 to 5 ns.
/// @param model null: devices
double work_of(const nodes::ModelInfo* model, double n);
/// Work of a synapse in a step, at some spikes per second. A synapse that acts in every step counts as a neuron.
double work_of_synapse(const tables::TableSpec& spec);
/// Work of the connections of some devices in a step. @param edges of all of them
Work work_of_devices(double devices, double edges);
/// Number of slices for this work, from 1 to `most`.
int enough_slices(const Work& work, int most);

}  // namespace npl::sim
