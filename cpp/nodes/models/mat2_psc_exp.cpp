// SPDX-License-Identifier: Apache-2.0
/// Leaky integrator with exponential currents and an adaptive threshold with two time scales (Kobayashi, Tsubo & Shinomoto 2009); exact.
#include "model/adaptive_threshold.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct Mat2PscExp {
  static constexpr const char* name = "mat2_psc_exp";
  static constexpr const char* doc =
      "Leaky integrator without reset whose threshold jumps at each spike and decays with two time constants.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref, tau_syn_ex, tau_syn_in, I_e;
    AdaptiveThreshold::Params threshold;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Resting potential"},
          Field{"C_m", "pF", 100.0, "Membrane capacitance", Bound::positive},
          Field{"tau_m", "ms", 5.0, "Membrane time constant", Bound::positive},
          Field{"t_ref", "ms", 2.0, "Time after a spike in which there is no other", Bound::positive},
          Field{"tau_syn_ex", "ms", 1.0, "Time constant of excitatory currents", Bound::positive},
          Field{"tau_syn_in", "ms", 3.0, "Time constant of inhibitory currents", Bound::positive},
          Field{"I_e", "pA", 0.0, "Constant current"},
      },
      AdaptiveThreshold::parameters(-51.0, 37.0, 2.0));

  struct State {
    double V_m, I_syn_ex, I_syn_in;
    AdaptiveThreshold::State threshold;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"V_m", "mV", -70.0, "Membrane potential"},
          Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::hidden),
          Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::hidden),
      },
      AdaptiveThreshold::state(-51.0));

  struct Derived {
    double V_inf, Q_m, R, P_mex, P_min, P_ex, P_in;
    AdaptiveThreshold::Derived threshold;
  };

  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            approach(h, p.tau_m),
            R,
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in),
            AdaptiveThreshold::derive(p.threshold, p.t_ref, h)};
  }

  static void settle(const Params& p, State& s) { AdaptiveThreshold::settle(s.threshold, p.threshold, 0.0); }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m += (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + (s.I_syn_ex * d.P_mex + s.I_syn_in * d.P_min);
    s.I_syn_ex = s.I_syn_ex * d.P_ex + in.spikes[0];
    s.I_syn_in = s.I_syn_in * d.P_in + in.spikes[1];
    return AdaptiveThreshold::step(s.threshold, d.threshold, s.V_m, 0.0, static_cast<double>(in.step)) ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(mat2_psc_exp, Mat2PscExp)
