// SPDX-License-Identifier: Apache-2.0
/// Generalised integrate-and-fire neurons with exponential currents; exact between spikes. V_m is set to V_reset in the refractory steps
/// after a spike (with t_ref = 0 never), as in NEST.
#pragma once
#include "model/iaf_multisynapse.hpp"
#include "model/propagators.hpp"
#include "model/spike_history.hpp"

namespace npl::model {

/// The neuron but for its synaptic currents. Functions take any state with V_m and gif.
struct GifPsc {
  struct Params {
    double E_L, C_m, g_L, t_ref, V_reset, I_e;
    Gif::Params gif;
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
      Gif::parameters);
  static constexpr std::array potential{Field{"V_m", "mV", -70.0, "Membrane potential"}};

  struct Derived {
    double V_inf, Q_m, R, V_reset, refractory_steps;
    Gif::Derived gif;
  };

  static Forbidden check(const Params& p) { return Gif::check(p.gif); }
  static Derived derive(const Params& p, double h) {
    return {p.E_L + p.I_e / p.g_L, approach(h, p.C_m / p.g_L), 1.0 / p.g_L, p.V_reset, whole_steps(p.t_ref, h), Gif::derive(p.gif, h)};
  }

  template <class State, class In>
  NPL_INLINE static void advance_with(State& s, const Derived& d, const In& in, double synaptic) {
    Gif::advance(s.gif, d.gif);
    const double V = s.V_m + ((d.V_inf + (in.current - s.gif.I_stc) * d.R - s.V_m) * d.Q_m + synaptic);
    s.V_m = static_cast<double>(in.step) >= s.gif.free_at ? V : d.V_reset;
  }
  template <class State>
  NPL_INLINE static bool crossed(const State& s, const Derived& d) {
    return s.V_m - s.gif.E_sfa >= d.gif.margin;
  }
  static constexpr std::uint64_t random_id = 0x676966u;  // "gif": no other use of Purpose::model has it
  /// The probability of a spike is at most the expected number, but for the rounding of expm1.
  template <class State>
  NPL_INLINE static bool may_fire(const State& s, const Derived& d, double now, double u) {
    return (now >= s.gif.free_at) & (u < Gif::expected_spikes(s.V_m, s.gif, d.gif) * (1.0 + 0x1p-40));
  }
  template <class State, class In>
  NPL_STEP static double fire(State& s, const Derived& d, const In& in) {
    if (static_cast<double>(in.step) < s.gif.free_at) return 0.0;
    const bool fired = uniform_of_step(in.seed, random_id, in.gid, in.step) < Gif::probability(s.V_m, s.gif, d.gif);
    Gif::jump(s.gif, d.gif, fired, static_cast<double>(in.step + 1) + d.refractory_steps);
    return fired ? 1.0 : 0.0;
  }
};

/// With two currents. V is advanced with the current at the end of the step, as in NEST.
struct GifPscBySign : GifPsc {
  static constexpr bool uniform_loop = true;
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;
  struct Params {
    GifPsc::Params neuron;
    double tau_ex, tau_in;
  };
  static constexpr auto parameters = joined(
      GifPsc::parameters,
      tau_fields("tau_syn_ex", "tau_syn_in", 2.0, 2.0, "Time constant of excitatory currents", "Time constant of inhibitory currents"));
  struct State {
    double V_m, ex, in;
    Gif::State gif;
  };
  static constexpr auto state = joined(potential,
                                       std::array{Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
                                                  Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only)},
                                       Gif::state);
  static constexpr std::size_t advanced = state.size() - 1;
  struct Derived : GifPsc::Derived {
    double P_mex, P_min, P_ex, P_in;
  };

  static Forbidden check(const Params& p) { return GifPsc::check(p.neuron); }
  static Derived derive(const Params& p, double h) {
    const double C = p.neuron.C_m, tau_m = C / p.neuron.g_L;
    return {GifPsc::derive(p.neuron, h), exp_propagator(p.tau_ex, tau_m, C, h), exp_propagator(p.tau_in, tau_m, C, h), decay(h, p.tau_ex),
            decay(h, p.tau_in)};
  }
  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    s.ex = s.ex * d.P_ex + in.spikes[0], s.in = s.in * d.P_in + in.spikes[1];
    advance_with(s, d, in, s.ex * d.P_mex + s.in * d.P_min);
  }
};

/// With a current per port (ports.hpp). V is advanced with the current at the beginning of the step.
struct GifPscPorts : GifPsc {
  using Shape = ExpShape;
  static constexpr auto port_state = with(Shape::state, Mark::hidden);
  static constexpr bool uniform_loop = true;
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;
  struct Params : GifPsc::Params {
    double n_receptors;
  };
  static constexpr auto parameters =
      joined(GifPsc::parameters, std::array{Field{"n_receptors", "", 1.0, "Receptors in use"}.with(Mark::whole)});
  static constexpr std::size_t port_parameters_at = parameters.size();
  struct State {
    double V_m;
    Gif::State gif;
  };
  static constexpr auto state = joined(potential, Gif::state);
  static constexpr std::size_t ports_at = 1, advanced = state.size() - 1;
  static constexpr TotalAt total_at = TotalAt::never;

  static auto derive_port(const Params& p, const Shape::Params& port, double h) { return Shape::derive(port, p.C_m / p.g_L, p.C_m, h); }
  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in, const PortSums& sums) {
    advance_with(s, d, in, sums.onto_V);
  }
};

}  // namespace npl::model
