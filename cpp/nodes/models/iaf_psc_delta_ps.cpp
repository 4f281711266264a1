// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron whose potential jumps at each spike, with spikes between grid points (Morrison et al. 2007,
/// Neural Comput 19:47). Between events V is monotonic, so the time of a threshold crossing is a logarithm.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/precise.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscDeltaPs {
  static constexpr const char* name = "iaf_psc_delta_ps";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron whose potential jumps by the weight at each incoming spike; spikes have times between grid points.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;
  static constexpr bool precise = true, uniform_loop = true;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, I_e, refractory_input;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period, rounded up to whole steps", Bound::positive},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"refractory_input", "0 or 1", 0.0, "Keep spikes that arrive during refractoriness, decaying, until its end"},
  };

  struct State {
    double V_m, waiting, is_refractory, free_step, free_offset;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"_waiting", "mV", 0.0, "What kept input will be worth at the end of refractoriness"},
      Field{"is_refractory", "0 or 1", 0.0, "Is the potential clamped?"}.with(Mark::read_only, Mark::status_only),
      Field{"_free_step", "steps", 0.0, "Step in which refractoriness ends"},
      Field{"_free_offset", "ms", 0.0, "Time left of that step then"},
  };

  struct Derived {
    double h, V_inf, V_th, V_reset, V_min, refractory_steps, keeps, tau_m, R, Q_step;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    if (p.V_reset < p.V_min) return {"V_reset", p.V_reset, "at least V_min"};
    if (p.refractory_input != 0.0 && p.refractory_input != 1.0) return {"refractory_input", p.refractory_input, "0 or 1"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {h, p.E_L + p.I_e * R,   p.V_th, p.V_reset, p.V_min, whole_steps(p.t_ref, h), p.refractory_input, p.tau_m,
            R, approach(h, p.tau_m)};
  }

  template <class Time>
  NPL_INLINE static void propagate(State& s, const Derived& d, double current, Time dt, bool clamped) {
    if (clamped) return;
    const double Q = propagator(dt, d.h, d.Q_step, [&](double t) NPL_INLINE_LAMBDA { return -math::expm1(-t / d.tau_m); });
    s.V_m = at_least(s.V_m + (d.V_inf + current * d.R - s.V_m) * Q, d.V_min);
  }
  NPL_STEP static double crossing(const State& before, const State& after, const Derived& d, double current, double dt) {
    if (!(after.V_m >= d.V_th)) return no_crossing;
    const double V_inf = d.V_inf + current * d.R, t = d.tau_m * math::log((V_inf - before.V_m) / (V_inf - d.V_th));
    return std::isfinite(t) ? std::clamp(t, 0.0, dt) : dt;
  }
  NPL_INLINE static void receive(State& s, const Derived& d, const double* weights, double until_free) {
    if (until_free < 0.0)
      s.V_m = at_least(s.V_m + weights[0], d.V_min);
    else if (d.keeps != 0.0)
      s.waiting += weights[0] * math::exp(-until_free / d.tau_m);
  }
  NPL_INLINE static bool keeps_input(const Derived& d) { return d.keeps != 0.0; }
  NPL_STEP static void released(State& s) { s.V_m += s.waiting, s.waiting = 0.0; }
};

}  // namespace npl::model

#include "nodes/precise_step.hpp"

NPL_PRECISE_NEURON(iaf_psc_delta_ps, IafPscDeltaPs)
