// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neurons with one synaptic current and time constant per receptor; exact (Rotter & Diesmann 1999).
#pragma once
#include "model/ports.hpp"
#include "model/propagators.hpp"

namespace npl::model {

/// @tparam Shape_ of the currents: what ports.hpp says, and derive(Params, tau_m, C_m, h)
template <class Shape_>
struct IafMultisynapse {
  using Shape = Shape_;
  static constexpr bool uniform_loop = true;
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, I_e, n_synapses;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"V_min", "mV", lowest, "Lowest potential"},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"n_synapses", "", 1.0, "Receptors in use"}.with(Mark::whole),
  };
  static constexpr std::size_t port_parameters_at = parameters.size();

  struct State {
    double V_m, I_syn, free_at;
  };
  static constexpr std::size_t ports_at = 2, advanced = ports_at, free_at = 2;
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn", "pA", 0.0, "Sum of the synaptic currents"}.with(Mark::recorded_only),
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
  };

  struct Derived {
    double V_inf, V_th, V_reset, V_min, refractory_steps, Q_m, R;
  };
  static constexpr TotalAt total_at = TotalAt::end;

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R, p.V_th, p.V_reset, p.V_min, whole_steps(p.t_ref, h), approach(h, p.tau_m), R};
  }
  static auto derive_port(const Params& p, const typename Shape::Params& port, double h) { return Shape::derive(port, p.tau_m, p.C_m, h); }

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

/// A current with one time constant.
struct OneTau {
  struct Params {
    double tau;
  };
  static constexpr std::array parameters{Field{"tau_syn", "ms", 2.0, "Time constant of the current of this receptor", Bound::positive}};
  static constexpr std::size_t parts = 1;
};

struct ExpShape : OneTau {
  struct One {
    double I;
  };
  static constexpr std::array state{Field{"I_syn", "pA", 0.0, "Current of this receptor"}.with(Mark::recorded_only)};
  struct Factors {
    double P_V, P;
  };
  static std::array<Factors, parts> derive(const Params& p, double tau_m, double C, double h) {
    return {Factors{exp_propagator(p.tau, tau_m, C, h), decay(h, p.tau)}};
  }
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return y.I * f.P_V; }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) { return {y.I * f.P + spikes}; }
};

struct AlphaShape : OneTau {
  struct One {
    double I, rise;
  };
  static constexpr std::array state{Field{"I_syn", "pA", 0.0, "Current of this receptor"}.with(Mark::recorded_only),
                                    Field{"_dI_syn", "pA/ms", 0.0, "Rise of the current of this receptor"}};
  struct Factors {
    double P_V, P_V_rise, P, P_rise, jump;
  };
  static Factors factors(double tau, double tau_m, double C, double h) {
    constexpr double e = 2.718281828459045235;
    const double P = decay(h, tau);
    return {exp_propagator(tau, tau_m, C, h), alpha_propagator(tau, tau_m, C, h), P, h * P, e / tau};
  }
  static std::array<Factors, parts> derive(const Params& p, double tau_m, double C, double h) { return {factors(p.tau, tau_m, C, h)}; }
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return y.I * f.P_V + y.rise * f.P_V_rise; }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) {
    return {y.I * f.P + y.rise * f.P_rise, y.rise * f.P + spikes * f.jump};
  }
};

}  // namespace npl::model
