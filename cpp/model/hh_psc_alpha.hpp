// SPDX-License-Identifier: Apache-2.0
/// Neuron of Hodgkin & Huxley (1952), in the units and with the rates of Gerstner & Kistler (2002), with alpha-shaped currents.
#pragma once
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct HhPscAlpha {
  static constexpr const char* name = "hh_psc_alpha";
  static constexpr const char* doc = "Hodgkin-Huxley neuron with alpha-shaped synaptic currents; a weight is the peak of the current.";
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, g_Na, g_K, E_Na, E_K, t_ref, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -54.402, "Leak reversal potential"},
      Field{"C_m", "pF", 100.0, "Membrane capacitance", Bound::positive},
      Field{"g_L", "nS", 30.0, "Leak conductance", Bound::non_negative},
      Field{"g_Na", "nS", 12000.0, "Peak conductance of sodium", Bound::non_negative},
      Field{"g_K", "nS", 3600.0, "Peak conductance of potassium", Bound::non_negative},
      Field{"E_Na", "mV", 50.0, "Sodium reversal potential"},
      Field{"E_K", "mV", -77.0, "Potassium reversal potential"},
      Field{"t_ref", "ms", 2.0, "Time after a spike in which no other is detected", Bound::non_negative},
      Field{"tau_syn_ex", "ms", 0.2, "Rise time of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Rise time of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, Act_m, Inact_h, Act_n, I_syn_ex, I_syn_in, dI_ex, dI_in, V_before, refractory, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -65.0, "Membrane potential"},
      Field{"Act_m", "", 0.05293248525724958, "Activation of sodium", Bound::non_negative},
      Field{"Inact_h", "", 0.5961207535084603, "Inactivation of sodium", Bound::non_negative},
      Field{"Act_n", "", 0.3176769140606974, "Activation of potassium", Bound::non_negative},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
      Field{"_dI_ex", "pA/ms", 0.0, "Rise of the excitatory current"},
      Field{"_dI_in", "pA/ms", 0.0, "Rise of the inhibitory current"},
      Field{"_V_before", "mV", 0.0, "Potential at the beginning of the step"},
      Field{"_refractory", "steps", 0.0, "Steps in which no spike is detected"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  struct Derived {
    double dt, E_L, g_L, g_Na, g_K, E_Na, E_K, I_e, per_C, rate_ex, rate_in, jump_ex, jump_in, refractory_steps;
  };

  static Derived derive(const Params& p, double h) {
    constexpr double e = 2.718281828459045235;
    return {h,
            p.E_L,
            p.g_L,
            p.g_Na,
            p.g_K,
            p.E_Na,
            p.E_K,
            p.I_e,
            1.0 / p.C_m,
            1.0 / p.tau_syn_ex,
            1.0 / p.tau_syn_in,
            e / p.tau_syn_ex,
            e / p.tau_syn_in,
            whole_steps(p.t_ref, h)};
  }

  static constexpr std::size_t n_ode = 8;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  /// x / (1 - exp(-x)), given exp(-x): the rate of a gate whose potential is x away from its half-way point.
  NPL_INLINE static double linear_rate(double x, double exp_minus_x) {
    const bool near = math::detail::abs(x) < 1e-3;
    return math::choose(near, 1.0 + x * (0.5 + x * (1.0 / 12)), x / (1.0 - exp_minus_x));
  }

  /// All exponentials of the rates are powers of two: exp(-(V + 65) / 80) and exp(-(V + 65) / 18).
  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const auto [V, m, h, n, I_ex, I_in, dI_ex, dI_in] = y;
    const double e80 = math::exp((V + 65.0) * (-1.0 / 80)), e40 = e80 * e80, e20 = e40 * e40, e10 = e20 * e20;
    const double alpha_n = 0.1 * linear_rate((V + 55.0) * 0.1, e10 * 2.718281828459045235);
    const double alpha_m = linear_rate((V + 40.0) * 0.1, e10 * 12.18249396070347344);  // e^2.5
    const double beta_n = 0.125 * e80, beta_m = 4.0 * math::exp((V + 65.0) * (-1.0 / 18)), alpha_h = 0.07 * e20;
    const double beta_h = 1.0 / (1.0 + e10 * 20.08553692318766774);  // e^3
    const double I = (d.I_e + current) + I_ex + I_in - d.g_L * (V - d.E_L) - d.g_Na * (m * m * m) * h * (V - d.E_Na) -
                     d.g_K * ((n * n) * (n * n)) * (V - d.E_K);
    return {I * d.per_C,
            alpha_m * (1.0 - m) - beta_m * m,
            alpha_h * (1.0 - h) - beta_h * h,
            alpha_n * (1.0 - n) - beta_n * n,
            dI_ex - I_ex * d.rate_ex,
            dI_in - I_in * d.rate_in,
            -dI_ex * d.rate_ex,
            -dI_in * d.rate_in};
  }

  NPL_INLINE static void begin(State& s) { s.V_before = s.V_m; }

  /// A spike is a maximum of V above 0 mV: the first step in which V falls.
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool fired = (s.refractory <= 0.0) & (s.V_m >= 0.0) & (s.V_before > s.V_m);
    s.refractory = fired ? d.refractory_steps : (s.refractory > 0.0 ? s.refractory - 1.0 : 0.0);
    s.dI_ex += in.spikes[0] * d.jump_ex;
    s.dI_in += in.spikes[1] * d.jump_in;
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model
