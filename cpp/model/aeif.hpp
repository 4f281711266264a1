// SPDX-License-Identifier: Apache-2.0
/// Adaptive exponential integrate-and-fire neurons (Brette & Gerstner 2005): one equation, several kinds of receptors.
#pragma once
#include <cstddef>

#include "model/port_conductances.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// Reversal potentials [mV] and time constants [ms] of the synapses.
struct AeifConductanceDefaults {
  static constexpr std::array values{0.0, -85.0, 0.2, 2.0};
};
/// Time constants [ms] of the synapses.
struct AeifCurrentDefaults {
  static constexpr std::array values{0.2, 2.0};
};

/// The membrane without its synapses.
struct AeifMembrane {
  struct Params {
    double E_L, C_m, g_L, t_ref, V_th, V_reset, V_peak, Delta_T, a, b, tau_w, I_e, gsl_error_tol;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.6, "Leak reversal potential"},
      Field{"C_m", "pF", 281.0, "Membrane capacitance", Bound::positive},
      Field{"g_L", "nS", 30.0, "Leak conductance"},
      Field{"t_ref", "ms", 0.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -50.4, "Potential at which the exponential current takes over"},
      Field{"V_reset", "mV", -60.0, "Potential after a spike"},
      Field{"V_peak", "mV", 0.0, "Potential at which a spike is emitted (V_th when Delta_T = 0)"},
      Field{"Delta_T", "mV", 2.0, "Slope factor of the exponential current", Bound::non_negative},
      Field{"a", "nS", 4.0, "Adaptation by the potential"},
      Field{"b", "pA", 80.5, "Adaptation by spikes"},
      Field{"tau_w", "ms", 144.0, "Time constant of adaptation", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"gsl_error_tol", "", 1e-6, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
  };

  /// What NEST calls numerical instability, and potentials that no parameters of a neuron explain.
  static constexpr std::array sane{SaneRange{"V_m", {-1e3, sane_potential.high}}, SaneRange{"w", {-1e6, 1e6}}};

  /// Potential [mV] above which the slope stays as it is. The exponential current grows so fast that V passes any potential within
  /// C_m / g_L * exp((V_th - V) / Delta_T): far above V_th no substep (at least 1e-14 h) is short enough to follow it, and the fifth-order
  /// solution, a sum with negative coefficients, would throw V far below. Here the slope is bounded so that the shortest substep moves V by
  /// 0.1 Delta_T at most. Spikes come less than 1e-12 h later for it; with V_peak within about 32 Delta_T of V_th nothing changes.
  static double steepest(const Params& p, double h) {
    if (p.Delta_T == 0.0) return p.V_th;
    if (!(p.g_L > 0.0)) return p.V_peak;
    return std::min(p.V_peak, p.V_th + p.Delta_T * std::max(1.0, math::log(1e13 * p.C_m / (p.g_L * h))));
  }

  struct Derived {
    double E_L, g_L, I_e, per_C, rate_w, a, b, V_steepest, V_peak, V_th, V_reset, g_L_Delta_T, per_Delta_T, refractory_steps, tolerance;
  };

