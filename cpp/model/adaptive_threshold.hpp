// SPDX-License-Identifier: Apache-2.0
/// Adaptive threshold of neurons that are not reset (Kobayashi, Tsubo & Shinomoto 2009): it jumps at each spike and decays with two time
/// constants.
#pragma once
#include <array>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// V_th = omega + a short-lived and a long-lived part, at the end of the step.
struct AdaptiveThreshold {
  struct Params {
    double omega, alpha_1, alpha_2, tau_1, tau_2;
  };
  static constexpr auto parameters(double omega, double alpha_1, double alpha_2) {
    return std::array{
        Field{"omega", "mV", omega, "Threshold at rest (absolute)"},
        Field{"alpha_1", "mV", alpha_1, "Jump of the short-lived part of the threshold"},
        Field{"alpha_2", "mV", alpha_2, "Jump of the long-lived part of the threshold"},
        Field{"tau_1", "ms", 10.0, "Time constant of the short-lived part", Bound::positive},
        Field{"tau_2", "ms", 200.0, "Time constant of the long-lived part", Bound::positive},
    };
  }
  struct State {
    double V_th, V_th_alpha_1, V_th_alpha_2, fires_from;
  };
  static constexpr auto state(double omega) {
    return std::array{
        Field{"V_th", "mV", omega, "Threshold"}.with(Mark::read_only),
        Field{"V_th_alpha_1", "mV", 0.0, "Short-lived part of the threshold"}.with(Mark::status_only),
        Field{"V_th_alpha_2", "mV", 0.0, "Long-lived part of the threshold"}.with(Mark::status_only),
        Field{"_fires_from", "steps", 0.0, "First step in which there may be another spike"},
    };
  }
  struct Derived {
    double omega, alpha_1, alpha_2, P_1, P_2, refractory_steps;
  };
  static Derived derive(const Params& p, double t_ref, double h) {
    return {p.omega, p.alpha_1, p.alpha_2, decay(h, p.tau_1), decay(h, p.tau_2), whole_steps(t_ref, h)};
  }

  /// The threshold after parts of it were set.
  static void settle(State& s, const Params& p, double shift) { s.V_th = p.omega + shift + (s.V_th_alpha_1 + s.V_th_alpha_2); }

  /// One step: the parts decay, V is compared with threshold + shift [mV], a spike makes the parts jump. Returns whether there is a spike.
  /// now: the step.
  NPL_INLINE static bool step(State& s, const Derived& d, double V, double shift, double now) {
    s.V_th_alpha_1 *= d.P_1;
    s.V_th_alpha_2 *= d.P_2;
    const bool fired = (now >= s.fires_from) & (V >= d.omega + shift + (s.V_th_alpha_1 + s.V_th_alpha_2));
    s.V_th_alpha_1 += fired ? d.alpha_1 : 0.0;
    s.V_th_alpha_2 += fired ? d.alpha_2 : 0.0;
    s.fires_from = fired ? now + 1.0 + d.refractory_steps : s.fires_from;
    s.V_th = d.omega + shift + (s.V_th_alpha_1 + s.V_th_alpha_2);
    return fired;
  }
};

}  // namespace npl::model
