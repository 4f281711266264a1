// SPDX-License-Identifier: Apache-2.0
/// Fires periodically and ignores its input: benchmarks of communication without dynamics.
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IgnoreAndFire {
  static constexpr const char* name = "ignore_and_fire";
  static constexpr const char* doc = "Fires regularly at a given rate and phase; input has no effect.";
  static constexpr Face face{.restarts = "rate=_steps_left phase=_steps_left", .sampled = true};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double rate, phase;
  };
  static constexpr std::array parameters{
      Field{"rate", "spikes/s", 10.0, "Firing rate; a change takes effect after the next spike", Bound::positive},
      Field{"phase", "periods", 1.0, "Time of the first spike, in (0, 1] periods; no effect once running", Bound::positive},
  };

  struct State {
    double steps_left;
  };
  static constexpr std::array state{Field{"_steps_left", "steps", 0.0, "Steps until the next spike; 0 before the first update"}};

  struct Derived {
    double first, period;
  };

  static Forbidden check(const Params& p) {
    if (p.phase > 1.0) return {"phase", p.phase, "in (0, 1]"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const double period = 1000.0 / p.rate;
    return {whole_steps(p.phase * period, h), std::max(1.0, whole_steps(period, h))};
  }

  NPL_INLINE static void advance(State& s, const Derived&, const Input<receptors>&) { s.steps_left -= 1.0; }
  NPL_INLINE static bool crossed(const State& s, const Derived&) { return s.steps_left <= 0.0; }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>&) {
    const bool begins = s.steps_left < 0.0;  // the first update: the clock starts one step late, as in NEST
    s.steps_left = begins ? d.first : d.period;
    return begins && d.first > 0.0 ? 0.0 : 1.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(ignore_and_fire, IgnoreAndFire)
