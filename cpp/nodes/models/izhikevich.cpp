// SPDX-License-Identifier: Apache-2.0
/// Spiking neuron of Izhikevich (2003, Simple model of spiking neurons), by forward Euler as it was published.
#include <array>

#include "model/step.hpp"

namespace npl::model {

struct Izhikevich {
  static constexpr const char* name = "izhikevich";
  static constexpr const char* doc = "Izhikevich's two-variable neuron; a weight is a jump of the potential.";
  static constexpr int receptors = 1;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double a, b, c, d, I_e, V_th, V_min, consistent_integration;
  };
  static constexpr std::array parameters{
      Field{"a", "1/ms", 0.02, "Rate of the recovery variable"},
      Field{"b", "", 0.2, "Sensitivity of the recovery variable to V_m"},
      Field{"c", "mV", -65.0, "Potential after a spike"},
      Field{"d", "mV", 8.0, "Jump of the recovery variable at a spike"},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"V_th", "mV", 30.0, "Spike threshold"},
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
      Field{"consistent_integration", "0 or 1", 1.0,
            "1: forward Euler; 0: two half steps of V_m, then U_m, as in the program of the paper"},
  };

  struct State {
    double V_m, U_m;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -65.0, "Membrane potential"},
      Field{"U_m", "mV", -13.0, "Recovery variable"},
  };

  /// Forward Euler of a quadratic slope: far below these potentials V jumps up by more than it fell.
  static constexpr std::array sane{SaneRange{"V_m", sane_potential}, SaneRange{"U_m", {-1e6, 1e6}}};

  struct Derived {
    double a, b, c, d, I_e, V_th, V_min, consistent, h;
  };

  static Forbidden check(const Params& p) {
    if (p.consistent_integration != 0.0 && p.consistent_integration != 1.0)
      return {"consistent_integration", p.consistent_integration, "0 or 1"};
    return {};
  }

  static Derived derive(const Params& p, double h) { return {p.a, p.b, p.c, p.d, p.I_e, p.V_th, p.V_min, p.consistent_integration, h}; }

  NPL_INLINE static double slope(double V, double U, double I) { return 0.04 * V * V + 5.0 * V + 140.0 - U + I; }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const double I = d.I_e + in.current;
    const double V_euler = s.V_m + d.h * slope(s.V_m, s.U_m, I) + in.spikes[0];
    const double half = s.V_m + d.h * 0.5 * slope(s.V_m, s.U_m, I + in.spikes[0]);  // spikes act as a current here
    const double V_halves = half + d.h * 0.5 * slope(half, s.U_m, I + in.spikes[0]);
    const bool consistent = d.consistent != 0.0;
    const double V = consistent ? V_euler : V_halves;
    s.U_m += d.h * d.a * (d.b * (consistent ? s.V_m : V) - s.U_m);
    s.V_m = V < d.V_min ? d.V_min : V;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>&) {
    s.V_m = d.c;
    s.U_m += d.d;
    return 1.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(izhikevich, Izhikevich)
