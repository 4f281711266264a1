// SPDX-License-Identifier: Apache-2.0
/// Neurons that learn by eligibility propagation (e-prop) in intervals, after Bellec et al. (2020, Nat Commun 11:3625): recurrent neurons
/// with a reset by subtraction and a surrogate gradient, with or without adaptation, and readouts. All begin anew with each interval. The
/// steps in which intervals begin, and the shift of a signal against the state to which it belongs, follow from one step of delay each
/// from the input to recurrent neurons, on to readouts, and back; they are NEST's.
#pragma once
#include <array>
#include <cmath>

#include "base/learner.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// Surrogate gradient of the spike function, by the distance of V from the threshold; height x shape(|V - V_th| / width).
struct Surrogate {
  struct Params {
    double function, height, width;
  };
  static constexpr std::array parameters{
      Field{"surrogate_gradient_function", "0 to 3", 0.0,
            "0: piecewise linear; 1: exponential; 2: derivative of a fast sigmoid; 3: of arctan"}
          .one_of("piecewise_linear exponential fast_sigmoid_derivative arctan_derivative"),
      Field{"surrogate_gradient_height", "", 0.3, "Largest surrogate gradient", Bound::positive},
      Field{"surrogate_gradient_width", "mV", 1.0, "Width of the surrogate gradient", Bound::positive},
  };
  static Forbidden check(const Params& p) {
    if (p.function != 0.0 && p.function != 1.0 && p.function != 2.0 && p.function != 3.0)
      return {"surrogate_gradient_function", p.function, "0, 1, 2 or 3"};
    return {};
  }
  NPL_INLINE static double of(double distance, const Params& p) {
    const double x = math::detail::abs(distance) / p.width;
    const double linear = x < 1.0 ? 1.0 - x : 0.0, exponential = math::exp(-x);
    const double sigmoid = 1.0 / ((1.0 + x) * (1.0 + x)), arctan = 1.0 / (1.0 + x * x);
    return p.height * (p.function == 0.0 ? linear : p.function == 1.0 ? exponential : p.function == 2.0 ? sigmoid : arctan);
  }
};

/// When intervals begin.
struct Intervals {
  static constexpr const char* what_history = "eligibility in intervals";
  struct Params {
    double update_interval, learning_window, reset_on_update;
  };
  static constexpr std::array parameters{
      Field{"update_interval", "ms", 1000.0, "Time between updates of the weights", Bound::positive}.with(Mark::hidden),
      Field{"learning_window", "ms", 1000.0, "Time at the end of an interval in which is learned", Bound::positive}.with(Mark::hidden),
      Field{"reset_on_update", "0 or 1", 1.0, "1: the state of the neuron begins anew with each interval"}.with(Mark::hidden),
  };
  struct Derived {
    double interval, window, resets;  ///< [steps]
  };
  static Forbidden check(const Params& p) {
    if (p.learning_window > p.update_interval) return {"learning_window", p.learning_window, "at most update_interval"};
    if (p.reset_on_update != 0.0 && p.reset_on_update != 1.0) return {"reset_on_update", p.reset_on_update, "0 or 1"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {std::max(1.0, whole_steps(p.update_interval, h)), std::max(1.0, whole_steps(p.learning_window, h)), p.reset_on_update};
  }
  /// Steps since the beginning of the interval, when the first one begins with step `first`; negative before.
  NPL_INLINE static double since(Step step, double first, const Derived& d) {
    const double all = static_cast<double>(step) - first;
    const double since = all - std::floor(all / d.interval) * d.interval;
    return all < 0.0 ? -1.0 : since;
  }
};

/// What all recurrent neurons have.
struct EpropCell {
  static constexpr Face face{.keys = "flush_event_send_interval=Infinity", .archives = false};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Membrane {
    double C_m, E_L, I_e, V_min, V_th, tau_m, t_ref, c_reg, f_target;
  };
  static constexpr std::array membrane{
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"I_e", "pA", 0.0, "Constant current; acts from the second step on where a spike lowers the potential"},
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
      Field{"V_th", "mV", -55.0, "Spike threshold"},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"c_reg", "", 0.0, "Strength of the regularization of the firing rate", Bound::non_negative},
      Field{"f_target", "spikes/s", 0.01, "Firing rate wanted", Bound::non_negative},
  };
  struct Adaptation {
    double beta = 0.0, tau = 1.0;
  };
  static constexpr std::array adaptation{
      Field{"adapt_beta", "mV", 1.0, "Rise of the threshold by a spike", Bound::non_negative},
      Field{"adapt_tau", "ms", 10.0, "Time constant of the adaptation", Bound::positive},
  };
  /// The first state variables; those of the adaptation are hidden where there is none.
  static constexpr auto first_state(bool adapts) {
    return std::array{
        Field{"V_m", "mV", -70.0, "Membrane potential"},
        Field{"surrogate_gradient", "", 0.0, "Surrogate gradient"}.with(Mark::read_only),
        Field{"learning_signal", "", 0.0, "Learning signal that has arrived"}.with(Mark::read_only),
        Field{adapts ? "adaptation" : "_adaptation", "", 0.0, "Adaptation"},
        Field{adapts ? "V_th_adapt" : "_V_th_adapt", "mV", -55.0, "Threshold with adaptation"}.with(Mark::read_only),
    };
  }
  static constexpr bool early_signal = true;
  static constexpr std::array<const char*, 1> arriving{"learning_signal"};
};

