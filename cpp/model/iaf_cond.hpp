// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neurons with conductances (Meffin, Burkitt & Grayden 2004): one equation, several kinds of receptors.
#pragma once
#include <cstddef>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// @tparam Synapses a part of receptors.hpp
template <class Synapses>
struct IafCond {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_th, V_reset, I_e;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Leak reversal potential"},
          Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 16.6667, "Leak conductance"},
          Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
          Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
          Field{"V_reset", "mV", -60.0, "Potential after a spike"},
          Field{"I_e", "pA", 0.0, "Constant current"},
      },
      Synapses::parameters(0.0, -85.0, 0.2, 2.0));

  struct State {
    double V_m;
    typename Synapses::Vars synapses;
    double t_ref_remaining, free_at, h;
  };
  static constexpr auto state = joined(std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}}, Synapses::state,
                                       std::array{Field{"t_ref_remaining", "ms", 0.0, "Refractoriness left"}.with(Mark::recorded_only),
                                                  Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
                                                  Field{"_h", "ms", 0.0, "Next substep to try"}});

  struct Derived {
    double dt, E_L, g_L, I_e, per_C, V_th, V_reset, refractory_steps;
    typename Synapses::Derived synapses;
    Flows<Synapses::channels.size()> exact;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const auto synapses = Synapses::derive(p.synapses);
    return {h, p.E_L, p.g_L, p.I_e, 1.0 / p.C_m, p.V_th, p.V_reset, whole_steps(p.t_ref, h), synapses, Synapses::flows(synapses, h)};
  }

  static constexpr std::size_t n_synaptic = std::tuple_size_v<typename Synapses::Vars>, n_ode = 1 + n_synaptic;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double V = y[0];
    const auto synapses = part_of<1, n_synaptic>(y);
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) + Synapses::current(synapses, d.synapses, V);
    return slopes_of(I * d.per_C, Synapses::slopes(synapses, d.synapses));
  }

  /// For whole_step.hpp.
  struct Exactly : PotentialOnly<State, Derived, Synapses> {
    using Base = PotentialOnly<State, Derived, Synapses>;
    using Own = typename Base::Own;
    using Start = typename Base::Start;
    NPL_INLINE static Own slopes(const Own& y, double a, double b, const State&, const Derived& d, double current, Start&) {
      return {(((d.I_e + current + a) + d.g_L * d.E_L) - (d.g_L + b) * y[0]) * d.per_C};
    }
  };

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    s.V_m = now >= s.free_at ? s.V_m : d.V_reset;
    const bool fired = s.V_m >= d.V_th;
    s.V_m = fired ? d.V_reset : s.V_m;
    s.free_at = fired ? now + 1.0 + d.refractory_steps : s.free_at;
    const double left = s.free_at - (now + 1.0);
    s.t_ref_remaining = (left > 0.0 ? left : 0.0) * d.dt;
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model
