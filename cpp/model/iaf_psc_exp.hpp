// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with exponential currents; exact integration after Rotter & Diesmann (1999). With delta > 0 spikes
/// are drawn at random around the threshold (escape noise, Gerstner & Kistler 2002).
#pragma once
#include <array>

#include "model/propagators.hpp"
#include "model/spike_history.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscExp {
  static constexpr const char* name = "iaf_psc_exp";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron with exponentially decaying synaptic currents.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, tau_syn_ex, tau_syn_in, I_e, rho, delta;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"tau_syn_ex", "ms", 2.0, "Time constant of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"rho", "1/s", 0.01, "Rate of spikes at the threshold when delta > 0", Bound::non_negative},
      Field{"delta", "mV", 0.0, "Width of the zone around the threshold in which spikes are random; 0: a sharp threshold",
            Bound::non_negative},
  };

  struct State {
    double V_m, I_syn_ex, I_syn_in, free_at;
  };
  static constexpr std::size_t advanced = 3, free_at = 3;
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
  };

  struct Derived {
    double V_inf, V_look, V_reset, refractory_steps;  ///< V_look: below, there is no spike
    double Q_m, R, P_mex, P_min, P_ex, P_in;
    double V_th, per_delta, expected;  ///< per_delta: 0 for a sharp threshold; expected: spikes of one step at the threshold
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double Q = approach(h, p.tau_m), R = p.tau_m / p.C_m;
    const bool sharp = p.delta < 1e-10;
    const double expected = p.rho * 1e-3 * h, margin = expected > 0.0 ? p.delta * (math::log(0x1p-53) - math::log(expected)) : 1e100;
    return {p.E_L + p.I_e * R,
            p.V_th + (sharp ? 0.0 : margin),
            p.V_reset,
            whole_steps(p.t_ref, h),
            Q,
            R,
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in),
            p.V_th,
            sharp ? 0.0 : 1.0 / p.delta,
            expected};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const double change = (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + (s.I_syn_ex * d.P_mex + s.I_syn_in * d.P_min);
    s.V_m += change;
    s.I_syn_ex = s.I_syn_ex * d.P_ex + in.spikes[0];
    s.I_syn_in = s.I_syn_in * d.P_in + in.spikes[1];
  }
  NPL_STEP static double held(double V) { return V + 0.0; }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_look; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    if (d.per_delta > 0.0 && !escapes(s, d, in)) return 0.0;
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.refractory_steps;
    return 1.0;
  }

 private:
  NPL_STEP static bool escapes(const State& s, const Derived& d, const Input<receptors>& in) {
    constexpr std::uint64_t id = 0x657363617065u;  // "escape": no other use of Purpose::model has it
    if (static_cast<double>(in.step) < s.free_at) return false;
    return uniform_of_step(in.seed, id, in.gid, in.step) < d.expected * math::exp((s.V_m - d.V_th) * d.per_delta);
  }
};

}  // namespace npl::model
