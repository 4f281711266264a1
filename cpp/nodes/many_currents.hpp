// SPDX-License-Identifier: Apache-2.0
/// Exact models with a current per port (port_loop.hpp) and any number of ports: a loop over the neurons of a block for each port in which
/// anything flows, then the rest of each neuron.
#pragma once
#include <algorithm>

#include "nodes/many_ports.hpp"
#include "nodes/update.hpp"

namespace npl::nodes::many {

/// Places of the values of the ports behind those of the model: factor f of port p at n_fields<Derived> + f * ports + p.
template <class M>
struct Currents {
  using Shape = typename M::Shape;
  using One = typename Shape::One;
  using Factors = typename Shape::Factors;
  using Derived = typename M::Derived;
  static constexpr std::size_t lanes = 64, parts = Shape::parts, own = n_fields<Derived>, n_factors = parts * n_fields<Factors>;

  static std::size_t n_derived(std::size_t n) { return own + n_factors * n; }

  static void derive(const Ports& shape, const double* parameters, double dt, double* derived) {
    for (std::size_t first = 0; first < shape.n; first += ports) {
      const Derived d = M::derive(some_ports<M>(shape, parameters, first), dt);
      if (first == 0)
        for (std::size_t k = 0; k < own; ++k) derived[k] = field(d, k);
      for (std::size_t p = first; p < std::min(shape.n, first + ports); ++p)
        for (std::size_t f = 0; f < n_factors; ++f) derived[own + f * shape.n + p] = field(d, M::port_factors_at + f * ports + p - first);
    }
  }

  /// Of a block: change of V and current, as PortSums.
  struct Sums {
    alignas(64) double onto_V[parts][lanes] = {}, total[parts][lanes] = {};
    PortSums get(std::size_t k) const {
      if constexpr (parts == 2) return {onto_V[0][k] + onto_V[1][k], total[0][k] + total[1][k]};
      return {onto_V[0][k], total[0][k]};
    }
  };

  static double* column(const GroupView& g, const Ports& shape, std::size_t part, std::size_t j, std::size_t p, std::size_t begin) {
    return g.state[shape.state[M::ports_at + (part * n_fields<One> + j) * ports].at + p] + begin;
  }

  static bool is_silent(const GroupView& g, const Ports& shape, std::size_t p, std::size_t begin, std::size_t n) {
    for (std::size_t part = 0; part < parts; ++part)
      for (std::size_t j = 0; j < n_fields<One>; ++j)
        if (!all_zero_bits(column(g, shape, part, j, p, begin), n)) return false;
    return true;
  }

  /// Moves port p of a block to the end of the step.
  static void add(const GroupView& g, const Ports& shape, std::size_t p, std::size_t begin, std::size_t n, Sums& sums) {
    Fixed* arrived = g.input[p] + begin;
    const bool quiet = InputRows<1>::all_zero(arrived, n);
    if (quiet && is_silent(g, shape, p, begin, n)) return;
    for (std::size_t part = 0; part < parts; ++part) {
      double* y[n_fields<One>];
      for (std::size_t j = 0; j < n_fields<One>; ++j) y[j] = column(g, shape, part, j, p, begin);
      for (std::size_t k = 0; k < n; ++k) {
        const One now = load_fields<One>(y, k);
        Factors f;
        for (std::size_t j = 0; j < n_fields<Factors>; ++j)
          field(f, j) = derived_value(g, own + (part * n_fields<Factors> + j) * shape.n + p, begin + k);
        One later = Shape::decayed(now, f, quiet ? 0.0 : fixed_to_double(arrived[k]) * g.input_scale[p]);
        sums.onto_V[part][k] += Shape::onto_V(now, f);
        if constexpr (M::total_at == TotalAt::begin) sums.total[part][k] += now.I;
        if constexpr (M::total_at == TotalAt::end) sums.total[part][k] += later.I;
        for (std::size_t j = 0; j < n_fields<One>; ++j) field(later, j) = flushed(field(later, j));
        store_fields(y, k, later);
      }
    }
    if (!quiet) std::fill_n(arrived, n, 0);
  }

  static double step(typename M::State& s, const Derived& d, const Input<M::receptors>& in, const PortSums& sums) {
    if constexpr (Splits<M>) {
      const double before = field(s, 0);
      M::advance(s, d, in, sums);
      if constexpr (Holds<M>)
        if (field(s, M::free_at) > static_cast<double>(in.step)) field(s, 0) = M::held(before);
      return M::crossed(s, d) ? M::fire(s, d, in) : 0.0;
    } else {
      return M::step(s, d, in, sums);
    }
  }

  static void update(const GroupView& g) {
    const Ports& shape = static_cast<const Ports&>(*g.shape);
    Derived d{};
    if (g.derived) d = many::derived_of<M>(g, 0);
    for (std::size_t begin = 0; begin < g.n; begin += lanes) {
      const std::size_t n = std::min(lanes, g.n - begin);
      Sums sums;
      for (std::size_t p = 0; p < shape.n; ++p) add(g, shape, p, begin, n, sums);
      for (std::size_t k = 0; k < n; ++k) {
        if (!g.derived) d = many::derived_of<M>(g, begin + k);
        auto s = own_state<M>(g, shape, begin + k);
        const double count = step(s, d, many::input_of<M>(g, begin + k), sums.get(k));
        store<M>(g, shape, begin + k, s);
        many::emit(g, begin + k, count);
      }
    }
  }
};

template <class M>
ModelInfo currents(const std::string& text) {
  return with_shape<M>(text, Currents<M>::update, Currents<M>::n_derived, Currents<M>::derive);
}

}  // namespace npl::nodes::many

/// Registers an exact model with ports; see NPL_NEURON.
#define NPL_NEURON_PORTS(id, Type) \
  NPL_MODEL(id, Type, with(describe<Type>(update_steps<Type>, true), &ModelInfo::shaped, many::currents<Type>))
