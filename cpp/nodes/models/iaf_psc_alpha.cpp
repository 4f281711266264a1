// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with alpha-shaped currents; exact integration after Rotter & Diesmann (1999).
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscAlpha {
  static constexpr const char* name = "iaf_psc_alpha";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with alpha-shaped synaptic currents; a weight is the peak of the current.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"V_min", "mV", lowest, "Lowest potential"},
      Field{"tau_syn_ex", "ms", 2.0, "Rise time of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Rise time of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, I_syn_ex, I_syn_in, dI_ex, dI_in, free_at;
  };
  static constexpr std::size_t advanced = 5, free_at = 5;
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
      Field{"_dI_ex", "pA/ms", 0.0, "Rise of the excitatory current"},
      Field{"_dI_in", "pA/ms", 0.0, "Rise of the inhibitory current"},
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
  };

  struct Derived {
    double V_inf, V_th, V_reset, V_min, refractory_steps;
    double Q_m, R, P_mI_ex, P_mI_in, P_md_ex, P_md_in;  // effect on V of constant current, of I, of dI
    double P_ex, P_in, h, jump_ex, jump_in;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    constexpr double e = 2.718281828459045235;
    const double Q = approach(h, p.tau_m), R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            p.V_th,
            p.V_reset,
            p.V_min,
            whole_steps(p.t_ref, h),
            Q,
            R,
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            alpha_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            alpha_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in),
            h,
            e / p.tau_syn_ex,
            e / p.tau_syn_in};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const double synaptic = (s.I_syn_ex * d.P_mI_ex + s.dI_ex * d.P_md_ex) + (s.I_syn_in * d.P_mI_in + s.dI_in * d.P_md_in);
    const double V = s.V_m + ((d.V_inf + in.current * d.R - s.V_m) * d.Q_m + synaptic);
    s.V_m = V < d.V_min ? d.V_min : V;
    s.I_syn_ex = (s.I_syn_ex + s.dI_ex * d.h) * d.P_ex;
    s.I_syn_in = (s.I_syn_in + s.dI_in * d.h) * d.P_in;
    s.dI_ex = s.dI_ex * d.P_ex + in.spikes[0] * d.jump_ex;
    s.dI_in = s.dI_in * d.P_in + in.spikes[1] * d.jump_in;
  }
  NPL_STEP static double held(double V) { return V; }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.refractory_steps;
    return 1.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(iaf_psc_alpha, IafPscAlpha)
