// SPDX-License-Identifier: Apache-2.0
/// Common part of the precise models with synaptic currents: the membrane and two currents, chosen by the sign of the weight.
#pragma once
#include <array>
#include <limits>

#include "model/precise.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscPs {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;
  static constexpr bool precise = true, uniform_loop = true;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period, rounded up to whole steps", Bound::positive},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"V_min", "mV", lowest, "Lowest potential"},
      Field{"tau_syn_ex", "ms", 2.0, "Time constant of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  /// Propagators of a time: of the membrane (1 - P), of the currents, and from currents and their rises onto V_m.
  struct Propagators {
    double Q_m, P_ex, P_in, ex_onto_V, in_onto_V;
  };
  struct Rises {
    double ex_onto_V, in_onto_V;
  };
  struct Derived {
    double h, V_inf, V_th, V_reset, V_min, refractory_steps, tau_m, R, C_m, tau_ex, tau_in;
    Propagators step;  ///< of a whole step: most steps are without events
    Rises rises;
    double most_onto_V;  ///< bound of ex_onto_V within a step; infinite where exp_propagator may overflow
  };
  template <class Time>
  NPL_INLINE static double Q_m(const Derived& d, Time t) {
    return propagator(t, d.h, d.step.Q_m, [&](double dt) NPL_INLINE_LAMBDA { return -math::expm1(-dt / d.tau_m); });
  }
  template <class Time>
  NPL_INLINE static double P_ex(const Derived& d, Time t) {
    return propagator(t, d.h, d.step.P_ex, [&](double dt) NPL_INLINE_LAMBDA { return math::exp(-dt / d.tau_ex); });
  }
  template <class Time>
  NPL_INLINE static double P_in(const Derived& d, Time t) {
    return propagator(t, d.h, d.step.P_in, [&](double dt) NPL_INLINE_LAMBDA { return math::exp(-dt / d.tau_in); });
  }
  /// Effect of a current, or of its rise, on V_m after a time. Propagators are positive; that of a zero within a step is not computed.
  template <class Time, class F>
  NPL_INLINE static double onto_V(double x, const Derived& d, Time t, double of_step, F&& compute) {
    if constexpr (!std::is_same_v<Time, WholeStep>)
      if (x == 0.0) return x;
    return x * propagator(t, d.h, of_step, compute);
  }
  template <class Time>
  NPL_INLINE static double ex_onto_V(double I, const Derived& d, Time t) {
    return onto_V(I, d, t, d.step.ex_onto_V, [&](double dt) { return exp_propagator(d.tau_ex, d.tau_m, d.C_m, dt); });
  }
  template <class Time>
  NPL_INLINE static double in_onto_V(double I, const Derived& d, Time t) {
    return onto_V(I, d, t, d.step.in_onto_V, [&](double dt) { return exp_propagator(d.tau_in, d.tau_m, d.C_m, dt); });
  }
  template <class Time>
  NPL_INLINE static double ex_rise_onto_V(double rise, const Derived& d, Time t) {
    return onto_V(rise, d, t, d.rises.ex_onto_V, [&](double dt) { return alpha_propagator(d.tau_ex, d.tau_m, d.C_m, dt); });
  }
  template <class Time>
  NPL_INLINE static double in_rise_onto_V(double rise, const Derived& d, Time t) {
    return onto_V(rise, d, t, d.rises.in_onto_V, [&](double dt) { return alpha_propagator(d.tau_in, d.tau_m, d.C_m, dt); });
  }

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    if (p.V_reset < p.V_min) return {"V_reset", p.V_reset, "at least V_min"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m;
    return {h,
            p.E_L + p.I_e * R,
            p.V_th,
            p.V_reset,
            p.V_min,
            whole_steps(p.t_ref, h),
            p.tau_m,
            R,
            p.C_m,
            p.tau_syn_ex,
            p.tau_syn_in,
            {approach(h, p.tau_m), decay(h, p.tau_syn_ex), decay(h, p.tau_syn_in), exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
             exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h)},
            {alpha_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h), alpha_propagator(p.tau_syn_in, p.tau_m, p.C_m, h)},
            h < 600.0 * p.tau_m ? h / p.C_m : std::numeric_limits<double>::infinity()};
  }

  /// Change of V_m in dt [ms] without synaptic currents.
  template <class Time>
  NPL_INLINE static double leak(double V, const Derived& d, double current, Time dt) {
    return (d.V_inf + current * d.R - V) * Q_m(d, dt);
  }

  /// Compares V_m with the threshold at the end of the piece only, as published in 2007: an excursion above it in between is missed.
  template <class State, class V>
  NPL_STEP static double crossing_at_end(const State& after, const Derived& d, double dt, V&& V_after) {
    return after.V_m >= d.V_th ? rising_root([&](double t) { return V_after(t) - d.V_th; }, dt) : no_crossing;
  }
};

#define NPL_PRECISE_STATE                                                                                      \
  Field{"is_refractory", "0 or 1", 0.0, "Is the potential clamped?"}.with(Mark::read_only, Mark::status_only), \
      Field{"_free_step", "steps", 0.0, "Step in which refractoriness ends"},                                  \
      Field{"_free_offset", "ms", 0.0, "Time left of that step then"}

}  // namespace npl::model
