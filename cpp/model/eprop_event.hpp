// SPDX-License-Identifier: Apache-2.0
/// Neurons that learn by eligibility propagation with every spike of their sources (Korcsak-Gorzo et al. 2025, arXiv:2511.21674): no
/// intervals; the firing rate is a running mean, and a readout learns while a signal tells it to. The potential falls by the threshold at
/// a spike, or is reset and held (psc_delta).
#pragma once
#include "model/eprop.hpp"
#include "model/propagators.hpp"

namespace npl::model {

/// Time after a spike of the source in which a synapse learns.
struct EpropCutoff {
  static constexpr const char* what_history = "eligibility";
  static constexpr Field field{"eprop_isi_trace_cutoff", "ms", std::numeric_limits<double>::infinity(),
                               "Time after a spike of the source in which a synapse learns", Bound::not_nan};
  static Forbidden check(double ms) {
    if (ms < 0.0) return {"eprop_isi_trace_cutoff", ms, "at least 0"};
    return {};
  }
  static double steps(double ms, double h) { return std::isfinite(ms) ? whole_steps(ms, h) : unlimited; }
  static constexpr double unlimited = 0x1p40;
};

/// Recurrent neuron.
/// @tparam Holds the potential is reset at a spike, and held; else it falls by V_th - E_L
/// @tparam Adapts the threshold rises with each spike
template <bool Holds, bool Adapts>
struct EpropEvent : EpropCell {
  static constexpr bool uniform_loop = true;
  struct Filters {
    double kappa, kappa_reg, isi_cutoff;
  };
  static constexpr std::array filters{
      Field{"kappa", "", 0.97, "Decay per step of the filter of eligibility", Bound::non_negative},
      Field{"kappa_reg", "", 0.97, "Decay per step of the filters of the firing rate and of eligibility for its regularization",
            Bound::non_negative},
      EpropCutoff::field,
  };
  struct Reset {
    double V = 0.0, keeps = 0.0;
  };
  static constexpr std::array reset{
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"refractory_input", "0 or 1", 0.0, "Keep spikes that arrive during refractoriness, decaying, until its end"},
  };
  struct Params {
    Membrane membrane;
    Filters filters;
    Surrogate::Params surrogate;
    [[no_unique_address]] PartIf<Holds, Reset> reset;
    [[no_unique_address]] PartIf<Adapts, Adaptation> adaptation;
  };
  static constexpr auto parameters =
      joined(membrane, filters, Surrogate::parameters, fields_if<Holds>(reset), fields_if<Adapts>(EpropCell::adaptation));

  struct State {
    double V_m, surrogate_gradient, learning_signal, adaptation, V_th_adapt, waiting, spiked, mean, free_at, I_before;
  };
  static constexpr auto state = joined(first_state(Adapts), std::array{
                                                                Field{"_waiting", "mV", 0.0, "Input kept until the end of refractoriness"},
                                                                Field{"_spiked", "", 0.0, "1: a spike in the last step"},
                                                                Field{"_mean", "", 0.0, "Running mean of the spikes per step"},
                                                                Field{"_free_at", "steps", 0.0, "First step in which it may spike again"},
                                                                Field{"_I_before", "pA", 0.0, "Constant current of the last step"},
                                                            });

  struct Derived {
    Surrogate::Params surrogate;
    double E_L, I_e, R, V_min, V_th, V_reset, P, Q, refractory_steps, keeps, beta, rho, c_reg, f_target, kappa, kappa_reg, cutoff;
  };
  static Forbidden check(const Params& p) {
    const Filters& f = p.filters;
    if (f.kappa > 1.0) return {"kappa", f.kappa, "from 0 to 1"};
    if (f.kappa_reg > 1.0) return {"kappa_reg", f.kappa_reg, "from 0 to 1"};
    if (const Forbidden wrong = EpropCutoff::check(f.isi_cutoff)) return wrong;
    if (const Forbidden wrong = Surrogate::check(p.surrogate)) return wrong;
    if constexpr (Holds) {
      if (p.reset.V >= p.membrane.V_th) return {"V_reset", p.reset.V, "below V_th"};
      if (p.reset.keeps != 0.0 && p.reset.keeps != 1.0) return {"refractory_input", p.reset.keeps, "0 or 1"};
    }
    return {};
  }
  static Derived derive(const Params& p, double h) {
    const Membrane& m = p.membrane;
    Reset r;
    Adaptation a;
    if constexpr (Holds) r = p.reset;
    if constexpr (Adapts) a = p.adaptation;
    constexpr double held = Holds ? 1.0 : 0.0;  // steps of refractoriness beyond t_ref
    return {p.surrogate,
            m.E_L,
            m.I_e,
            m.tau_m / m.C_m,
            m.V_min,
            m.V_th,
            r.V,
            decay(h, m.tau_m),
            approach(h, m.tau_m),
            std::max(1.0, whole_steps(m.t_ref, h) + held),
            r.keeps,
            a.beta,
            decay(h, a.tau),
            m.c_reg,
            m.f_target * h * 1e-3,
            p.filters.kappa,
            p.filters.kappa_reg,
            EpropCutoff::steps(p.filters.isi_cutoff, h)};
  }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
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

  static constexpr const char* what_history = EpropCutoff::what_history;
  static ContinuousInfo continuous() { return {{}, {{"learning_signal of events"}}, true}; }
  static Learner learner(const Derived& d) {
    return {.decay = d.P,
            .filtered = 1.0,
            .gain = 1.0,
            .rho = Adapts ? d.rho : 0.0,
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
  NPL_STEP static std::array<double, n_learner_rows> learned_from(const State& s, const Derived&) {
    return {s.surrogate_gradient, s.learning_signal, s.mean};
  }
};

}  // namespace npl::model
