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
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "nodes/update.hpp"

namespace npl::nodes {

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

/// One neuron in one step.
template <class M>
class PreciseWalk {
  using State = typename M::State;
  using Derived = typename M::Derived;

 public:
  /// @param spikes, offsets of the group: appended to
  PreciseWalk(State& s, const Derived& d, double current, Spike spike, const GroupView& g)
      : s_(s), d_(d), current_(current), spike_(spike), g_(g), now_(static_cast<double>(spike.step)), at_(d.h) {}

  /// @param sums what arrives at the end of the step, by receptor
  void run(const PreciseEvent* event, const PreciseEvent* end, const double* sums) {
    if (!clamped() && s_.V_m >= d_.V_th) emit(d_.h * (1.0 - 0x1p-53));  // it was set so: the spike comes at once
    while (event != end && event->offset > 0.0) {
      const double offset = event->offset;
      double weights[M::receptors] = {};
      for (; event != end && event->offset == offset; ++event) weights[event->receptor] += event->weight;
      advance_to(offset);
      receive(weights);
    }
    double weights[M::receptors];
    std::copy_n(sums, M::receptors, weights);
    for (; event != end; ++event) weights[event->receptor] += event->weight;
    advance_to(0.0);
    receive(weights);
  }

 private:
  bool clamped() const { return s_.is_refractory != 0.0; }
  /// What will be left of this step when refractoriness ends; negative: it does not end in this step.
  double free_at() const { return s_.free_step < now_ ? at_ : s_.free_step == now_ ? std::min(s_.free_offset, at_) : -1.0; }

  void emit(double offset) {
    at_ = offset;
    g_.spikes->push_back(spike_);
    if (g_.offsets) g_.offsets->push_back(offset);
    s_.V_m = d_.V_reset;
    s_.is_refractory = 1.0;
    s_.free_step = now_ + d_.refractory_steps;
    s_.free_offset = offset;
  }

  void receive(const double* weights) {
    M::receive(s_, d_, weights, clamped() ? (s_.free_step - now_) * d_.h + (at_ - s_.free_offset) : -1.0);
    if (!clamped() && s_.V_m >= d_.V_th) emit(at_);
  }

  void release(double offset) {
    M::propagate(s_, d_, current_, at_ - offset, true);
    at_ = offset;
    s_.is_refractory = 0.0;
    if constexpr (requires { M::released(s_); }) M::released(s_);
    if (s_.V_m >= d_.V_th) emit(at_);
  }

  void advance_to(double offset) {
    for (;;) {
      if (const double free = clamped() ? free_at() : -1.0; free >= offset && free >= 0.0)
        release(free);
      else if (at_ > offset)
        piece(offset);
      else
        return;
    }
  }

  /// Without events, up to `offset` or the next spike.
  void piece(double offset) {
    const State before = s_;
    const double dt = at_ - offset;
    M::propagate(s_, d_, current_, dt, clamped());
    const double t = clamped() ? no_crossing : M::crossing(before, s_, d_, current_, dt);
    if (!(t >= 0.0)) {
      at_ = offset;
      return;
    }
    s_ = before;
    M::propagate(s_, d_, current_, t, false);
    emit(std::max(at_ - t, offset));
  }

  State& s_;
  const Derived& d_;
  const double current_;
  const Spike spike_;
  const GroupView& g_;
  const double now_;
  double at_;
};

}  // namespace npl::nodes
