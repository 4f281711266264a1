// SPDX-License-Identifier: Apache-2.0
/// Models with a conductance per port and any number of ports. Conductances are followed exactly to the stages of the Runge-Kutta-Fehlberg
/// method (whole_step.hpp), here in all substeps; the variables of the neuron itself are integrated. One neuron at a time.
#pragma once
#include <algorithm>
#include <vector>

#include "nodes/many_ports.hpp"
#include "nodes/rkf45.hpp"

namespace npl::nodes::many {

/// Derived values of port p at n_fields<Derived> + p * sizeof(Port) / 8.
struct Port {
  double reversal, rate, rise, jump;
  Flow whole;  ///< of a time step
};

template <class M>
struct Conductances {
  using Own = typename M::Exactly;
  using Derived = typename M::Derived;
  using Synapses = decltype(Derived::synapses);
  static constexpr std::size_t own = n_fields<Derived>, synapses_at = offsetof(Derived, synapses) / sizeof(double);
  static constexpr bool rises = Own::rises;
  static_assert(n_fields<Synapses> == (rises ? 4 : 2) * ports, "E_rev, rise, rate, jump, or E_rev, rate");

  static std::size_t n_derived(std::size_t n) { return own + n * n_fields<Port>; }

  static void derive(const Ports& shape, const double* parameters, double dt, double* derived) {
    for (std::size_t first = 0; first < shape.n; first += ports) {
      const Derived d = M::derive(some_ports<M>(shape, parameters, first), dt);
      if (first == 0)
        for (std::size_t k = 0; k < own; ++k) derived[k] = field(d, k);
      for (std::size_t p = first; p < std::min(shape.n, first + ports); ++p) {
        const auto value = [&](std::size_t k) { return field(d, synapses_at + k * ports + p - first); };
        const double rate = value(rises ? 2 : 1), rise = rises ? value(1) : rate;
        const Port port{value(0), rate, rise, rises ? value(3) : 1.0, flow_of(rate, rise, dt)};
        for (std::size_t k = 0; k < n_fields<Port>; ++k) derived[own + p * n_fields<Port> + k] = field(port, k);
      }
    }
  }

  /// A port in which something flows.
  struct Open {
    Port port;
    double g, dg;
    std::size_t number;
    Flow flow;  ///< of the substep
  };

  static double* column(const GroupView& g, const Ports& shape, std::size_t j, std::size_t p) {
    return g.state[shape.state[Own::first + j * ports].at + p];
  }
  static Port port_of(const GroupView& g, std::size_t p, std::size_t i) {
    Port port;
    for (std::size_t k = 0; k < n_fields<Port>; ++k) field(port, k) = derived_value(g, own + p * n_fields<Port> + k, i);
    return port;
  }

  static void find_open(const GroupView& g, const Ports& shape, std::size_t i, std::vector<Open>& open) {
    open.clear();
    for (std::size_t p = 0; p < shape.n; ++p) {
      const double x = column(g, shape, 0, p)[i], rise = rises ? column(g, shape, 1, p)[i] : 0.0;
      if (x == 0.0 && rise == 0.0) continue;
      open.push_back({port_of(g, p, i), x, rise, p, {}});
      open.back().flow = open.back().port.whole;
    }
  }

