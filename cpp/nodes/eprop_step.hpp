// SPDX-License-Identifier: Apache-2.0
/// A step of a group of neurons that learn by eligibility propagation (eprop.hpp, eprop_event.hpp).
#pragma once
#include <algorithm>

#include "nodes/describe.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// What arrives along continuous connections becomes state, then a step is done. @tparam M with `arriving`: state variables, by slot
template <class M>
void update_with_signals(const GroupView& g) {
  for (std::size_t slot = 0; slot < M::arriving.size(); ++slot) {
    double* column = g.state[state_index<M>(M::arriving[slot])] + g.begin;
    g.taken ? std::copy_n(g.taken[slot] + g.begin, g.n, column) : std::fill_n(column, g.n, 0.0);
  }
  update_steps<M>(g);
}

}  // namespace npl::nodes

/// Registers a neuron that learns; see NPL_NEURON.
#define NPL_EPROP_NEURON(id, Type) NPL_NEURON_WITH(id, Type, update_with_signals<StepsOf<Type>>)
