// SPDX-License-Identifier: Apache-2.0
/// Adaptive exponential integrate-and-fire neuron whose potential jumps by the weight at each incoming spike.
#include "model/aeif.hpp"
#include "model/step.hpp"

namespace npl::model {

struct AeifPscDelta {
  static constexpr const char* name = "aeif_psc_delta";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron whose potential jumps by the weight at each incoming spike.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    AeifMembrane::Params membrane;
    double refractory_input;
  };
  static constexpr auto parameters = joined(
      AeifMembrane::parameters,
      std::array{Field{"refractory_input", "0 or 1", 0.0, "Keep spikes that arrive during refractoriness, decaying, until its end"}});

  struct State {
    double V_m, w, waiting, refractory, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.6, "Membrane potential"},
      Field{"w", "pA", 0.0, "Adaptation current"},
      Field{"_waiting", "mV", 0.0, "Input kept until the end of refractoriness"},
      Field{"_refractory", "steps", 0.0, "Steps of refractoriness left"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };
  static constexpr auto sane = AeifMembrane::sane;

  struct Derived {
    double dt, keeps, decay;
    AeifMembrane::Derived membrane;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = AeifMembrane::check(p.membrane)) return wrong;
    if (p.refractory_input != 0.0 && p.refractory_input != 1.0) return {"refractory_input", p.refractory_input, "0 or 1"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {h, p.refractory_input, math::exp(-h * p.membrane.g_L / p.membrane.C_m), AeifMembrane::derive(p.membrane, h)};
  }

  static constexpr std::size_t n_ode = 2;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived& d) { return d.membrane.tolerance; }

  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const bool clamped = s.refractory > 0.0;
    const double V = AeifMembrane::seen(y[0], clamped, d.membrane);
    return {clamped ? 0.0 : AeifMembrane::slope(V, y[1], d.membrane, current), AeifMembrane::slope_w(V, y[1], d.membrane)};
  }

  NPL_INLINE static double accepted(State& s, const Derived& d) {
    const bool clamped = s.refractory > 0.0, fired = !clamped & (s.V_m >= d.membrane.V_peak);
    s.V_m = clamped | fired ? d.membrane.V_reset : s.V_m;
    s.w += fired ? d.membrane.b : 0.0;
    s.refractory = fired & (d.membrane.refractory_steps > 0.0) ? d.membrane.refractory_steps + 1.0 : s.refractory;
    return fired ? 1.0 : 0.0;
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool clamped = s.refractory > 0.0;
    const double arrived = s.waiting * d.decay + in.spikes[0];
    s.V_m += clamped ? 0.0 : arrived;
    const bool fired = !clamped & (s.V_m >= d.membrane.V_peak);  // it jumped over the threshold
    s.V_m = fired ? d.membrane.V_reset : s.V_m;
    s.w += fired ? d.membrane.b : 0.0;
    s.waiting = clamped ? d.keeps * arrived : 0.0;
    s.refractory = clamped ? s.refractory - 1.0 : fired ? d.membrane.refractory_steps : 0.0;
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_psc_delta, AeifPscDelta)