  /// Tries a substep from time t on; moves the neuron and its ports when it is good, and returns the time then.
  static double attempt(typename M::State& s, const Derived& whole, double current, double t, std::vector<Open>& open, double& spikes) {
    const double dt = whole.dt, rest = dt - t, wish = s.h > 0.0 ? s.h : dt;
    const bool last = wish >= rest;
    const double h = last ? rest : wish > 0.5 * rest ? 0.5 * rest : wish;
    double a[n_stages + 1] = {}, b[n_stages + 1] = {};
    for (Open& o : open) {
      o.flow = h == dt ? o.port.whole : flow_of(o.port.rate, o.port.rise, h);
      a[0] += o.g * o.port.reversal, b[0] += o.g;
      for (std::size_t j = 0; j < n_stages; ++j) {
        const double g = o.g * o.flow.a[j] + o.dg * o.flow.b[j];
        a[j + 1] += g * o.port.reversal, b[j + 1] += g;
      }
    }
    Derived d = whole;
    d.dt = h;
    typename Own::Start start = Own::start(s, d);
    const auto trial = whole::try_step<M>(s, d, current, a, b, start);
    auto next = s;
    Own::set_own(next, trial.y);
    double fired = 0.0;
    if constexpr (requires { M::accepted(next, whole); }) fired = M::accepted(next, whole);
    const bool stuck = h <= 1e-14 * dt, close = Own::near(start) && (fired == 0.0 || h <= near_spike * dt);
    const bool good = (trial.error <= 1.0 && close) || stuck;
    double proposed = h * rkf45::between(0.9 * rkf45::rough_root(trial.error), 0.2, 5.0);
    if (!close) proposed = std::min(proposed, fired > 0.0 ? near_spike * dt : 0.25 * h);
    if (good) s = next;
    const double wanted = good && fired > 0.0 ? dt : good && proposed < wish && h < wish ? wish : proposed;
    s.h = rkf45::between(wanted, 1e-14 * dt, dt);
    if (!good) return t;
    spikes += fired;
    for (Open& o : open) {
      o.g = o.g * o.flow.a[at_end] + o.dg * o.flow.b[at_end];
      o.dg *= o.flow.c;
    }
    return last ? dt : t + h;
  }

  static void step(const GroupView& g, const Ports& shape, std::size_t i, const Derived& d, std::vector<Open>& open) {
    auto s = own_state<M>(g, shape, i);
    const auto in = many::input_of<M>(g, i);
    find_open(g, shape, i, open);
    if constexpr (requires { M::begin(s); }) M::begin(s);
    double spikes = 0.0, t = 0.0;
    for (int attempts = 0; attempts < max_attempts && t < d.dt; ++attempts) t = attempt(s, d, in.current, t, open, spikes);
    if (t < d.dt) field(s, 0) = math::detail::nan;
    spikes += M::finish(s, d, in);
    store<M>(g, shape, i, s);
    for (const Open& o : open) {
      column(g, shape, 0, o.number)[i] = flushed(o.g);
      if (rises) column(g, shape, 1, o.number)[i] = flushed(o.dg);
    }
    many::emit(g, i, spikes);
  }

  /// Adds the spikes that arrive at the end of the step.
  static void arrive(const GroupView& g, const Ports& shape, std::size_t p) {
    Fixed* sums = g.input[p];
    if (InputRows<1>::all_zero(sums, g.n)) return;
    double* y = column(g, shape, rises ? 1 : 0, p);
    for (std::size_t i = 0; i < g.n; ++i) {
      const double jump = derived_value(g, own + p * n_fields<Port> + 3, i);
      y[i] = flushed(y[i] + fixed_to_double(sums[i]) * g.input_scale[p] * jump), sums[i] = 0;
    }
  }

  static void update(const GroupView& g) {
    const Ports& shape = static_cast<const Ports&>(*g.shape);
    std::vector<Open> open;
    open.reserve(shape.n);
    Derived d{};
    if (g.derived) d = many::derived_of<M>(g, 0);
    for (std::size_t i = 0; i < g.n; ++i) {
      if (!g.derived) d = many::derived_of<M>(g, i);
      step(g, shape, i, d, open);
    }
    for (std::size_t p = 0; p < shape.n; ++p) arrive(g, shape, p);
  }
};

template <class M>
ModelInfo conductances(const std::string& text) {
  return with_shape<M>(text, Conductances<StepsOf<M>>::update, Conductances<M>::n_derived, Conductances<M>::derive);
}

}  // namespace npl::nodes::many

/// Registers a model with conductances per port; see NPL_NEURON_RKF45.
#define NPL_NEURON_RKF45_PORTS(id, Type) \
  NPL_MODEL(id, Type, with(describe<Type>(update_rkf45<StepsOf<Type>>), &ModelInfo::shaped, many::conductances<Type>))