  static Forbidden check(const Params& p) {
    if (p.V_peak < p.V_th) return {"V_peak", p.V_peak, "at least V_th"};
    if (p.V_reset >= p.V_peak) return {"V_reset", p.V_reset, "below V_peak"};
    if (p.Delta_T > 0.0 && (p.V_peak - p.V_th) / p.Delta_T > 680.0)  // exp at the peak would overflow within the solver
      return {"Delta_T", p.Delta_T, "0 or at least (V_peak - V_th) / 680"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    const bool sharp = p.Delta_T == 0.0;
    return {p.E_L,
            p.g_L,
            p.I_e,
            1.0 / p.C_m,
            1.0 / p.tau_w,
            p.a,
            p.b,
            steepest(p, h),
            sharp ? p.V_th : p.V_peak,
            p.V_th,
            p.V_reset,
            p.g_L * p.Delta_T,
            sharp ? 0.0 : 1.0 / p.Delta_T,
            whole_steps(p.t_ref, h),
            p.gsl_error_tol};
  }

  /// V in the right-hand sides: held at V_reset during refractoriness, bounded in the upstroke.
  NPL_INLINE static double seen(double V, bool clamped, const Derived& d) {
    return clamped ? d.V_reset : (V > d.V_steepest ? d.V_steepest : V);
  }

  /// Slope of the potential [mV/ms] with a current from outside and from synapses [pA].
  NPL_INLINE static double slope(double V, double w, const Derived& d, double I) {
    const double I_spike = d.g_L_Delta_T * math::exp((V - d.V_th) * d.per_Delta_T);
    return (d.I_e + I - d.g_L * (V - d.E_L) + I_spike - w) * d.per_C;
  }
  /// The exponential current at the beginning of a step, from which that of its stages follows by a polynomial while V is near.
  struct Start {
    double V, I_spike, reach;  ///< reach: largest distance so far, in units of Delta_T
  };
  static constexpr double reachable = 0.34;
  NPL_INLINE static Start start(double V, const Derived& d) { return {V, d.g_L_Delta_T * math::exp((V - d.V_th) * d.per_Delta_T), 0.0}; }
  /// The slope with synapses that give the current a - b V.
  NPL_INLINE static double slope(double V, double w, const Derived& d, double I, double a, double b, Start& start) {
    const double x = (V - start.V) * d.per_Delta_T, distance = math::detail::abs(x);
    start.reach = start.reach > distance ? start.reach : distance;
    const double rest = ((d.I_e + I + a) + d.g_L * d.E_L) + start.I_spike;
    return (((rest - w) - (d.g_L + b) * V) + start.I_spike * math::detail::expm1_small(x)) * d.per_C;
  }
  NPL_INLINE static double slope_w(double V, double w, const Derived& d) { return (d.a * (V - d.E_L) - w) * d.rate_w; }
};

/// The variables of the neuron itself, for whole_step.hpp.
template <class State, class Derived>
struct AeifExactly {
  static constexpr std::size_t n_own = 2;
  using Own = std::array<double, n_own>;
  using Start = AeifMembrane::Start;

  NPL_INLINE static Own own(const State& s) { return {s.V_m, s.w}; }
  NPL_INLINE static void set_own(State& s, const Own& y) { s.V_m = y[0], s.w = y[1]; }
  NPL_INLINE static Start start(const State& s, const Derived& d) {
    return AeifMembrane::start(AeifMembrane::seen(s.V_m, s.refractory > 0.0, d.membrane), d.membrane);
  }
  NPL_INLINE static bool near(const Start& start) { return start.reach <= AeifMembrane::reachable; }
  NPL_INLINE static Own slopes(const Own& y, double a, double b, const State& s, const Derived& d, double current, Start& start) {
    const bool clamped = s.refractory > 0.0;
    const double V = AeifMembrane::seen(y[0], clamped, d.membrane), slope = AeifMembrane::slope(V, y[1], d.membrane, current, a, b, start);
    return {clamped ? 0.0 : slope, AeifMembrane::slope_w(V, y[1], d.membrane)};
  }
};

/// The neuron but for its synapses. Functions take any state with V_m, w and refractory, and derived values with those of the membrane.
struct AeifNeuron {
  using Own = std::array<double, 2>;  ///< V_m and w
  static constexpr auto sane = AeifMembrane::sane;

  template <class Derived>
  NPL_INLINE static double tolerance(const Derived& d) {
    return d.membrane.tolerance;
  }
  template <class State, class Derived>
  NPL_INLINE static double potential(const Own& y, const State& s, const Derived& d) {
    return AeifMembrane::seen(y[0], s.refractory > 0.0, d.membrane);
  }
  template <class State, class Derived>
  NPL_INLINE static Own slopes(const Own& y, double V, double synaptic, const State& s, const Derived& d, double current) {
    const double slope = AeifMembrane::slope(V, y[1], d.membrane, current + synaptic);
    return {s.refractory > 0.0 ? 0.0 : slope, AeifMembrane::slope_w(V, y[1], d.membrane)};
  }
  /// A spike may come in any substep, and with t_ref = 0 several in one time step.
  template <class State, class Derived>
  NPL_INLINE static double accepted(State& s, const Derived& d) {
    const bool clamped = s.refractory > 0.0, fired = !clamped & (s.V_m >= d.membrane.V_peak);
    s.V_m = clamped | fired ? d.membrane.V_reset : s.V_m;
    s.w += fired ? d.membrane.b : 0.0;
    s.refractory = fired & (d.membrane.refractory_steps > 0.0) ? d.membrane.refractory_steps + 1.0 : s.refractory;
    return fired ? 1.0 : 0.0;
  }
  template <class State>
  NPL_INLINE static void end_step(State& s) {
    s.refractory = s.refractory > 0.0 ? s.refractory - 1.0 : 0.0;
  }

