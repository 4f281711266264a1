// SPDX-License-Identifier: Apache-2.0
/// A step of a group of neurons with gap junctions (gap.hpp).
#pragma once
#include <algorithm>

#include "model/gap.hpp"
#include "nodes/rkf45.hpp"

namespace npl::nodes {

/// Slope of V_m, at the beginning or at the end of the step.
template <class M>
struct SlopeLoop {
  static_assert(!has_uniform_loop<M>);
  NPL_INLINE static void run(const Lanes<M>* view, double x, double* out) {
    const OwnLanes<M> lanes(*view);
    for (std::size_t begin = 0; begin < lanes.n; begin += block_size<M>) {
      const std::size_t values = lanes.derived_at(begin), n = std::min(block_size<M>, lanes.n - begin);
      NPL_IVDEP
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = begin + k;
        auto s = load_fields<typename M::State>(lanes.state.data(), i);
        const auto d = load_fields<typename M::Derived>(lanes.derived.data(), values + k);
        s.x = x;
        out[i] = d.dt * M::rhs(rkf45::vars_of<M::n_ode>(s), s, d, lanes.current ? lanes.current[i] : 0.0)[0];
      }
    }
  }
};

template <class M>
void note_slopes(const GroupView& g, double x, double* out) {
  const Lanes<M> lanes = lanes_of<M>(g, 0, g.n);
  Dispatch<SlopeLoop<M>>::run(&lanes, x, out);
}

/// One step of a group of model M.
template <class M>
void update_gap(const GroupView& g) {
  std::fill_n(g.state[M::at_x], g.n, 0.0);
  for (std::size_t k = 0; k < 5; ++k)
    g.taken ? static_cast<void>(std::copy_n(g.taken[k], g.n, g.state[M::at_g + k]))
            : static_cast<void>(std::fill_n(g.state[M::at_g + k], g.n, 0.0));
  if (g.taken) note_slopes<M>(g, 0.0, g.state[M::at_slopes]);
  update_rkf45<M>(g);
  if (g.taken) note_slopes<M>(g, 1.0, g.state[M::at_slopes + 1]);
}

}  // namespace npl::nodes

/// Registers a neuron with gap junctions; see NPL_NEURON.
#define NPL_GAP_NEURON(id, Type) NPL_NEURON_WITH(id, Type, update_gap<Type>)
