// SPDX-License-Identifier: Apache-2.0
/// Fast-spiking interneuron of Mancilla et al. (2007, J Neurosci 27:2058), after Erisir et al. (1999), with alpha-shaped currents.
#include "model/gap.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct FastSpiking {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, g_Na, g_Kv1, g_Kv3, E_Na, E_K, t_ref, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Leak reversal potential"},
      Field{"C_m", "pF", 40.0, "Membrane capacitance", Bound::positive},
      Field{"g_L", "nS", 10.0, "Leak conductance", Bound::non_negative},
      Field{"g_Na", "nS", 4500.0, "Peak conductance of sodium", Bound::non_negative},
      Field{"g_Kv1", "nS", 9.0, "Peak conductance of potassium, Kv1", Bound::non_negative},
      Field{"g_Kv3", "nS", 9000.0, "Peak conductance of potassium, Kv3", Bound::non_negative},
      Field{"E_Na", "mV", 74.0, "Sodium reversal potential"},
      Field{"E_K", "mV", -90.0, "Potassium reversal potential"},
      Field{"t_ref", "ms", 2.0, "Time after a spike in which no other is detected", Bound::non_negative},
      Field{"tau_syn_ex", "ms", 0.2, "Rise time of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Rise time of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, Act_m, Inact_h, Act_n, Inact_p, I_syn_ex, I_syn_in, dI_ex, dI_in, V_before, refractory, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -69.60401191631222, "Membrane potential"},
      Field{"Act_m", "", 0.019198766985083732, "Activation of sodium", Bound::non_negative},
      Field{"Inact_h", "", 0.868462041294399, "Inactivation of sodium", Bound::non_negative},
      Field{"Act_n", "", 0.0005741576228359767, "Activation of potassium, Kv1", Bound::non_negative},
      Field{"Inact_p", "", 0.0002511318227150632, "Activation of potassium, Kv3", Bound::non_negative},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
      Field{"_dI_ex", "pA/ms", 0.0, "Rise of the excitatory current"},
      Field{"_dI_in", "pA/ms", 0.0, "Rise of the inhibitory current"},
      Field{"_V_before", "mV", 0.0, "Potential at the beginning of the step"},
      Field{"_refractory", "steps", 0.0, "Steps in which no spike is detected"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  struct Derived {
    double dt, E_L, g_L, g_Na, g_Kv1, g_Kv3, E_Na, E_K, I_e, per_C, rate_ex, rate_in, jump_ex, jump_in, refractory_steps;
  };
  static Derived derive(const Params& p, double h) {
    constexpr double e = 2.718281828459045235;
    return {h,
            p.E_L,
            p.g_L,
            p.g_Na,
            p.g_Kv1,
            p.g_Kv3,
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

  static constexpr std::size_t n_ode = 9;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-6; }

  /// x / (exp(x) - 1).
  NPL_INLINE static double linear_rate(double x) {
    const bool near = math::detail::abs(x) < 1e-3;
    return math::choose(near, 1.0 - x * (0.5 - x * (1.0 / 12)), x / (math::exp(x) - 1.0));
  }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double V = y[0], m = y[1], h = y[2], n = y[3], p = y[4], I_ex = y[5], I_in = y[6], dI_ex = y[7], dI_in = y[8];
    const double alpha_m = 540.0 * linear_rate((75.5 - V) * (1.0 / 13.5)), beta_m = 1.2262 * math::exp(V * (-1.0 / 42.248));
    const double alpha_h = 0.0035 * math::exp(V * (-1.0 / 24.186)), beta_h = 0.0884 * linear_rate((51.25 + V) * (-1.0 / 5.2));
    const double alpha_p = 11.8 * linear_rate((95.0 - V) * (1.0 / 11.8)), beta_p = 0.025 * math::exp(V * (-1.0 / 22.222));
    const double alpha_n = 0.0322 * linear_rate((44.0 + V) * (-1.0 / 2.3)), beta_n = 0.0043 * math::exp((44.0 + V) * (-1.0 / 34.0));
    const double I = (d.I_e + current) + I_ex + I_in - d.g_L * (V - d.E_L) - d.g_Na * (m * m * m) * h * (V - d.E_Na) -
                     (d.g_Kv1 * ((n * n) * (n * n)) + d.g_Kv3 * (p * p)) * (V - d.E_K);
    return {I * d.per_C,
            alpha_m * (1.0 - m) - beta_m * m,
            alpha_h * (1.0 - h) - beta_h * h,
            alpha_n * (1.0 - n) - beta_n * n,
            alpha_p * (1.0 - p) - beta_p * p,
            dI_ex - I_ex * d.rate_ex,
            dI_in - I_in * d.rate_in,
            -dI_ex * d.rate_ex,
            -dI_in * d.rate_in};
  }

  /// A spike is a maximum of V above 0 mV: the first step in which V falls.
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool fired = (s.refractory <= 0.0) & (s.V_m >= 0.0) & (s.V_before > s.V_m);
    s.refractory = fired ? d.refractory_steps : (s.refractory > 0.0 ? s.refractory - 1.0 : 0.0);
    s.dI_ex += in.spikes[0] * d.jump_ex;
    s.dI_in += in.spikes[1] * d.jump_in;
    return fired ? 1.0 : 0.0;
  }
};

struct HhPscAlphaGap : Gap<FastSpiking> {
  static constexpr const char* name = "hh_psc_alpha_gap";
  static constexpr const char* doc =
      "Fast-spiking interneuron with gap junctions and alpha-shaped synaptic currents; a weight is their peak.";
};

}  // namespace npl::model

#include "nodes/gap_step.hpp"

NPL_GAP_NEURON(hh_psc_alpha_gap, HhPscAlphaGap)
