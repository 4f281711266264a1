// SPDX-License-Identifier: Apache-2.0
/// Synaptic currents with exact propagators, one per port: a loop over the neurons for each port in use, before the loop over the rest of
/// their equations. A port in which nothing has ever flown would add zeros, and is skipped.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "nodes/input_rows.hpp"
#include "nodes/lanes.hpp"
#include "nodes/multisynapse.hpp"
#include "nodes/ports_in_use.hpp"

namespace npl::nodes {

/// Models with
///   `Shape`: `One` and `Factors` (structs of doubles: state and derived values of one port), `onto_V(One, Factors)`,
///   `decayed(One, Factors, spikes)`, `parts`: the current of a port is a sum of so many;
///   `ports_at`, `port_factors_at`: places of State and Derived where the values of the ports begin: for each part and each member of One
///   or Factors, one per port;
///   `total_at`; and `step` or `advance` with PortSums as fourth argument, which leaves the ports alone.
template <class M>
concept Ported = requires { M::ports_at; };

template <class M>
inline constexpr std::size_t n_port_fields = 0;
template <Ported M>
inline constexpr std::size_t n_port_fields<M> = n_fields<typename M::Shape::One> * M::Shape::parts * max_receptors;

/// Is state field k one of a port?
template <class M>
constexpr bool is_of_port(std::size_t k) {
  if constexpr (Ported<M>)
    return k >= M::ports_at && k < M::ports_at + n_port_fields<M>;
  else
    return false;
}

/// Sums over the ports for a block of neurons.
template <class M>
class PortRows {
  using Shape = typename M::Shape;
  static constexpr std::size_t parts = Shape::parts, ports = max_receptors;

 public:
  static_assert(sizeof(typename Shape::Vars) == parts * ports * sizeof(typename Shape::One));
  static_assert(sizeof(typename Shape::Derived) == parts * ports * sizeof(typename Shape::Factors));
  NPL_INLINE explicit PortRows(std::size_t n) : spikes_(n) {}

  /// Advances the ports of neurons begin .. begin + n - 1 by a step.
  template <bool Uniform>
  NPL_INLINE void run(const Lanes<M>& lanes, std::size_t begin, std::size_t n) {
    std::uint32_t in_use = lanes.ports->mask();
    for (std::size_t p = 0; p < ports; ++p)
      if (!(in_use >> p & 1) && !InputRows<1>::all_zero(lanes.sums[p] + begin, n)) in_use |= 1u << p;
    lanes.ports->add(in_use);
    // The sum of all ports has the zeros of those that are skipped: it is never -0.
    const double start = in_use == (1u << ports) - 1 ? -0.0 : 0.0;
    for (auto& row : onto_V_) std::fill_n(row, n, start);
    if constexpr (M::total_at != TotalAt::never)
      for (auto& row : total_) std::fill_n(row, n, start);
    for (std::uint32_t left = in_use; left; left &= left - 1) {
      const auto p = static_cast<std::size_t>(std::countr_zero(left));
      spikes_.take(0, lanes.sums[p] + begin, lanes.scale[p], n);
      for (std::size_t part = 0; part < parts; ++part) add<Uniform>(lanes, part, p, begin, n);
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

 private:
  template <bool Uniform>
  NPL_INLINE void add(const Lanes<M>& lanes, std::size_t part, std::size_t p, std::size_t begin, std::size_t n) {
    using One = typename Shape::One;
    using Factors = typename Shape::Factors;
    double* y[n_fields<One>];
    for (std::size_t j = 0; j < n_fields<One>; ++j) y[j] = lanes.state[M::ports_at + (part * n_fields<One> + j) * ports + p] + begin;
    Factors shared{};
    const double* factors[n_fields<Factors>];
    for (std::size_t j = 0; j < n_fields<Factors>; ++j) {
      const std::size_t place = M::port_factors_at + (part * n_fields<Factors> + j) * ports + p;
      if constexpr (Uniform)
        field(shared, j) = reinterpret_cast<const double*>(lanes.shared)[place];
      else
        factors[j] = lanes.derived[place] + lanes.derived_at(begin);
    }
    double *onto_V = onto_V_[part], *total = total_[part];
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const One now = load_fields<One>(y, k);
      Factors f = shared;
      if constexpr (!Uniform) f = load_fields<Factors>(factors, k);
      const One later = Shape::decayed(now, f, spikes_.get(0, k));
      onto_V[k] += Shape::onto_V(now, f);
      if constexpr (M::total_at == TotalAt::begin) total[k] += now.I;
      if constexpr (M::total_at == TotalAt::end) total[k] += later.I;
      store_fields(y, k, later);
    }
  }

  InputRows<1> spikes_;
  alignas(64) double onto_V_[parts][chunk], total_[parts][chunk];
};

}  // namespace npl::nodes
