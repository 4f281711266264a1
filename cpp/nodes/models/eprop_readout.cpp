// SPDX-License-Identifier: Apache-2.0
/// Readout of event-driven e-prop (Korcsak-Gorzo et al. 2025): a leaky integrator that sends its error while it is told to learn.
#include "model/eprop_event.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct EpropReadout {
  static constexpr const char* name = "eprop_readout";
  static constexpr bool uniform_loop = true;
  static constexpr const char* doc =
      "Leaky integrator that compares its potential with a target signal and sends the error; its synapses learn by eligibility "
      "propagation with every spike.";
  static constexpr Face face{.receptors = "eprop_learning_window target_signal", .archives = false, .ignores = false};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double C_m, E_L, I_e, V_min, tau_m, isi_cutoff;
  };
  static constexpr std::array parameters{
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"E_L", "mV", 0.0, "Resting potential"},
      Field{"I_e", "pA", 0.0, "Constant current; acts from the second step on"},
      Field{"V_min", "mV", lowest, "Lowest potential"}.with(Mark::lowest_shown),
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      EpropCutoff::field,
  };

  struct State {
    double V_m, readout_signal, target_signal, error_signal, I_before, next_target, next_window, window, target;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", 0.0, "Membrane potential"},
      Field{"readout_signal", "mV", 0.0, "Potential times the signal that tells to learn"}.with(Mark::read_only),
      Field{"target_signal", "mV", 0.0, "Target, times the signal that tells to learn; both of the step before"}.with(Mark::read_only),
      Field{"error_signal", "mV", 0.0, "Difference of the two"}.with(Mark::read_only),
      Field{"_I_before", "pA", 0.0, "Constant current of the last step"},
      Field{"_next_target", "mV", 0.0, "Target of the next step"},
      Field{"_next_window", "", 0.0, "Signal of the next step that tells to learn"},
      Field{"_window", "", 0.0, "Signal to learn that has arrived"},
      Field{"_target", "mV", 0.0, "Target that has arrived"},
  };

  struct Derived {
    double E_L, I_e, R, V_min, P, Q, cutoff;
  };
  static Forbidden check(const Params& p) { return EpropCutoff::check(p.isi_cutoff); }
  static Derived derive(const Params& p, double h) {
    return {p.E_L, p.I_e, p.tau_m / p.C_m, p.V_min, decay(h, p.tau_m), approach(h, p.tau_m), EpropCutoff::steps(p.isi_cutoff, h)};
  }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    const double V = s.V_m + ((d.E_L + (s.I_before + in.current) * d.R - s.V_m) * d.Q + in.spikes[0]);
    s.V_m = V < d.V_min ? d.V_min : V;
    s.readout_signal = s.V_m * s.next_window;
    s.target_signal = s.next_target * s.next_window;
    s.next_target = s.target, s.next_window = s.window;
    s.error_signal = s.readout_signal - s.target_signal;
    s.I_before = d.I_e;
    return 0.0;
  }

  static constexpr const char* what_history = EpropCutoff::what_history;
  static constexpr bool early_signal = false;
  static constexpr std::array<const char*, 2> arriving{"_window", "_target"};
  static ContinuousInfo continuous() {
    constexpr std::size_t readout = 1, error = 3;
    return {{{"learning_signal of events", error, error}, {"rate", readout, readout}}, {{"rate", 2}}, true};
  }
  static Learner learner(const Derived& d) { return {.decay = d.P, .gain = 1.0, .lag = 0, .hold = 2, .first = 1, .cutoff = d.cutoff}; }
  NPL_STEP static std::array<double, n_learner_rows> learned_from(const State& s, const Derived&) { return {1.0, s.error_signal, 0.0}; }
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_readout, EpropReadout)
