// SPDX-License-Identifier: Apache-2.0
/// Binary neurons (Ginzburg & Sompolinsky 1994): at random times each updates its state, 0 or 1, from its input. A change to 1 is sent as
/// two spikes in one step, a change to 0 as one; state_change_synapse adds its weight to, or takes it from, the input of the target.
#pragma once
#include <array>

#include "base/math.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"
#include "rng/philox.hpp"

namespace npl::model {

/// @tparam Gain Params, parameters, and `probability(input, Params)` of state 1
template <class Gain>
struct Binary {
  static constexpr Face face{.binary = true};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double tau_m;
    typename Gain::Params gain;
  };
  static constexpr auto parameters =
      joined(std::array{Field{"tau_m", "ms", 10.0, "Mean time between two looks at the input", Bound::positive}}, Gain::parameters);

  struct State {
    double h, left, S, looks;
  };
  static constexpr std::size_t advanced = 2;
  static constexpr std::array state{
      Field{"h", "mV", 0.0, "Sum of the weights of the sources that are in state 1"}.with(Mark::read_only),
      Field{"_left", "steps", 0.0, "Time from the beginning of this step to the next look"},
      Field{"S", "0 or 1", 0.0, "State"}.with(Mark::read_only),
      Field{"_looks", "", 0.0, "Looks drawn so far"},
  };

  struct Derived {
    double tau_steps;
    typename Gain::Params gain;
  };
  static Derived derive(const Params& p, double h) { return {p.tau_m / h, p.gain}; }

  NPL_INLINE static void advance(State& s, const Derived&, const Input<receptors>& in) {
    s.h += in.spikes[0];
    s.left -= 1.0;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived&) { return s.left < 0.0; }

  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    constexpr std::uint64_t id = 0x62696e617279u;  // "binary": no other use of Purpose::model has it
    const auto words =
        rng::draw(rng::Key::of(in.seed, rng::Purpose::model, id), static_cast<std::uint64_t>(in.gid), static_cast<std::uint64_t>(s.looks));
    const bool first = s.looks == 0.0;
    s.looks += 1.0;
    s.left = (first ? 0.0 : s.left) - d.tau_steps * math::log(rng::uniform52(words[0], words[1]));
    if (first) return 0.0;  // only the time of the first update was drawn
    const double next = rng::uniform52(words[2], words[3]) < Gain::probability(s.h + in.current, d.gain) ? 1.0 : 0.0, before = s.S;
    s.S = next;
    return next == before ? 0.0 : 1.0 + next;
  }
};

}  // namespace npl::model
