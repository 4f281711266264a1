// SPDX-License-Identifier: Apache-2.0
/// Generalised integrate-and-fire neurons with exponential conductances (Mensi et al. 2012, Pozzorini et al. 2015).
#pragma once
#include <cstddef>

#include "model/port_conductances.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/spike_history.hpp"
#include "model/step.hpp"

namespace npl::model {

/// The neuron but for its synapses. Functions take any state with V_m and gif, and derived values with `neuron`.
struct GifCondNeuron {
  struct Parameters {
    double E_L, C_m, g_L, t_ref, V_reset, I_e, gsl_error_tol;
    Gif::Params gif;
  };
  static constexpr auto own_parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Leak reversal potential"},
          Field{"C_m", "pF", 80.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 4.0, "Leak conductance", Bound::positive},
          Field{"t_ref", "ms", 4.0, "Refractory period", Bound::non_negative},
          Field{"V_reset", "mV", -55.0, "Potential after a spike"},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"gsl_error_tol", "", 1e-3, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
      },
      Gif::parameters);
  static constexpr std::array potential_field{Field{"V_m", "mV", -70.0, "Membrane potential"}};
  static constexpr auto other_fields = joined(Gif::state, std::array{Field{"_h", "ms", 0.0, "Next substep to try"}});

  struct Constants {
    double E_L, g_L, I_e, per_C, V_reset, refractory_steps, tolerance;
    Gif::Derived gif;
  };
  static Constants constants(const Parameters& p, double h) {
    return {p.E_L, p.g_L, p.I_e, 1.0 / p.C_m, p.V_reset, whole_steps(p.t_ref, h), std::min(1e-4, p.gsl_error_tol), Gif::derive(p.gif, h)};
  }

  template <class Derived>
  NPL_INLINE static double tolerance(const Derived& d) {
    return d.neuron.tolerance;
  }
  using Own = std::array<double, 1>;  ///< V_m
  template <class State, class Derived>
  NPL_INLINE static double potential(const Own& y, const State&, const Derived&) {
    return y[0];
  }
  template <class State, class Derived>
  NPL_INLINE static Own slopes(const Own&, double V, double synaptic, const State& s, const Derived& d, double current) {
    const Constants& c = d.neuron;
    return {((c.I_e + current) - c.g_L * (V - c.E_L) - sum_of_kernels(s.gif.stc) + synaptic) * c.per_C};
  }
  /// For whole_step.hpp.
  template <class State, class Derived>
  struct OwnExactly : PotentialAlone<State, Derived> {
    NPL_INLINE static Own slopes(const Own& y, double a, double b, const State& s, const Derived& d, double current,
                                 typename PotentialAlone<State, Derived>::Start&) {
      const Constants& c = d.neuron;
      return {(((c.I_e + current + a) + c.g_L * c.E_L - sum_of_kernels(s.gif.stc)) - (c.g_L + b) * y[0]) * c.per_C};
    }
  };

  /// The kernels are constant during the step, so this may come at its end.
  template <class State, class In>
  NPL_INLINE static bool end_step(State& s, const Constants& c, const In& in) {
    constexpr std::uint64_t id = 0x6769662d636fu;  // "gif-co": no other use of Purpose::model has it
    Gif::advance(s.gif, c.gif);
    const double now = static_cast<double>(in.step);
    const bool free = now >= s.gif.free_at;
    s.V_m = free ? s.V_m : c.V_reset;
    const bool fired = free & (uniform_of_step(in.seed, id, in.gid, in.step) < Gif::probability(s.V_m, s.gif, c.gif));
    Gif::jump(s.gif, c.gif, fired, now + 1.0 + c.refractory_steps);
    return fired;
  }
};

/// @tparam Synapses Params, parameters, Vars, state, Derived, derive(Params), current, slopes, arrive, receptors, input
template <class Synapses>
struct GifCond : GifCondNeuron {
  static constexpr int receptors = Synapses::receptors;
  static constexpr SpikeInput input = Synapses::input;

  struct Params {
    Parameters neuron;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(own_parameters, Synapses::parameters);
  struct State {
    double V_m;
    typename Synapses::Vars synapses;
    Gif::State gif;
    double h;
  };
  static constexpr auto state = joined(potential_field, Synapses::state, other_fields);
  struct Derived {
    double dt;
    Constants neuron;
    typename Synapses::Derived synapses;
    Flows<Synapses::channels.size()> exact;
  };

  static Forbidden check(const Params& p) { return Gif::check(p.neuron.gif); }
  static Derived derive(const Params& p, double h) {
    const auto synapses = Synapses::derive(p.synapses);
    return {h, constants(p.neuron, h), synapses, Synapses::flows(synapses, h)};
  }

  static constexpr std::size_t n_synaptic = std::tuple_size_v<typename Synapses::Vars>, n_ode = 1 + n_synaptic;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const auto synapses = part_of<1, n_synaptic>(y);
    const Own k = slopes({y[0]}, y[0], Synapses::current(synapses, d.synapses, y[0]), s, d, current);
    return slopes_of(k[0], Synapses::slopes(synapses, d.synapses));
  }
  struct Exactly : OwnExactly<State, Derived>, LinearChannels<Derived, Synapses> {};

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool fired = end_step(s, d.neuron, in);
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    return fired ? 1.0 : 0.0;
  }
};

/// @tparam Shape_ of the conductances (port_conductances.hpp)
template <class Shape_>
struct GifCondPorts : GifCondNeuron {
  using Shape = Shape_;
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    Parameters neuron;
    double n_receptors;
  };
  static constexpr auto parameters = joined(own_parameters, port_count);
  static constexpr std::size_t port_parameters_at = parameters.size();
  struct State {
    double V_m;
    Gif::State gif;
    double h;
  };
  static constexpr auto state = joined(potential_field, other_fields);
  static constexpr std::size_t ports_at = 1, n_ode = 1;
  struct Derived {
    double dt;
    Constants neuron;
  };
  struct Exactly : OwnExactly<State, Derived>, PortChannels<Shape> {};

  static Forbidden check(const Params& p) { return Gif::check(p.neuron.gif); }
  static Derived derive(const Params& p, double h) { return {h, constants(p.neuron, h)}; }
  static auto derive_port(const Params&, const typename Shape::Params& port, double h) { return Shape::derive(port, h); }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) { return end_step(s, d.neuron, in) ? 1.0 : 0.0; }
};

}  // namespace npl::model
