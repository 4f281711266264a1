// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neurons with one synaptic current and time constant per receptor; exact (Rotter & Diesmann 1999).
#pragma once
#include "nodes/multisynapse.hpp"
#include "nodes/propagators.hpp"

namespace npl::nodes {

/// @tparam Shape of the currents: Vars, state, Derived, derive(taus, tau_m, C_m, h), total, onto_V, decay
template <class Shape>
struct IafMultisynapse {
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, I_e, n_synapses;
    PerPort tau_syn;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Resting potential"},
          Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
          Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
          Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
          Field{"V_th", "mV", -55.0, "Spike threshold"},
          Field{"V_reset", "mV", -70.0, "Potential after a spike"},
          Field{"V_min", "mV", lowest, "Lowest potential"},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"n_synapses", "", 1.0, "Receptors in use"},
      },
      per_port(NPL_PORT_NAMES("tau_syn"), "ms", 2.0, "Time constant of the current of this receptor", Bound::positive));

  struct State {
    double V_m, I_syn;
    typename Shape::Vars synapses;
    double free_at;
  };
  static constexpr std::size_t advanced = 2 + sizeof(typename Shape::Vars) / sizeof(double), free_at = advanced;
  static constexpr auto state =
      joined(std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}, Field{"I_syn", "pA", 0.0, "Sum of the synaptic currents"}},
             Shape::state, std::array{Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"}});

  struct Derived {
    double V_inf, V_th, V_reset, V_min, refractory_steps, Q_m, R;
    typename Shape::Derived synapses;
  };

  static void check(const Params& p) {
    if (p.V_reset >= p.V_th) throw BadParameter("V_reset", p.V_reset, "below V_th");
    check_ports("n_synapses", p.n_synapses);
  }
  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            p.V_th,
            p.V_reset,
            p.V_min,
            whole_steps(p.t_ref, h),
            -math::expm1(-h / p.tau_m),
            R,
            Shape::derive(p.tau_syn, p.tau_m, p.C_m, h)};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const double change = (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + Shape::onto_V(s.synapses, d.synapses);
    const double V = s.V_m + change;
    s.V_m = V < d.V_min ? d.V_min : V;
    s.synapses = Shape::decayed(s.synapses, d.synapses, in.spikes);
    s.I_syn = Shape::total(s.synapses);
  }
  static double held(double V) { return V; }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.refractory_steps;
    return 1.0;
  }
};

struct ExpShape {
  struct Vars {
    PerPort I;
  };
  static constexpr auto state = per_port(NPL_PORT_NAMES("I_syn"), "pA", 0.0, "Current of this receptor");
  struct Derived {
    PerPort P_V, P;
  };
  static Derived derive(const PerPort& tau, double tau_m, double C, double h) {
    return {each_port([&](std::size_t k) { return exp_propagator(tau[k], tau_m, C, h); }),
            each_port([&](std::size_t k) { return math::exp(-h / tau[k]); })};
  }
  NPL_INLINE static double total(const Vars& y) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k]; });
  }
  NPL_INLINE static double onto_V(const Vars& y, const Derived& d) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k] * d.P_V[k]; });
  }
  NPL_INLINE static Vars decayed(const Vars& y, const Derived& d, const double* spikes) {
    return {each_port([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k] * d.P[k] + spikes[k]; })};
  }
};

struct AlphaShape {
  struct Vars {
    PerPort I, rise;
  };
  static constexpr auto state = joined(per_port(NPL_PORT_NAMES("I_syn"), "pA", 0.0, "Current of this receptor"),
                                       per_port(NPL_PORT_NAMES("_dI_syn"), "pA/ms", 0.0, "Rise of the current of this receptor"));
  struct Derived {
    PerPort P_V, P_V_rise, P, P_rise, jump;
  };
  static Derived derive(const PerPort& tau, double tau_m, double C, double h) {
    constexpr double e = 2.718281828459045235;
    return {each_port([&](std::size_t k) { return exp_propagator(tau[k], tau_m, C, h); }),
            each_port([&](std::size_t k) { return alpha_propagator(tau[k], tau_m, C, h); }),
            each_port([&](std::size_t k) { return math::exp(-h / tau[k]); }),
            each_port([&](std::size_t k) { return h * math::exp(-h / tau[k]); }), each_port([&](std::size_t k) { return e / tau[k]; })};
  }
  NPL_INLINE static double total(const Vars& y) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k]; });
  }
  NPL_INLINE static double onto_V(const Vars& y, const Derived& d) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k] * d.P_V[k] + y.rise[k] * d.P_V_rise[k]; });
  }
  NPL_INLINE static Vars decayed(const Vars& y, const Derived& d, const double* spikes) {
    return {each_port([&](std::size_t k) NPL_INLINE_LAMBDA { return y.I[k] * d.P[k] + y.rise[k] * d.P_rise[k]; }),
            each_port([&](std::size_t k) NPL_INLINE_LAMBDA { return y.rise[k] * d.P[k] + spikes[k] * d.jump[k]; })};
  }
};

}  // namespace npl::nodes
