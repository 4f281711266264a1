// SPDX-License-Identifier: Apache-2.0
/// iaf_psc_exp with an absolute and a total refractory period (Tsodyks, Uziel & Markram 2000).
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscExpHtum {
  static constexpr const char* name = "iaf_psc_exp_htum";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with exponential currents; after t_ref_abs it integrates, until t_ref_tot it does not spike.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref_abs, t_ref_tot, V_th, V_reset, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref_abs", "ms", 2.0, "Time after a spike in which the potential is held", Bound::positive},
      Field{"t_ref_tot", "ms", 2.0, "Time after a spike in which there is no other", Bound::positive},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"tau_syn_ex", "ms", 2.0, "Time constant of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, I_syn_ex, I_syn_in, free_at, fires_from;
  };
  static constexpr std::size_t advanced = 3;
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
      Field{"_fires_from", "steps", 0.0, "First step in which there may be another spike"},
  };

  struct Derived {
    double V_inf, V_th, V_reset, absolute_steps, total_steps;
    double Q_m, R, P_mex, P_min, P_ex, P_in;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    if (p.t_ref_tot < p.t_ref_abs) return {"t_ref_tot", p.t_ref_tot, "at least t_ref_abs"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double Q = approach(h, p.tau_m), R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            p.V_th,
            p.V_reset,
            whole_steps(p.t_ref_abs, h),
            whole_steps(p.t_ref_tot, h),
            Q,
            R,
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in)};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const double change = (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + (s.I_syn_ex * d.P_mex + s.I_syn_in * d.P_min);
    s.V_m += static_cast<double>(in.step) >= s.free_at ? change : 0.0;
    s.I_syn_ex = s.I_syn_ex * d.P_ex + in.spikes[0];
    s.I_syn_in = s.I_syn_in * d.P_in + in.spikes[1];
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    if (static_cast<double>(in.step) < s.fires_from) return 0.0;
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.absolute_steps;
    s.fires_from = static_cast<double>(in.step + 1) + d.total_steps;
    return 1.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(iaf_psc_exp_htum, IafPscExpHtum)
