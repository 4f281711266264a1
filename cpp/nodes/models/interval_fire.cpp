// SPDX-License-Identifier: Apache-2.0
/// Artificial spiking cell of Hines, Kumar & Schuermann (2011): fires at random intervals that input shortens or lengthens.
#include <array>
#include <cmath>

#include "model/propagators.hpp"
#include "model/step.hpp"
#include "rng/philox.hpp"

namespace npl::model {

struct IntervalFire {
  static constexpr const char* name = "interval_fire";
  static constexpr const char* doc =
      "Fires at intervals drawn uniformly; its variable m moves from 0 to 1 in one interval and input moves m.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double tau, interval_min, interval_max;
  };
  static constexpr std::array parameters{
      Field{"tau", "ms", 5.0, "Time constant of m", Bound::positive},
      Field{"interval_min", "ms", 20.0, "Shortest interval without input", Bound::positive},
      Field{"interval_max", "ms", 40.0, "Longest interval without input", Bound::positive},
  };

  struct State {
    double m, m_inf, drawn;
  };
  static constexpr std::array state{
      Field{"m", "", 0.0, "Fires at 1, then starts at 0"},
      Field{"_m_inf", "", 0.0, "Steady state of m in this interval; 0 before the first update"},
      Field{"_drawn", "", 0.0, "Intervals drawn so far"},
  };

  struct Derived {
    double P, Q, rate, shortest, span;
  };

  static Forbidden check(const Params& p) {
    if (p.interval_max < p.interval_min) return {"interval_max", p.interval_max, "at least interval_min"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    return {decay(h, p.tau), approach(h, p.tau), h / p.tau, p.interval_min / h, (p.interval_max - p.interval_min) / h};
  }

  /// Steady state with which m moves from 0 to 1 in the next interval: a whole number of steps, reached half a step early so that
  /// rounding cannot move the spike.
  NPL_STEP static double draw_m_inf(const State& s, const Derived& d, std::uint64_t seed, Gid gid) {
    constexpr std::uint64_t id = 0x696e7466697265u;  // "intfire": no other use of Purpose::model has it
    const auto words =
        rng::draw(rng::Key::of(seed, rng::Purpose::model, id), static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(s.drawn));
    const double steps = std::max(1.0, std::round(d.shortest + d.span * rng::uniform52(words[0], words[1])));
    return -1.0 / math::expm1(-(steps - 0.5) * d.rate);
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) { s.m += (s.m_inf - s.m) * d.Q + in.spikes[0]; }
  NPL_INLINE static bool crossed(const State& s, const Derived&) { return (s.m >= 1.0) | (s.m_inf == 0.0); }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    const bool begins = s.m_inf == 0.0;
    if (begins) {  // this step was done without a steady state: catch up
      s.m_inf = draw_m_inf(s, d, in.seed, in.gid);
      s.drawn += 1.0;
      s.m += s.m_inf * d.Q;
    }
    if (s.m < 1.0) return 0.0;
    s.m = 0.0;
    s.m_inf = draw_m_inf(s, d, in.seed, in.gid);
    s.drawn += 1.0;
    return 1.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(interval_fire, IntervalFire)
