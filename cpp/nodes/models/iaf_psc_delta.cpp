// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron whose potential jumps at each spike; exact integration after Rotter & Diesmann (1999).
#include <array>

#include "base/error.hpp"
#include "nodes/propagators.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

struct IafPscDelta {
  static constexpr const char* name = "iaf_psc_delta";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron whose potential jumps by the weight at each incoming spike.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, V_min, I_e, refractory_input;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"V_min", "mV", lowest, "Lowest potential"},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"refractory_input", "0 or 1", 0.0, "Keep spikes that arrive during refractoriness, decaying, until its end"},
  };

  struct State {
    double V_m, waiting, free_at;
  };
  static constexpr std::size_t advanced = 2;
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"_waiting", "mV", 0.0, "Input kept until the end of refractoriness"},
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
  };

  struct Derived {
    double V_inf, V_th, V_reset, V_min, refractory_steps, keeps;
    double Q_m, P_mm, R;
  };

  static void check(const Params& p) {
    if (p.V_reset >= p.V_th) throw BadParameter("V_reset", p.V_reset, "below V_th");
    if (p.refractory_input != 0.0 && p.refractory_input != 1.0) throw BadParameter("refractory_input", p.refractory_input, "0 or 1");
  }

  static Derived derive(const Params& p, double h) {
    const double Q = -math::expm1(-h / p.tau_m), R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R, p.V_th, p.V_reset, p.V_min, whole_steps(p.t_ref, h), p.refractory_input, Q, math::exp(-h / p.tau_m), R};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const bool free = static_cast<double>(in.step) >= s.free_at;
    const double arrived = s.waiting * d.P_mm + in.spikes[0];
    const double V = s.V_m + ((d.V_inf + in.current * d.R - s.V_m) * d.Q_m + arrived);
    s.V_m = free ? (V < d.V_min ? d.V_min : V) : s.V_m;
    s.waiting = free ? 0.0 : d.keeps * arrived;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.refractory_steps;
    return 1.0;
  }
};

}  // namespace npl::nodes

NPL_NEURON(iaf_psc_delta, IafPscDelta)
