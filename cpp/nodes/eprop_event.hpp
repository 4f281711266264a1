// SPDX-License-Identifier: Apache-2.0
/// Neurons that learn by eligibility propagation with every spike of their sources (Korcsak-Gorzo et al. 2025, arXiv:2511.21674): no
/// intervals; the firing rate is a running mean, and a readout learns while a signal tells it to. The potential falls by the threshold at
/// a spike, or is reset and held (psc_delta).
#pragma once
#include "nodes/eprop.hpp"

namespace npl::nodes {

struct EpropEvent {
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Membrane {
    double C_m, E_L, I_e, V_min, V_th, tau_m, t_ref, c_reg, f_target, kappa, kappa_reg, isi_cutoff;
  };
  static constexpr std::array membrane{
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"I_e", "pA", 0.0, "Constant current; acts from the second step on where a spike lowers the potential"},
      Field{"V_min", "mV", lowest, "Lowest potential"},
      Field{"V_th", "mV", -55.0, "Spike threshold"},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"c_reg", "", 0.0, "Strength of the regularization of the firing rate", Bound::non_negative},
      Field{"f_target", "spikes/s", 0.01, "Firing rate wanted", Bound::non_negative},
      Field{"kappa", "", 0.97, "Decay per step of the filter of eligibility", Bound::non_negative},
      Field{"kappa_reg", "", 0.97, "Decay per step of the filters of the firing rate and of eligibility for its regularization",
            Bound::non_negative},
      Field{"eprop_isi_trace_cutoff", "ms", std::numeric_limits<double>::infinity(),
            "Time after a spike of the source in which a synapse learns", Bound::not_nan},
  };

  struct State {
    double V_m, surrogate_gradient, learning_signal, adaptation, V_th_adapt, waiting, spiked, mean, free_at, I_before;
  };
  static constexpr auto state(const char* adaptation, const char* threshold) {
    return std::array{
        Field{"V_m", "mV", -70.0, "Membrane potential"},
        Field{"surrogate_gradient", "", 0.0, "Surrogate gradient"},
        Field{"learning_signal", "", 0.0, "Learning signal that has arrived"},
        Field{adaptation, "", 0.0, "Adaptation"},
        Field{threshold, "mV", -55.0, "Threshold with adaptation"},
        Field{"_waiting", "mV", 0.0, "Input kept until the end of refractoriness"},
        Field{"_spiked", "", 0.0, "1: a spike in the last step"},
        Field{"_mean", "", 0.0, "Running mean of the spikes per step"},
        Field{"_free_at", "steps", 0.0, "First step in which it may spike again"},
        Field{"_I_before", "pA", 0.0, "Constant current of the last step"},
    };
  }

  struct Derived {
    Surrogate::Params surrogate;
    double E_L, I_e, R, V_min, V_th, V_reset, P, Q, refractory_steps, keeps, beta, rho, c_reg, f_target, kappa, kappa_reg, cutoff;
  };
  static void check(const Membrane& m, const Surrogate::Params& s) {
    if (m.kappa > 1.0) throw BadParameter("kappa", m.kappa, "from 0 to 1");
    if (m.kappa_reg > 1.0) throw BadParameter("kappa_reg", m.kappa_reg, "from 0 to 1");
    if (m.isi_cutoff < 0.0) throw BadParameter("eprop_isi_trace_cutoff", m.isi_cutoff, "at least 0");
    Surrogate::check(s);
  }
  /// @param held steps of refractoriness beyond t_ref
  static Derived derive(const Membrane& m, const EpropRecurrent::Adaptation& a, const Surrogate::Params& s, double V_reset, double keeps,
                        double held, double h) {
    return {s,
            m.E_L,
            m.I_e,
            m.tau_m / m.C_m,
            m.V_min,
            m.V_th,
            V_reset,
            math::exp(-h / m.tau_m),
            -math::expm1(-h / m.tau_m),
            std::max(1.0, whole_steps(m.t_ref, h) + held),
            keeps,
            a.beta,
            math::exp(-h / a.tau),
            m.c_reg,
            m.f_target * h * 1e-3,
            m.kappa,
            m.kappa_reg,
            cutoff_steps(m.isi_cutoff, h)};
  }
  static double cutoff_steps(double ms, double h) { return std::isfinite(ms) ? whole_steps(ms, h) : unlimited; }
  static constexpr double unlimited = 0x1p40;

  /// @tparam Holds the potential is reset at a spike, and held; else it falls by V_th - E_L
  template <bool Holds>
  NPL_INLINE static double step_as(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    const bool free = now >= s.free_at;
    const double V_inf = d.E_L + ((Holds ? d.I_e : s.I_before) + in.current) * d.R;
    const double arrived = s.waiting * d.P + in.spikes[0];
    const double V = s.V_m + ((V_inf - s.V_m) * d.Q + arrived), bounded = V < d.V_min ? d.V_min : V;
    s.V_m = Holds & !free ? s.V_m : bounded;
    s.waiting = Holds & !free ? d.keeps * arrived : 0.0;
    s.adaptation = d.rho * s.adaptation + s.spiked;
    s.V_th_adapt = d.V_th + d.beta * s.adaptation;
    const bool learns = Holds ? now >= s.free_at - 1.0 : free;  // as in NEST, already in the last step in which it is held
    s.surrogate_gradient = learns ? Surrogate::of(s.V_m - s.V_th_adapt, d.surrogate) : 0.0;
    const bool fires = free & (s.V_m >= s.V_th_adapt);
    s.V_m = fires ? (Holds ? d.V_reset : s.V_m - (d.V_th - d.E_L)) : s.V_m;
    s.spiked = fires ? 1.0 : 0.0;
    s.mean = d.kappa_reg * s.mean + (1.0 - d.kappa_reg) * s.spiked;
    s.free_at = fires ? now + d.refractory_steps : s.free_at;
    s.I_before = d.I_e;
    return s.spiked;
  }

  static constexpr const char* what_history = "eligibility";
  static constexpr bool early_signal = true;
  static constexpr std::array<const char*, 1> arriving{"learning_signal"};
  static ContinuousInfo continuous() { return {{}, {{"learning_signal of events"}}, true}; }
  static Learner learner(const Derived& d) {
    return {.decay = d.P,
            .filtered = 1.0,
            .gain = 1.0,
            .rho = d.rho,
            .beta = d.beta,
            .c_reg = d.c_reg,
            .f_target = d.f_target,
            .lag = 2,
            .hold = 2,
            .first = 1,
            .kappa = d.kappa,
            .kappa_reg = d.kappa_reg,
            .cutoff = d.cutoff};
  }
  static std::array<double, n_learner_rows> learned_from(const State& s, const Derived&) {
    return {s.surrogate_gradient, s.learning_signal, s.mean};
  }
};