/// Parameters that a neuron has if `Has`. @tparam Part a struct of doubles, or one that differs from other empty ones
template <bool Has, class Part>
using PartIf = std::conditional_t<Has, Part, std::integral_constant<const Part*, nullptr>>;
template <bool Has, std::size_t N>
constexpr auto fields_if(const std::array<Field, N>& fields) {
  if constexpr (Has)
    return fields;
  else
    return std::array<Field, 0>{};
}

/// Recurrent neuron. @tparam Adapts its threshold rises with each spike
template <bool Adapts>
struct EpropRecurrent : EpropCell {
  static constexpr bool uniform_loop = true;
  static constexpr Step first = 3;  ///< end of the first step of the first interval

  struct Arrival {
    double regular;
  };
  static constexpr std::array arrival{
      Field{"regular_spike_arrival", "0 or 1", 1.0, "1: spikes arrive at the end of a step; 0: at its start, times 1 - exp(-h/tau_m)"},
  };
  struct Params {
    Membrane membrane;
    Arrival arrival;
    Surrogate::Params surrogate;
    Intervals::Params intervals;
    [[no_unique_address]] PartIf<Adapts, Adaptation> adaptation;
  };
  static constexpr auto parameters =
      joined(membrane, arrival, Surrogate::parameters, Intervals::parameters, fields_if<Adapts>(EpropCell::adaptation));

  struct State {
    double V_m, surrogate_gradient, learning_signal, adaptation, V_th_adapt, spiked, spikes, free_at, I_before;
  };
  static constexpr auto state = joined(first_state(Adapts), std::array{
                                                                Field{"_spiked", "", 0.0, "1: a spike in the last step"},
                                                                Field{"_spikes", "", 0.0, "Spikes in this interval"},
                                                                Field{"_free_at", "steps", 0.0, "First step in which it may spike again"},
                                                                Field{"_I_before", "pA", 0.0, "Constant current of the last step"},
                                                            });

  struct Derived {
    Intervals::Derived intervals;
    Surrogate::Params surrogate;
    double E_L, I_e, R, V_min, V_th, P, Q, gain, refractory_steps, beta, rho, c_reg, f_target;
  };
  static Forbidden check(const Params& p) {
    if (p.arrival.regular != 0.0 && p.arrival.regular != 1.0) return {"regular_spike_arrival", p.arrival.regular, "0 or 1"};
    if (const Forbidden wrong = Surrogate::check(p.surrogate)) return wrong;
    return Intervals::check(p.intervals);
  }
  static Derived derive(const Params& p, double h) {
    const Membrane& m = p.membrane;
    Adaptation a;
    if constexpr (Adapts) a = p.adaptation;
    const Intervals::Derived intervals = Intervals::derive(p.intervals, h);
    const double Q = approach(h, m.tau_m);
    return {intervals,
            p.surrogate,
            m.E_L,
            m.I_e,
            m.tau_m / m.C_m,
            m.V_min,
            m.V_th,
            decay(h, m.tau_m),
            Q,
            p.arrival.regular != 0.0 ? 1.0 : Q,
            std::max(1.0, whole_steps(m.t_ref, h)),
            a.beta,
            decay(h, a.tau),
            m.c_reg / intervals.interval,
            m.f_target * h * 1e-3};
  }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step), since = Intervals::since(in.step, first - 1, d.intervals);
    const bool begins = since == 0.0, resets = begins & (d.intervals.resets != 0.0);
    const double V_before = resets ? d.E_L : s.V_m, spiked = resets ? 0.0 : s.spiked;
    const double V_inf = d.E_L + (s.I_before + in.current) * d.R;
    const double V = V_before + ((V_inf - V_before) * d.Q + d.gain * in.spikes[0]) - spiked * (d.V_th - d.E_L);
    s.V_m = V < d.V_min ? d.V_min : V;
    s.adaptation = d.rho * (resets ? 0.0 : s.adaptation) + spiked;
    s.V_th_adapt = d.V_th + d.beta * s.adaptation;
    const bool free = resets | (now >= s.free_at);
    s.surrogate_gradient = free ? Surrogate::of(s.V_m - s.V_th_adapt, d.surrogate) : 0.0;
    const bool fires = free & (s.V_m >= s.V_th_adapt);
    s.spiked = fires ? 1.0 : 0.0;
    s.spikes = (begins ? 0.0 : s.spikes) + s.spiked;
    s.free_at = fires ? now + d.refractory_steps : resets ? 0.0 : s.free_at;
    s.I_before = d.I_e;
    return s.spiked;
  }

  static constexpr const char* what_history = Intervals::what_history;
  static constexpr double digest = learning_digest(Adapts);
  static ContinuousInfo continuous() { return {{}, {{"learning_signal"}}, true}; }
  static Learner learner(const Derived& d) {
    return {.decay = d.P,
            .filtered = 1.0,
            .gain = d.gain,
            .rho = Adapts ? d.rho : 0.0,
            .beta = d.beta,
            .c_reg = d.c_reg,
            .f_target = d.f_target,
            .lag = 3,
            .hold = 3,
            .first = first,
            .interval = d.intervals.interval,
            .window = d.intervals.window};
  }
  NPL_STEP static std::array<double, n_learner_rows> learned_from(const State& s, const Derived&) {
    return {s.surrogate_gradient, s.learning_signal, s.spikes};
  }
};

}  // namespace npl::model
