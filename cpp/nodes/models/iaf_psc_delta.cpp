// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron whose potential jumps at each spike; exact integration after Rotter & Diesmann (1999).
#include <algorithm>
#include <array>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscDelta {
  static constexpr const char* name = "iaf_psc_delta";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron whose potential jumps by the weight at each incoming spike.";
  static constexpr Face face{.restarts = "ignore_and_spike_offset=_left"};  // of the shape "clock"
  static constexpr int receptors = 1;
  static constexpr bool uniform_loop = true;
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
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
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

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    if (p.refractory_input != 0.0 && p.refractory_input != 1.0) return {"refractory_input", p.refractory_input, "0 or 1"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double Q = approach(h, p.tau_m), R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R, p.V_th, p.V_reset, p.V_min, whole_steps(p.t_ref, h), p.refractory_input, Q, decay(h, p.tau_m), R};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    const bool free = static_cast<double>(in.step) >= s.free_at;
    const double arrived = s.waiting * d.P_mm + in.spikes[0];
    const double V = s.V_m + ((d.V_inf + in.current * d.R - s.V_m) * d.Q_m + arrived);
    s.V_m = free ? (V < d.V_min ? d.V_min : V) : s.V_m;
    s.waiting = free ? 0.0 : d.keeps * arrived;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m >= d.V_th; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m = d.V_reset;
    s.free_at = static_cast<double>(in.step + 1) + d.refractory_steps;
    return 1.0;
  }
};

/// The shape "clock": where ignore_and_spike is 1, spikes come by a clock, and none for V_th. The clock waits where it is 0.
struct IafPscDeltaClock {
  static constexpr const char* name = IafPscDelta::name;
  static constexpr const char* doc = IafPscDelta::doc;
  static constexpr int receptors = IafPscDelta::receptors;
  static constexpr SpikeInput input = IafPscDelta::input;

  struct Params {
    IafPscDelta::Params neuron;
    double ignore_and_spike, interval, offset;
  };
  static constexpr auto parameters = joined(
      IafPscDelta::parameters, std::array{
                                   Field{"ignore_and_spike", "0 or 1", 0.0, "Spikes by a clock, not by the threshold"},
                                   Field{"ignore_and_spike_interval", "ms", 100.0, "Time between spikes of the clock", Bound::positive},
                                   Field{"ignore_and_spike_offset", "ms", 1.0, "Time of its first spike", Bound::positive},
                               });

  struct State {
    IafPscDelta::State neuron;
    double left;
  };
  static constexpr auto state =
      joined(IafPscDelta::state, std::array{Field{"_left", "steps", 0.0, "Steps to the next spike of the clock; 0: begins anew"}});

  struct Derived {
    IafPscDelta::Derived neuron;
    double clocked, first, period;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = IafPscDelta::check(p.neuron)) return wrong;
    if (p.ignore_and_spike != 0.0 && p.ignore_and_spike != 1.0) return {"ignore_and_spike", p.ignore_and_spike, "0 or 1"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {IafPscDelta::derive(p.neuron, h), p.ignore_and_spike, std::max(1.0, whole_steps(p.offset, h)),
            std::max(1.0, whole_steps(p.interval, h))};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    IafPscDelta::advance(s.neuron, d.neuron, in);
    s.left = (s.left > 0.0 ? s.left : d.first) - d.clocked;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) {
    return ((d.clocked == 0.0) & IafPscDelta::crossed(s.neuron, d.neuron)) | (s.left <= 0.0);
  }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    s.left = s.left > 0.0 ? s.left : d.period;
    return IafPscDelta::fire(s.neuron, d.neuron, in);
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

namespace npl::nodes {

/// With the only shape that it has. @tparam M IafPscDelta @tparam Clocked IafPscDeltaClock
template <class M, class Clocked>
ModelFacts describe_with_clock() {
  static constexpr std::array shapes{NamedShape{"clock", [] { return describe<Clocked>(update_steps<Clocked>, true); }}};
  ModelFacts facts = describe<M>(update_steps<M>, true);
  facts.shapes = shapes;
  return facts;
}

}  // namespace npl::nodes

NPL_MODEL(iaf_psc_delta, IafPscDelta, (describe_with_clock<IafPscDelta, IafPscDeltaClock>()))
