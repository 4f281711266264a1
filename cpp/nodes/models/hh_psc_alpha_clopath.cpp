// SPDX-License-Identifier: Apache-2.0
/// Neuron of Hodgkin & Huxley that keeps filtered potentials for clopath_synapse.
#include "model/clopath.hpp"
#include "model/hh_psc_alpha.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct HhPscAlphaClopath {
  static constexpr const char* name = "hh_psc_alpha_clopath";
  static constexpr const char* doc = "Hodgkin-Huxley neuron with alpha-shaped synaptic currents, for voltage-based plasticity.";
  static constexpr int receptors = HhPscAlpha::receptors;
  static constexpr SpikeInput input = HhPscAlpha::input;

  struct Params {
    HhPscAlpha::Params membrane;
    ClopathHistory::Params history;
  };
  static constexpr auto parameters = joined(HhPscAlpha::parameters, ClopathHistory::parameters(114.0));

  static constexpr std::size_t n_membrane = HhPscAlpha::n_ode, n_ode = n_membrane + 3;
  using Vars = std::array<double, n_ode>;
  struct State {
    HhPscAlpha::Vars membrane;
    double u_bar_plus, u_bar_minus, u_bar_bar, V_before, refractory, h;
  };
  static constexpr auto state =
      joined(part_of<0, n_membrane>(HhPscAlpha::state), ClopathHistory::state(0.0), part_of<n_membrane, 3>(HhPscAlpha::state));

  struct Derived {
    double dt;
    HhPscAlpha::Derived membrane;
    ClopathHistory::Derived history;
  };

  static Forbidden check(const Params& p) { return ClopathHistory::check(p.history); }
  static Derived derive(const Params& p, double h) { return {h, HhPscAlpha::derive(p.membrane, h), ClopathHistory::derive(p.history, h)}; }
  NPL_INLINE static double tolerance(const Derived& d) { return HhPscAlpha::tolerance(d.membrane); }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const auto slopes = HhPscAlpha::rhs(part_of<0, n_membrane>(y), {}, d.membrane, current);
    const double V = y[0], plus = y[n_membrane], minus = y[n_membrane + 1], bar = y[n_membrane + 2];
    return [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA {
      return Vars{slopes[I]..., (V - plus) * d.history.rate_plus, (V - minus) * d.history.rate_minus, (minus - bar) * d.history.rate_bar};
    }(std::make_index_sequence<n_membrane>{});
  }

  NPL_INLINE static void begin(State& s) { s.V_before = s.membrane[0]; }
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    auto& y = s.membrane;
    HhPscAlpha::State hh{y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], s.V_before, s.refractory, s.h};
    const double fired = HhPscAlpha::finish(hh, d.membrane, in);
    y[6] = hh.dI_ex, y[7] = hh.dI_in, s.refractory = hh.refractory;
    return fired;
  }

  static constexpr const char* what_history = "potential";
  static constexpr std::array<std::string_view, 2> waits{"u_bar_plus", "u_bar_minus"};
  NPL_INLINE static double wait_steps(const Derived& d) { return d.history.delay_steps; }
  NPL_INLINE static Recorded record(const State& s, const Derived& d, const std::array<double, 2>& waited) {
    return ClopathHistory::recorded(s.membrane[0], waited[0], waited[1], s.u_bar_bar, d.history);
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(hh_psc_alpha_clopath, HhPscAlphaClopath)