  static constexpr std::array potential_field{Field{"V_m", "mV", -70.6, "Membrane potential"}};
  static constexpr std::array other_fields{Field{"w", "pA", 0.0, "Adaptation current"},
                                           Field{"_refractory", "steps", 0.0, "Steps of refractoriness left"},
                                           Field{"_h", "ms", 0.0, "Next substep to try"}};
};

/// @tparam Synapses Params, parameters, Vars, state, Derived, derive(Params), current, slopes, arrive, receptors, input
template <class Synapses>
struct Aeif : AeifNeuron {
  static constexpr int receptors = Synapses::receptors;
  static constexpr SpikeInput input = Synapses::input;

  struct Params {
    AeifMembrane::Params membrane;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(AeifMembrane::parameters, Synapses::parameters);

  struct State {
    double V_m;
    typename Synapses::Vars synapses;
    double w, refractory, h;
  };
  static constexpr auto state = joined(potential_field, Synapses::state, other_fields);

  struct Derived {
    double dt;
    AeifMembrane::Derived membrane;
    typename Synapses::Derived synapses;
    Flows<Synapses::channels.size()> exact;
  };

  static Forbidden check(const Params& p) { return AeifMembrane::check(p.membrane); }
  static Derived derive(const Params& p, double h) {
    const auto synapses = Synapses::derive(p.synapses);
    return {h, AeifMembrane::derive(p.membrane, h), synapses, Synapses::flows(synapses, h)};
  }

  static constexpr std::size_t n_synaptic = std::tuple_size_v<typename Synapses::Vars>, n_ode = 2 + n_synaptic;
  using Vars = std::array<double, n_ode>;

  /// @tparam S State, or a state with further variables; the same in finish()
  template <class S>
  NPL_INLINE static Vars rhs(const Vars& y, const S& s, const Derived& d, double current) {
    const Own own{y[0], y[n_ode - 1]};
    const double V = potential(own, s, d);
    const auto synapses = part_of<1, n_synaptic>(y);
    const Own k = slopes(own, V, Synapses::current(synapses, d.synapses, V), s, d, current);
    return slopes_of(k[0], Synapses::slopes(synapses, d.synapses), k[1]);
  }

  /// For whole_step.hpp.
  struct Exactly : AeifExactly<State, Derived>, LinearChannels<Derived, Synapses> {};

  template <class S>
  NPL_INLINE static double finish(S& s, const Derived& d, const Input<receptors>& in) {
    end_step(s);
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    return 0.0;
  }
};

/// @tparam Shape_ of the conductances (port_conductances.hpp)
template <class Shape_>
struct AeifPorts : AeifNeuron {
  using Shape = Shape_;
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    AeifMembrane::Params membrane;
    double n_receptors;
  };
  static constexpr auto parameters = joined(AeifMembrane::parameters, port_count);
  static constexpr std::size_t port_parameters_at = parameters.size();

  struct State {
    double V_m, w, refractory, h;
  };
  static constexpr auto state = joined(potential_field, other_fields);
  static constexpr std::size_t ports_at = 1, n_ode = 2;

  struct Derived {
    double dt;
    AeifMembrane::Derived membrane;
  };
  struct Exactly : AeifExactly<State, Derived>, PortChannels<Shape> {};

  static Forbidden check(const Params& p) { return AeifMembrane::check(p.membrane); }
  static Derived derive(const Params& p, double h) { return {h, AeifMembrane::derive(p.membrane, h)}; }
  static auto derive_port(const Params&, const typename Shape::Params& port, double h) { return Shape::derive(port, h); }

  NPL_INLINE static double finish(State& s, const Derived&, const Input<receptors>&) { return end_step(s), 0.0; }
};

}  // namespace npl::model
