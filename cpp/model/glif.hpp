// SPDX-License-Identifier: Apache-2.0
/// After-spike currents and the threshold of generalised leaky integrate-and-fire neurons (Teeter et al. 2018). The threshold has a part
/// that jumps at spikes and a part that follows the potential. All of it stands still in the refractory period; its decay during t_ref is
/// applied at the spike instead.
#pragma once
#include "model/propagators.hpp"
#include "model/spike_history.hpp"
#include "model/step.hpp"

namespace npl::model {

/// Fields of which two are in use by default.
constexpr std::array<Field, kernels> first_two(const char* a, const char* b, const char* c, const char* e, const char* unit, double first,
                                               double second, double rest, const char* doc, Bound bound = Bound::any) {
  return {Field{a, unit, first, doc, bound}, Field{b, unit, second, doc, bound}, Field{c, unit, rest, doc, bound},
          Field{e, unit, rest, doc, bound}};
}

struct Glif {
  struct Params {
    double V_th, V_reset, t_ref, spike_dependent_threshold, after_spike_currents, adapting_threshold;
    double th_spike_add, th_spike_decay, voltage_reset_fraction, voltage_reset_add, th_voltage_index, th_voltage_decay, n_asc;
    PerKernel asc_amps, asc_decay, asc_r;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"V_th", "mV", -51.68, "Threshold at rest"},
          Field{"V_reset", "mV", -78.85, "Potential after a spike without spike_dependent_threshold"},
          Field{"t_ref", "ms", 3.75, "Refractory period", Bound::positive},
          Field{"spike_dependent_threshold", "0 or 1", 0.0, "Does the threshold jump at spikes, and the reset depend on the potential?"},
          Field{"after_spike_currents", "0 or 1", 0.0, "Do spikes leave currents?"},
          Field{"adapting_threshold", "0 or 1", 0.0, "Does the threshold follow the potential?"},
          Field{"th_spike_add", "mV", 0.37, "Jump of the threshold at a spike"},
          Field{"th_spike_decay", "1/ms", 0.009, "Rate with which it decays", Bound::non_negative},
          Field{"voltage_reset_fraction", "", 0.2, "Share of the potential above E_L that a spike leaves", Bound::non_negative},
          Field{"voltage_reset_add", "mV", 18.51, "What a spike adds to it"},
          Field{"th_voltage_index", "1/ms", 0.005, "How strongly the threshold follows the potential"},
          Field{"th_voltage_decay", "1/ms", 0.09, "Rate with which it forgets", Bound::positive},
          Field{"n_asc", "", 2.0, "After-spike currents in use"},
      },
      first_two("asc_amps_1", "asc_amps_2", "asc_amps_3", "asc_amps_4", "pA", -9.18, -198.94, 0.0, "Jump of this after-spike current"),
      first_two("asc_decay_1", "asc_decay_2", "asc_decay_3", "asc_decay_4", "1/ms", 0.003, 0.1, 1.0, "Rate with which it decays",
                Bound::positive),
      first_two("asc_r_1", "asc_r_2", "asc_r_3", "asc_r_4", "", 1.0, 1.0, 1.0, "Share of it that a spike leaves", Bound::non_negative));

  struct State {
    double threshold, threshold_spike, threshold_voltage, ASCurrents_sum;
    PerKernel asc;
    double free_at;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"threshold", "mV", -51.68, "Threshold"}.with(Mark::recorded_only),
          Field{"threshold_spike", "mV", 0.0, "Part of it that jumps at spikes"},
          Field{"threshold_voltage", "mV", 0.0, "Part of it that follows the potential"},
          Field{"ASCurrents_sum", "pA", 0.0, "After-spike currents, mean of the step"}.with(Mark::recorded_only),
      },
      with(per_kernel(NPL_KERNEL_NAMES("ASCurrents"), "pA", 0.0, "This after-spike current"), Mark::status_only),
      std::array{Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"}});

  struct Derived {
    double V_th, V_reset, fraction, add, jumps, follows, refractory_steps, P_spike, th_add, th_kept;
    PerKernel amps, mean, P, kept;  ///< of after-spike currents: jump, mean over a step, decay in a step, share that a spike leaves
  };

  static Forbidden check(const Params& p) {
    for (auto [name, value] :
         {std::pair{"spike_dependent_threshold", p.spike_dependent_threshold}, std::pair{"after_spike_currents", p.after_spike_currents},
          std::pair{"adapting_threshold", p.adapting_threshold}})
      if (value != 0.0 && value != 1.0) return {name, value, "0 or 1"};
    if (p.adapting_threshold != 0.0 && (p.spike_dependent_threshold == 0.0 || p.after_spike_currents == 0.0))
      return {"adapting_threshold", p.adapting_threshold, "0 without spike_dependent_threshold and after_spike_currents"};
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    if (p.voltage_reset_fraction > 1.0) return {"voltage_reset_fraction", p.voltage_reset_fraction, "at most 1"};
    for (double r : p.asc_r)
      if (r > 1.0) return {"asc_r", r, "at most 1"};
    return check_kernels("n_asc", p.n_asc);
  }
  static Derived derive(const Params& p, double E_L, double h) {
    const bool jumps = p.spike_dependent_threshold != 0.0, currents = p.after_spike_currents != 0.0;
    const auto in_use = [&](std::size_t k) { return currents && static_cast<double>(k) < p.n_asc; };
    return {p.V_th,
            jumps ? E_L : p.V_reset,
            jumps ? p.voltage_reset_fraction : 0.0,
            jumps ? p.voltage_reset_add : 0.0,
            jumps ? 1.0 : 0.0,
            p.adapting_threshold,
            whole_steps(p.t_ref, h),
            jumps ? math::exp(-p.th_spike_decay * h) : 1.0,  // what it had when it was switched off stays, as below and in NEST
            jumps ? p.th_spike_add : 0.0,
            jumps ? math::exp(-p.th_spike_decay * p.t_ref) : 1.0,
            each_kernel([&](std::size_t k) { return in_use(k) ? p.asc_amps[k] : 0.0; }),
            each_kernel([&](std::size_t k) { return in_use(k) ? -math::expm1(-p.asc_decay[k] * h) / (p.asc_decay[k] * h) : 0.0; }),
            each_kernel([&](std::size_t k) { return currents ? math::exp(-p.asc_decay[k] * h) : 1.0; }),
            each_kernel([&](std::size_t k) { return currents ? p.asc_r[k] * math::exp(-p.asc_decay[k] * p.t_ref) : 1.0; })};
  }

  /// The part of the threshold that follows the potential. Exact for the currents of devices and after-spike currents; synaptic currents
  /// are left out, as in NEST.
  struct Following {
    double P, from_V, from_I;  ///< its decay in a step; what V - E_L - V_inf and V_inf contribute
    static Following derive(const Params& p, double tau_m, double h) {
      if (p.adapting_threshold == 0.0) return {1.0, 0.0, 0.0};  // what it had when it was switched off stays
      const double a = p.th_voltage_index, b = p.th_voltage_decay;
      return {math::exp(-b * h), a * exp_propagator(tau_m, 1.0 / b, 1.0, h), -a * math::expm1(-b * h) / b};
    }
    NPL_INLINE double next(double threshold_voltage, double above_E_L, double V_inf) const {
      return threshold_voltage * P + (above_E_L - V_inf) * from_V + V_inf * from_I;
    }
  };

  NPL_INLINE static double mean_currents(const State& s, const Derived& d) {
    return (s.asc[0] * d.mean[0] + s.asc[1] * d.mean[1]) + (s.asc[2] * d.mean[2] + s.asc[3] * d.mean[3]);
  }
  /// At the beginning of a free step.
  NPL_INLINE static void advance(State& s, const Derived& d, bool free) {
    s.ASCurrents_sum = math::choose(free, mean_currents(s, d), s.ASCurrents_sum);
    s.asc = each_kernel([&](std::size_t k) NPL_INLINE_LAMBDA { return s.asc[k] * math::choose(free, d.P[k], 1.0); });
    s.threshold_spike *= math::choose(free, d.P_spike, 1.0);
  }
  /// At its end: resets V, given the one at its beginning, and returns whether there is a spike.
  NPL_INLINE static bool finish(State& s, const Derived& d, bool free, double& V, double V_before, double E_L, double now) {
    s.threshold = d.V_th + s.threshold_spike + s.threshold_voltage;
    const bool fired = free & (V > s.threshold);
    V = math::choose(fired, d.V_reset + d.fraction * (V_before - E_L) + d.add, V);
    s.threshold_spike = math::choose(fired, s.threshold_spike * d.th_kept + d.th_add, s.threshold_spike);
    s.threshold = d.V_th + s.threshold_spike + s.threshold_voltage;
    s.asc = each_kernel([&](std::size_t k) NPL_INLINE_LAMBDA { return math::choose(fired, d.amps[k] + s.asc[k] * d.kept[k], s.asc[k]); });
    s.free_at = math::choose(fired, now + 1.0 + d.refractory_steps, s.free_at);
    return fired;
  }
};

}  // namespace npl::model
