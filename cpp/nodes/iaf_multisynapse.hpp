// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neurons with one synaptic current and time constant per receptor; exact (Rotter & Diesmann 1999).
#pragma once
#include "nodes/multisynapse.hpp"
#include "nodes/propagators.hpp"

namespace npl::nodes {

/// @tparam Shape_ of the currents: Vars, state, Derived, derive(taus, tau_m, C_m, h), and what port_loop.hpp says
template <class Shape_>
struct IafMultisynapse {
  using Shape = Shape_;
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
          Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
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
  static constexpr std::size_t ports_at = 2, advanced = ports_at, free_at = ports_at + sizeof(typename Shape::Vars) / sizeof(double);
  static constexpr auto state =
      joined(std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}, Field{"I_syn", "pA", 0.0, "Sum of the synaptic currents"}},
             Shape::state, std::array{Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"}});

  struct Derived {
    double V_inf, V_th, V_reset, V_min, refractory_steps, Q_m, R;
    typename Shape::Derived synapses;
  };
  static constexpr std::size_t port_factors_at = 7;
  static constexpr TotalAt total_at = TotalAt::end;

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return check_ports("n_synapses", p.n_synapses);
  }
  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            p.V_th,
            p.V_reset,
            p.V_min,
            whole_steps(p.t_ref, h),
            approach(h, p.tau_m),
            R,
            Shape::derive(p.tau_syn, p.tau_m, p.C_m, h)};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in, const PortSums& sums) {
    const double change = (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + sums.onto_V;
    const double V = s.V_m + change;
    s.V_m = V < d.V_min ? d.V_min : V;
    s.I_syn = sums.total;
  }
  NPL_STEP static double held(double V) { return V; }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
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
            each_port([&](std::size_t k) { return decay(h, tau[k]); })};
  }
  static constexpr std::size_t parts = 1;
  struct One {
    double I;
  };
  struct Factors {
    double P_V, P;
  };
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return y.I * f.P_V; }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) { return {y.I * f.P + spikes}; }
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
            each_port([&](std::size_t k) { return decay(h, tau[k]); }), each_port([&](std::size_t k) { return h * decay(h, tau[k]); }),
            each_port([&](std::size_t k) { return e / tau[k]; })};
  }
  static constexpr std::size_t parts = 1;
  struct One {
    double I, rise;
  };
  struct Factors {
    double P_V, P_V_rise, P, P_rise, jump;
  };
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return y.I * f.P_V + y.rise * f.P_V_rise; }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) {
    return {y.I * f.P + y.rise * f.P_rise, y.rise * f.P + spikes * f.jump};
  }
};

}  // namespace npl::nodes
