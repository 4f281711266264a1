// SPDX-License-Identifier: Apache-2.0
/// Generalised integrate-and-fire neurons with exponential conductances (Mensi et al. 2012, Pozzorini et al. 2015).
#pragma once
#include <cstddef>

#include "nodes/propagators.hpp"
#include "nodes/receptors.hpp"
#include "nodes/spike_history.hpp"
#include "nodes/step.hpp"

namespace npl::nodes {

/// @tparam Synapses Params, parameters, Vars, state, Derived, derive(Params), current, slopes, arrive, receptors, input
template <class Synapses>
struct GifCond {
  static constexpr int receptors = Synapses::receptors;
  static constexpr SpikeInput input = Synapses::input;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_reset, I_e, gsl_error_tol;
    Gif::Params gif;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Leak reversal potential"},
          Field{"C_m", "pF", 80.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 4.0, "Leak conductance", Bound::positive},
          Field{"t_ref", "ms", 4.0, "Refractory period", Bound::non_negative},
          Field{"V_reset", "mV", -55.0, "Potential after a spike"},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"gsl_error_tol", "", 1e-3, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
      },
      Gif::parameters, Synapses::parameters);

  struct State {
    double V_m;
    typename Synapses::Vars synapses;
    Gif::State gif;
    double h;
  };
  static constexpr auto state = joined(std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}}, Synapses::state, Gif::state,
                                       std::array{Field{"_h", "ms", 0.0, "Next substep to try"}});

  struct Derived {
    double dt, E_L, g_L, I_e, per_C, V_reset, refractory_steps, tolerance;
    Gif::Derived gif;
    typename Synapses::Derived synapses;
    Flows<Synapses::channels.size()> exact;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = Gif::check(p.gif)) return wrong;
    if constexpr (requires { Synapses::check(p.synapses); })
      if (const Forbidden wrong = Synapses::check(p.synapses)) return wrong;
    return {};
  }
  static Derived derive(const Params& p, double h) {
    const auto synapses = Synapses::derive(p.synapses);
    return {h,
            p.E_L,
            p.g_L,
            p.I_e,
            1.0 / p.C_m,
            p.V_reset,
            whole_steps(p.t_ref, h),
            std::min(1e-4, p.gsl_error_tol),
            Gif::derive(p.gif, h),
            synapses,
            Synapses::flows(synapses, h)};
  }

  static constexpr std::size_t n_synaptic = std::tuple_size_v<typename Synapses::Vars>, n_ode = 1 + n_synaptic;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived& d) { return d.tolerance; }

  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const double V = y[0];
    const auto synapses = part_of<1, n_synaptic>(y);
    const double I_stc = sum_of_kernels(s.gif.stc);
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) - I_stc + Synapses::current(synapses, d.synapses, V);
    return slopes_of(I * d.per_C, Synapses::slopes(synapses, d.synapses));
  }

  /// For whole_step.hpp.
  struct Exactly : PotentialOnly<State, Derived, Synapses> {
    using Base = PotentialOnly<State, Derived, Synapses>;
    using Own = typename Base::Own;
    using Start = typename Base::Start;
    NPL_INLINE static Own slopes(const Own& y, double a, double b, const State& s, const Derived& d, double current, Start&) {
      return {(((d.I_e + current + a) + d.g_L * d.E_L - sum_of_kernels(s.gif.stc)) - (d.g_L + b) * y[0]) * d.per_C};
    }
  };

  /// The kernels are constant during the step, so this may come at its end.
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    constexpr std::uint64_t id = 0x6769662d636fu;  // "gif-co": no other use of Purpose::model has it
    Gif::advance(s.gif, d.gif);
    const double now = static_cast<double>(in.step);
    const bool free = now >= s.gif.free_at;
    s.V_m = free ? s.V_m : d.V_reset;
    const bool fired = free & (uniform_of_step(in.seed, id, in.gid, in.step) < Gif::probability(s.V_m, s.gif, d.gif));
    Gif::jump(s.gif, d.gif, fired, now + 1.0 + d.refractory_steps);
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::nodes
