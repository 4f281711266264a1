// SPDX-License-Identifier: Apache-2.0
/// The ports of models as ports.hpp describes them: a loop over the neurons for each port in use, before the loop over the rest of their
/// equations. A port in which nothing has ever flown would add zeros, and is skipped.
#pragma once
#include <algorithm>
#include <cstddef>

#include "model/ports.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/lanes.hpp"
#include "nodes/ports_in_use.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes {

/// Sums over the ports for a block of neurons.
template <class M>
class PortRows {
  using One = typename M::Shape::One;
  using Factors = typename M::Shape::Factors;
  static constexpr std::size_t parts = M::Shape::parts, n_one = n_fields<One>, n_factors = n_fields<Factors>;

 public:
  NPL_INLINE explicit PortRows(std::size_t n) : spikes_(n) {}

  /// Advances the ports of neurons begin .. begin + n - 1 by a step.
  NPL_INLINE void run(const Lanes<M>& lanes, std::size_t begin, std::size_t n) {
    const PortLanes& all = lanes.ports;
    const std::size_t at = all.input_at + begin;
    for (std::size_t p = 0; p < all.n; ++p)
      if (!all.in_use->has(p) && !InputRows<1>::all_zero(all.sums[p] + at, n)) all.in_use->add(p);
    // The sum of all ports has the zeros of those that are skipped: it is never -0.
    const double start = all.in_use->all() ? -0.0 : 0.0;
    for (auto& row : onto_V_) std::fill_n(row, n, start);
    if constexpr (M::total_at != TotalAt::never)
      for (auto& row : total_) std::fill_n(row, n, start);
    for (std::size_t p = 0; p < all.n; ++p) {
      if (!all.in_use->has(p)) continue;
      spikes_.take(0, all.sums[p] + at, all.scale[p], n);
      for (std::size_t part = 0; part < parts; ++part) add(lanes, part, p, begin, n);
    }
  }
  NPL_INLINE PortSums get(std::size_t k) const {
    if constexpr (M::total_at == TotalAt::never)
      return {onto_V_[0][k], 0.0};
    else if constexpr (parts == 2)
      return {onto_V_[0][k] + onto_V_[1][k], total_[0][k] + total_[1][k]};
    else
      return {onto_V_[0][k], total_[0][k]};
  }
  NPL_INLINE static void flush(const Lanes<M>& lanes, std::size_t begin, std::size_t n) {
    static_assert(std::all_of(M::Shape::state.begin(), M::Shape::state.end(), decays));
    for (std::size_t k = 0; k < n_port_states<M> * lanes.ports.n; ++k)
      if (lanes.ports.in_use->has(k % lanes.ports.n)) flush_column(lanes.ports.state[k] + lanes.begin + begin, n);
  }

 private:
  NPL_INLINE void add(const Lanes<M>& lanes, std::size_t part, std::size_t p, std::size_t begin, std::size_t n) {
    const PortLanes& all = lanes.ports;
    double* y[n_one];
    const double* factors[n_factors];
    for (std::size_t j = 0; j < n_one; ++j) y[j] = all.state[(part * n_one + j) * all.n + p] + lanes.begin + begin;
    for (std::size_t j = 0; j < n_factors; ++j)
      factors[j] = all.factors[(p * parts + part) * n_factors + j] + lanes.derived_at(lanes.begin + begin);
    double *onto_V = onto_V_[part], *total = total_[part];
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k)
      store_fields(y, k, advance_port<M>(load_fields<One>(y, k), load_fields<Factors>(factors, k), spikes_.get(0, k), onto_V[k], total[k]));
  }

  InputRows<1> spikes_;
  alignas(64) double onto_V_[parts][chunk], total_[parts][chunk];
};

}  // namespace npl::nodes
