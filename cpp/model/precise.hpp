// SPDX-License-Identifier: Apache-2.0
/// Integrate-and-fire neurons with spikes between grid points: exact integration from event to event (Morrison et al. 2007, Neural Comput
/// 19:47; Hanuschkin et al. 2010, Front Neuroinform 4:113). Inside a step time runs down: `at` is the time that is left of it [ms].
///
/// A model has State with V_m, is_refractory, free_step, free_offset (of the end of refractoriness) and Derived with h, V_th, V_reset,
/// refractory_steps, and
///   `propagate(State&, const Derived&, double current, dt, bool clamped)`: dt [ms] without events; V_m stays when clamped. `dt` is a
///   number or a WholeStep, of which Derived knows the propagators: the same bits;
///   `crossing(const State& before, const State& after, const Derived&, double current, double dt)`: when V_m first reaches V_th, < 0: not;
///   `receive(State&, const Derived&, const double* weights, double until_free)`: weights per receptor; until_free < 0: not refractory;
///   `released(State&)`, where something waits for the end of refractoriness.
/// What the vector loop asks besides: precise_step.hpp.
#pragma once
#include <cmath>
#include <type_traits>

#include "model/step.hpp"

namespace npl::model {

inline constexpr double no_crossing = -1.0;

/// A time [ms] that is known to be that of a step.
struct WholeStep {
  double h;
  NPL_INLINE operator double() const { return h; }
};

/// Propagator of a time: that of the step, or compute(time). The bits are the same whether or not the type tells that it is a step.
template <class Time, class F>
NPL_INLINE double propagator(Time t, double h, double of_step, F&& compute) {
  if constexpr (std::is_same_v<Time, WholeStep>)
    return of_step;
  else
    return t == h ? of_step : compute(t);
}

/// std::max in bit operations: a NaN as first argument stays.
NPL_INLINE double at_least(double x, double low) { return math::choose(x < low, low, x); }

/// The root of a function that is negative at 0 and not at `end`: regula falsi with the Illinois modification, to double precision.
template <class F>
NPL_STEP double rising_root(F&& f, double end) {
  double a = 0.0, b = end, fa = f(a), fb = f(b);
  int side = 0;
  for (int k = 0; k < 80; ++k) {
    double c = (a * fb - b * fa) / (fb - fa);
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    if (c <= a || c >= b) break;
    const double fc = f(c);
    if (fc >= 0.0) {
      b = c, fb = fc;
      if (side == 1) fa *= 0.5;
      side = 1;
    } else {
      a = c, fa = fc;
      if (side == -1) fb *= 0.5;
      side = -1;
    }
    if (fc == 0.0) break;
  }
  return b;
}

}  // namespace npl::model