/// With the potential lowered by the threshold at a spike. @tparam Adapts with adaptation
template <bool Adapts>
struct EpropSubtracting : EpropEvent {
  struct Plain {
    Membrane membrane;
    Surrogate::Params surrogate;
  };
  struct Adaptive {
    Membrane membrane;
    Surrogate::Params surrogate;
    EpropRecurrent::Adaptation adaptation;
  };
  using Params = std::conditional_t<Adapts, Adaptive, Plain>;
  static constexpr auto state = EpropEvent::state(Adapts ? "adaptation" : "_adaptation", Adapts ? "V_th_adapt" : "_V_th_adapt");
  static void check(const Params& p) { EpropEvent::check(p.membrane, p.surrogate); }
  static Derived derive(const Params& p, double h) {
    EpropRecurrent::Adaptation a{0.0, 1.0};
    if constexpr (Adapts) a = p.adaptation;
    return EpropEvent::derive(p.membrane, a, p.surrogate, 0.0, 0.0, 0.0, h);
  }
  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) { return step_as<false>(s, d, in); }
};

/// With a potential that is reset and held. @tparam Adapts with adaptation
template <bool Adapts>
struct EpropHolding : EpropEvent {
  struct Reset {
    double V_reset, refractory_input;
  };
  static constexpr std::array reset{
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"refractory_input", "0 or 1", 0.0, "Keep spikes that arrive during refractoriness, decaying, until its end"},
  };
  struct Plain {
    Membrane membrane;
    Surrogate::Params surrogate;
    Reset reset;
  };
  struct Adaptive {
    Membrane membrane;
    Surrogate::Params surrogate;
    Reset reset;
    EpropRecurrent::Adaptation adaptation;
  };
  using Params = std::conditional_t<Adapts, Adaptive, Plain>;
  static constexpr auto state = EpropEvent::state(Adapts ? "adaptation" : "_adaptation", Adapts ? "V_th_adapt" : "_V_th_adapt");
  static void check(const Params& p) {
    EpropEvent::check(p.membrane, p.surrogate);
    if (p.reset.V_reset >= p.membrane.V_th) throw BadParameter("V_reset", p.reset.V_reset, "below V_th");
    if (p.reset.refractory_input != 0.0 && p.reset.refractory_input != 1.0)
      throw BadParameter("refractory_input", p.reset.refractory_input, "0 or 1");
  }
  static Derived derive(const Params& p, double h) {
    EpropRecurrent::Adaptation a{0.0, 1.0};
    if constexpr (Adapts) a = p.adaptation;
    return EpropEvent::derive(p.membrane, a, p.surrogate, p.reset.V_reset, p.reset.refractory_input, 1.0, h);
  }
  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) { return step_as<true>(s, d, in); }
};

}  // namespace npl::nodes
