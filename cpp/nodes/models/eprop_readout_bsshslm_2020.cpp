// SPDX-License-Identifier: Apache-2.0
/// Readout of Bellec et al. (2020): a leaky integrator that compares its potential with a target and sends the error as learning
/// signal. With the loss of cross entropy the potentials of all readouts, made a distribution (softmax), are compared; readouts tell each
/// other exp(V).
#include "model/eprop.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct EpropReadoutBsshslm2020 {
  static constexpr const char* name = "eprop_readout_bsshslm_2020";
  static constexpr bool uniform_loop = true;
  static constexpr const char* doc =
      "Leaky integrator that compares its potential with a target signal and sends the error; its synapses learn by eligibility "
      "propagation.";
  static constexpr Face face{.receptors = "readout_signal target_signal", .archives = false, .ignores = false};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;
  static constexpr Step first = 4;  ///< end of the first step of the first interval

  struct Membrane {
    double C_m, E_L, I_e, V_min, tau_m, regular, loss;
  };
  static constexpr std::array membrane{
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"E_L", "mV", 0.0, "Resting potential"},
      Field{"I_e", "pA", 0.0, "Constant current; acts from the second step on"},
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"regular_spike_arrival", "0 or 1", 1.0, "1: spikes arrive at the end of a step; 0: at its start, times 1 - exp(-h/tau_m)"},
      Field{"loss", "", 0.0, "0: mean squared error; 1: cross entropy"}.one_of("mean_squared_error cross_entropy"),
  };
  struct Params {
    Membrane membrane;
    Intervals::Params intervals;
  };
  static constexpr auto parameters = joined(membrane, Intervals::parameters);

  struct State {
    double V_m, readout_signal, target_signal, error_signal, readout_signal_unnorm, I_before, next_target, readouts, target;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", 0.0, "Membrane potential"},
      Field{"readout_signal", "mV", 0.0, "What is compared: the potential a step ago, or its share of exp(V) of all readouts"}.with(
          Mark::read_only),
      Field{"target_signal", "mV", 0.0, "Target with which it is compared: that of the step before; 0 where it is not"}.with(
          Mark::read_only),
      Field{"error_signal", "mV", 0.0, "Difference of the two"}.with(Mark::read_only),
      Field{"readout_signal_unnorm", "", 0.0, "Potential; exp(V) with the loss of cross entropy"}.with(Mark::read_only),
      Field{"_I_before", "pA", 0.0, "Constant current of the last step"},
      Field{"_next_target", "mV", 0.0, "Target of the next step"},
      Field{"_readouts", "", 0.0, "Signals of all readouts that have arrived"},
      Field{"_target", "mV", 0.0, "Target that has arrived"},
  };

  struct Derived {
    Intervals::Derived intervals;
    double E_L, I_e, R, V_min, P, Q, gain, entropy;
  };
  static Forbidden check(const Params& p) {
    if (p.membrane.regular != 0.0 && p.membrane.regular != 1.0) return {"regular_spike_arrival", p.membrane.regular, "0 or 1"};
    if (p.membrane.loss != 0.0 && p.membrane.loss != 1.0) return {"loss", p.membrane.loss, "0 or 1"};
    return Intervals::check(p.intervals);
  }
  static Derived derive(const Params& p, double h) {
    const Membrane& m = p.membrane;
    const double Q = approach(h, m.tau_m);
    return {Intervals::derive(p.intervals, h), m.E_L, m.I_e, m.tau_m / m.C_m, m.V_min, decay(h, m.tau_m), Q,
            m.regular != 0.0 ? 1.0 : Q,        m.loss};
  }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    const double since = Intervals::since(in.step, first - 1, d.intervals),
                 of_before = Intervals::since(in.step - 1, first - 1, d.intervals);
    const bool compares = of_before >= d.intervals.interval - d.intervals.window;
    s.target_signal = compares ? s.next_target : 0.0, s.next_target = s.target;
    const double own = math::exp(s.V_m), compared = d.entropy != 0.0 ? own / (own + s.readouts) : s.V_m;
    s.readout_signal = compares ? compared : 0.0;
    s.error_signal = compares ? compared - s.target_signal : 0.0;
    const double V_before = (since == 0.0) & (d.intervals.resets != 0.0) ? d.E_L : s.V_m;
    const double V = V_before + ((d.E_L + (s.I_before + in.current) * d.R - V_before) * d.Q + d.gain * in.spikes[0]);
    s.V_m = V < d.V_min ? d.V_min : V;
    s.readout_signal_unnorm = d.entropy != 0.0 ? math::exp(s.V_m) : s.V_m;
    s.I_before = d.I_e;
    return 0.0;
  }

  static constexpr const char* what_history = Intervals::what_history;
  static constexpr double digest = learning_digest(false);
  static constexpr bool early_signal = false;
  static constexpr std::array<const char*, 2> arriving{"_readouts", "_target"};
  static ContinuousInfo continuous() {
    constexpr std::size_t error = 3, unnormed = 4;
    return {{{"learning_signal", error, error}, {"rate", unnormed, unnormed}}, {{"rate", 2}}, true};
  }
  static Learner learner(const Derived& d) {
    return {
        .decay = d.P, .gain = d.gain, .lag = 1, .hold = 3, .first = first, .interval = d.intervals.interval, .window = d.intervals.window};
  }
  NPL_STEP static std::array<double, n_learner_rows> learned_from(const State& s, const Derived&) { return {1.0, s.error_signal, 0.0}; }
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_readout_bsshslm_2020, EpropReadoutBsshslm2020)
