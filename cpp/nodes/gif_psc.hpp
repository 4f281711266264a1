// SPDX-License-Identifier: Apache-2.0
/// Generalised integrate-and-fire neurons with exponential currents; exact between spikes. V_m is set to V_reset in the refractory steps
/// after a spike (with t_ref = 0 never), as in NEST.
#pragma once
#include "nodes/exact_currents.hpp"
#include "nodes/propagators.hpp"
#include "nodes/spike_history.hpp"

namespace npl::nodes {

/// @tparam Synapses Params, parameters, Vars, state, Derived, derive(params, tau_m, C, h), onto_V, decayed, receptors, input.
/// V is advanced with the current at the end of the step (gif_psc_exp of NEST); GifPscPorts: with that at its beginning.
template <class Synapses>
struct GifPsc {
  static constexpr int receptors = Synapses::receptors;
  static constexpr SpikeInput input = Synapses::input;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_reset, I_e;
    Gif::Params gif;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Resting potential"},
          Field{"C_m", "pF", 80.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 4.0, "Leak conductance", Bound::positive},
          Field{"t_ref", "ms", 4.0, "Refractory period", Bound::non_negative},
          Field{"V_reset", "mV", -55.0, "Potential after a spike"},
          Field{"I_e", "pA", 0.0, "Constant current"},
      },
      Gif::parameters, Synapses::parameters);

  struct State {
    double V_m;
    typename Synapses::Vars synapses;
    Gif::State gif;
  };
  static constexpr auto state = joined(std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}}, Synapses::state, Gif::state);
  static constexpr std::size_t advanced = state.size() - 1;

  struct Derived {
    double V_inf, Q_m, R, V_reset, refractory_steps;
    Gif::Derived gif;
    typename Synapses::Derived synapses;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = Gif::check(p.gif)) return wrong;
    if constexpr (requires { Synapses::check(p.synapses); })
      if (const Forbidden wrong = Synapses::check(p.synapses)) return wrong;
    return {};
  }
  static Derived derive(const Params& p, double h) {
    const double tau_m = p.C_m / p.g_L;
    return {p.E_L + p.I_e / p.g_L,
            approach(h, tau_m),
            1.0 / p.g_L,
            p.V_reset,
            whole_steps(p.t_ref, h),
            Gif::derive(p.gif, h),
            Synapses::derive(p.synapses, tau_m, p.C_m, h)};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    s.synapses = Synapses::decayed(s.synapses, d.synapses, in.spikes);
    advance_with(s, d, in, Synapses::onto_V(s.synapses, d.synapses));
  }
  NPL_INLINE static void advance_with(State& s, const Derived& d, const Input<receptors>& in, double synaptic) {
    Gif::advance(s.gif, d.gif);
    const double V = s.V_m + ((d.V_inf + (in.current - s.gif.I_stc) * d.R - s.V_m) * d.Q_m + synaptic);
    s.V_m = static_cast<double>(in.step) >= s.gif.free_at ? V : d.V_reset;
  }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return s.V_m - s.gif.E_sfa >= d.gif.margin; }
  static constexpr std::uint64_t random_id = 0x676966u;  // "gif": no other use of Purpose::model has it
  /// The probability of a spike is at most the expected number, but for the rounding of expm1.
  NPL_INLINE static bool may_fire(const State& s, const Derived& d, double now, double u) {
    return (now >= s.gif.free_at) & (u < Gif::expected_spikes(s.V_m, s.gif, d.gif) * (1.0 + 0x1p-40));
  }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    if (static_cast<double>(in.step) < s.gif.free_at) return 0.0;
    const bool fired = uniform_of_step(in.seed, random_id, in.gid, in.step) < Gif::probability(s.V_m, s.gif, d.gif);
    Gif::jump(s.gif, d.gif, fired, static_cast<double>(in.step + 1) + d.refractory_steps);
    return fired ? 1.0 : 0.0;
  }
};

/// With a current per port (port_loop.hpp).
struct GifPscPorts : GifPsc<ExactExpPorts> {
  using Shape = ExpShape;
  static constexpr std::size_t ports_at = 1, port_factors_at = 5 + n_fields<Gif::Derived>;
  static constexpr TotalAt total_at = TotalAt::never;
  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in, const PortSums& sums) {
    advance_with(s, d, in, sums.onto_V);
  }
};

}  // namespace npl::nodes
