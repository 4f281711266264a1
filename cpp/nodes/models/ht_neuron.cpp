// SPDX-License-Identifier: Apache-2.0
/// Neuron of the thalamocortical model of Hill & Tononi (2005): a moving threshold, four kinds of synapses (NMDA with a
/// voltage-dependent block) and four intrinsic currents. Conductances have no unit: they are relative to the leak.
#include <array>
#include <cmath>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct HtNeuron {
  static constexpr const char* name = "ht_neuron";
  static constexpr const char* doc =
      "Neuron of Hill & Tononi (2005); receptors 1 AMPA, 2 NMDA, 3 GABA_A, 4 GABA_B; a weight is in units of the peak conductance.";
  static constexpr Face face{.receptors = "AMPA NMDA GABA_A GABA_B", .bad_value = "BadParameter"};
  static constexpr int receptors = 4;
  static constexpr SpikeInput input = SpikeInput::ports;
  static constexpr std::array receptor_names{"AMPA", "NMDA", "GABA_A", "GABA_B"};
  using PerSynapse = std::array<double, receptors>;

  struct Params {
    double E_Na, E_K, g_NaL, g_KL, tau_m, theta_eq, tau_theta, tau_spike, t_ref;
    PerSynapse g_peak, tau_rise, tau_decay, E_rev;
    double V_act_NMDA, S_act_NMDA, tau_Mg_slow, tau_Mg_fast, instant_unblock;
    double g_peak_NaP, E_rev_NaP, N_NaP, g_peak_KNa, E_rev_KNa, tau_D_KNa, g_peak_T, E_rev_T, N_T, g_peak_h, E_rev_h, voltage_clamp;
  };
  static constexpr std::array parameters{
      Field{"E_Na", "mV", 30.0, "Sodium reversal potential; V_m and theta after a spike"},
      Field{"E_K", "mV", -90.0, "Potassium reversal potential"},
      Field{"g_NaL", "", 0.2, "Sodium leak conductance", Bound::non_negative},
      Field{"g_KL", "", 1.0, "Potassium leak conductance", Bound::non_negative},
      Field{"tau_m", "ms", 16.0, "Membrane time constant", Bound::positive},
      Field{"theta_eq", "mV", -51.0, "Threshold at rest"},
      Field{"tau_theta", "ms", 2.0, "Time constant with which the threshold returns", Bound::positive},
      Field{"tau_spike", "ms", 1.75, "Membrane time constant while the spike's potassium current flows", Bound::positive},
      Field{"t_ref", "ms", 2.0, "How long that current flows", Bound::non_negative},
      Field{"g_peak_AMPA", "", 0.1, "Peak conductance", Bound::non_negative},
      Field{"g_peak_NMDA", "", 0.075, "Peak conductance", Bound::non_negative},
      Field{"g_peak_GABA_A", "", 0.33, "Peak conductance", Bound::non_negative},
      Field{"g_peak_GABA_B", "", 0.0132, "Peak conductance", Bound::non_negative},
      Field{"tau_rise_AMPA", "ms", 0.5, "Rise time constant", Bound::positive},
      Field{"tau_rise_NMDA", "ms", 4.0, "Rise time constant", Bound::positive},
      Field{"tau_rise_GABA_A", "ms", 1.0, "Rise time constant", Bound::positive},
      Field{"tau_rise_GABA_B", "ms", 60.0, "Rise time constant", Bound::positive},
      Field{"tau_decay_AMPA", "ms", 2.4, "Decay time constant", Bound::positive},
      Field{"tau_decay_NMDA", "ms", 40.0, "Decay time constant", Bound::positive},
      Field{"tau_decay_GABA_A", "ms", 7.0, "Decay time constant", Bound::positive},
      Field{"tau_decay_GABA_B", "ms", 200.0, "Decay time constant", Bound::positive},
      Field{"E_rev_AMPA", "mV", 0.0, "Reversal potential"},
      Field{"E_rev_NMDA", "mV", 0.0, "Reversal potential"},
      Field{"E_rev_GABA_A", "mV", -70.0, "Reversal potential"},
      Field{"E_rev_GABA_B", "mV", -90.0, "Reversal potential"},
      Field{"V_act_NMDA", "mV", -25.57, "Potential at which half of the NMDA channels are unblocked"},
      Field{"S_act_NMDA", "1/mV", 0.081, "Slope of the unblocking", Bound::non_negative},
      Field{"tau_Mg_slow_NMDA", "ms", 22.7, "Slow time constant of unblocking", Bound::positive},
      Field{"tau_Mg_fast_NMDA", "ms", 0.68, "Fast time constant of unblocking", Bound::positive},
      Field{"instant_unblock_NMDA", "0 or 1", 0.0, "Is unblocking immediate?"},
      Field{"g_peak_NaP", "", 1.0, "Persistent sodium current: peak conductance", Bound::non_negative},
      Field{"E_rev_NaP", "mV", 30.0, "Persistent sodium current: reversal potential"},
      Field{"N_NaP", "", 3.0, "Persistent sodium current: exponent", Bound::non_negative},
      Field{"g_peak_KNa", "", 1.0, "Depolarisation-activated potassium current: peak conductance", Bound::non_negative},
      Field{"E_rev_KNa", "mV", -90.0, "Depolarisation-activated potassium current: reversal potential"},
      Field{"tau_D_KNa", "ms", 1250.0, "Depolarisation-activated potassium current: time constant", Bound::positive},
      Field{"g_peak_T", "", 1.0, "Low-threshold calcium current: peak conductance", Bound::non_negative},
      Field{"E_rev_T", "mV", 0.0, "Low-threshold calcium current: reversal potential"},
      Field{"N_T", "", 2.0, "Low-threshold calcium current: exponent", Bound::positive},
      Field{"g_peak_h", "", 1.0, "Pacemaker current: peak conductance", Bound::non_negative},
      Field{"E_rev_h", "mV", -40.0, "Pacemaker current: reversal potential"},
      Field{"voltage_clamp", "0 or 1", 0.0, "Is the potential held?"},
  };

  /// The gates of the intrinsic currents and of NMDA begin where they would rest at -70 mV.
  struct State {
    double V_m, theta;
    PerSynapse g, dg;
    double m_fast, m_slow, m_Ih, D, m_IT, h_IT;
    double g_NMDA, I_NaP, I_KNa, I_T, I_h, potassium, h, held;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"theta", "mV", -51.0, "Threshold"},
      Field{"g_AMPA", "", 0.0, "Conductance of AMPA"}.with(Mark::recorded_only),
      Field{"_g_NMDA", "", 0.0, "Conductance of NMDA, blocked or not"},
      Field{"g_GABA_A", "", 0.0, "Conductance of GABA_A"}.with(Mark::recorded_only),
      Field{"g_GABA_B", "", 0.0, "Conductance of GABA_B"}.with(Mark::recorded_only),
      Field{"_dg_AMPA", "1/ms", 0.0, "Its rise"},
      Field{"_dg_NMDA", "1/ms", 0.0, "Its rise"},
      Field{"_dg_GABA_A", "1/ms", 0.0, "Its rise"},
      Field{"_dg_GABA_B", "1/ms", 0.0, "Its rise"},
      Field{"_m_fast_NMDA", "", 0.026627301184638463, "Fast part of the unblocked share of NMDA"},
      Field{"_m_slow_NMDA", "", 0.026627301184638463, "Slow part of the unblocked share of NMDA"},
      Field{"_m_Ih", "", 0.2871859013825026, "Activation of the pacemaker current"},
      Field{"_D", "", 0.00119200545631921, "Activation of the depolarisation-activated potassium current"},
      Field{"_m_IT", "", 0.1450215950687922, "Activation of the calcium current"},
      Field{"_h_IT", "", 0.03732688734412946, "Inactivation of the calcium current"},
      Field{"g_NMDA", "", 0.0, "Conductance of NMDA channels that are not blocked"}.with(Mark::recorded_only),
      Field{"I_NaP", "mV", 0.0, "Persistent sodium current"}.with(Mark::recorded_only),
      Field{"I_KNa", "mV", 0.0, "Depolarisation-activated potassium current"}.with(Mark::recorded_only),
      Field{"I_T", "mV", 0.0, "Low-threshold calcium current"}.with(Mark::recorded_only),
      Field{"I_h", "mV", 0.0, "Pacemaker current"}.with(Mark::recorded_only),
      Field{"_potassium", "steps", 0.0, "Steps for which the spike's potassium current still flows"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
      Field{"_held", "mV", 0.0, "From E_Na to the potential that is held, for the step after a spike"},
  };

  struct Derived {
    double dt, E_Na, E_K, g_NaL, g_KL, per_tau_m, theta_eq, rate_theta, rate_spike, spike_steps;
    PerSynapse jump, rise, rate, E_rev;
    double V_act, S_act, rate_slow, rate_fast, instant;
    double g_NaP, E_NaP, N_NaP, g_KNa, E_KNa, rate_D, g_T, E_T, N_T, g_h, E_h, clamped;
  };

  static Forbidden check(const Params& p) {
    for (auto [name, value] : {std::pair{"instant_unblock_NMDA", p.instant_unblock}, std::pair{"voltage_clamp", p.voltage_clamp}})
      if (value != 0.0 && value != 1.0) return {name, value, "0 or 1"};
    for (int k = 0; k < receptors; ++k)
      if (p.tau_rise[k] >= p.tau_decay[k]) return {"tau_rise", p.tau_rise[k], "below tau_decay of the same receptor"};
    if (p.tau_Mg_fast >= p.tau_Mg_slow) return {"tau_Mg_fast_NMDA", p.tau_Mg_fast, "below tau_Mg_slow_NMDA"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    Derived d{h,
              p.E_Na,
              p.E_K,
              p.g_NaL,
              p.g_KL,
              1.0 / p.tau_m,
              p.theta_eq,
              1.0 / p.tau_theta,
              1.0 / p.tau_spike,
              whole_steps(p.t_ref, h),
              {},
              {},
              {},
              p.E_rev,
              p.V_act_NMDA,
              p.S_act_NMDA,
              1.0 / p.tau_Mg_slow,
              1.0 / p.tau_Mg_fast,
              p.instant_unblock,
              p.g_peak_NaP,
              p.E_rev_NaP,
              p.N_NaP,
              p.g_peak_KNa,
              p.E_rev_KNa,
              1.0 / p.tau_D_KNa,
              p.g_peak_T,
              p.E_rev_T,
              p.N_T,
              p.g_peak_h,
              p.E_rev_h,
              p.voltage_clamp};
    for (int k = 0; k < receptors; ++k) {
      d.jump[k] = p.g_peak[k] * beta_jump(p.tau_rise[k], p.tau_decay[k]);
      d.rise[k] = 1.0 / p.tau_rise[k];
      d.rate[k] = 1.0 / p.tau_decay[k];
    }
    return d;
  }

  static constexpr std::size_t n_ode = 16;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  /// Steady state of an activation.
  NPL_INLINE static double sigmoid(double x) { return 1.0 / (1.0 + math::exp(-x)); }

  /// x^n for x > 0; the usual exponents by multiplication.
  NPL_STEP static double power(double x, double n) {
    if (n == 2.0) return x * x;
    if (n == 3.0) return x * x * x;
    return math::pow_positive(x, n);
  }

  /// Unblocked share of NMDA channels, m_eq in the steady state; blocking is immediate.
  NPL_INLINE static double unblocked(double V, double m_fast, double m_slow, double m_eq, const Derived& d) {
    const double fast = m_fast < m_eq ? m_fast : m_eq, slow = m_slow < m_eq ? m_slow : m_eq;
    const double share = 0.51 - 0.0028 * V;
    return d.instant != 0.0 ? m_eq : share * fast + (1.0 - share) * slow;
  }
  /// With its activation in the steady state, m.
  NPL_STEP static double I_NaP(double V, double m, const Derived& d) { return -d.g_NaP * power(m, d.N_NaP) * (V - d.E_NaP); }
  NPL_STEP static double I_KNa(double V, double D, const Derived& d) {
    const double x = 0.25 / (D > 1e-10 ? D : 1e-10);
    return -d.g_KNa / (1.0 + x * x * x * std::sqrt(x)) * (V - d.E_KNa);
  }
  NPL_STEP static double I_T(double V, double m, double h, const Derived& d) {
    return -d.g_T * power(m > 1e-100 ? m : 1e-100, d.N_T) * h * (V - d.E_T);
  }
  NPL_INLINE static double I_h(double V, double m, const Derived& d) { return -d.g_h * m * (V - d.E_h); }

  /// All exponentials of the slopes side by side: the loop over them is vectorised, since that over neurons is not.
  static constexpr std::size_t n_exp = 16;
  struct Exponentials {
    NPL_INLINE static void run(const double* x, double* e) {
      for (std::size_t k = 0; k < n_exp; ++k) e[k] = math::exp(x[k]);
    }
  };

  static constexpr bool one_by_one = true;
  /// Not inlined: six copies of so many exponentials keep the compiler busy for ten minutes.
  NPL_STEP [[gnu::noinline]] static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const double V = y[0], theta = y[1], m_fast = y[10], m_slow = y[11], m_Ih = y[12], D = y[13], m_IT = y[14], h_IT = y[15];
    alignas(64) const double x[n_exp] = {d.S_act * (d.V_act - V), (V + 55.7) * (-1.0 / 7.7),   -14.59 - 0.086 * V,
                                         -1.87 + 0.0701 * V,      (V + 132.0) * (-1.0 / 16.7), (V + 16.8) * (1.0 / 18.2),
                                         (V + 115.2) * (1.0 / 5), (V + 86.0) * (1.0 / 3.2),    (V + 75.0) * (1.0 / 5.5),
                                         (V + 10.0) * (-1.0 / 5), (V + 59.0) * (-1.0 / 6.2),   (V + 83.0) * (1.0 / 4)};
    alignas(64) double e[n_exp];
    Dispatch<Exponentials>::run(&x[0], &e[0]);
    const double m_eq = 1.0 / (1.0 + e[0]), m_NMDA = unblocked(V, m_fast, m_slow, m_eq, d);
    const double I_syn = -(y[2] * (V - d.E_rev[0]) + m_NMDA * y[3] * (V - d.E_rev[1]) + y[4] * (V - d.E_rev[2]) + y[5] * (V - d.E_rev[3]));
    const double leak = -d.g_NaL * (V - d.E_Na) - d.g_KL * (V - d.E_K);
    const double intrinsic = I_NaP(V, 1.0 / (1.0 + e[1]), d) + I_KNa(V, D, d) + I_T(V, m_IT, h_IT, d) + I_h(V, m_Ih, d);
    const double spike = s.potassium > 0.0 ? -(V - d.E_K) * d.rate_spike : 0.0;
    const double dV = (leak + I_syn + current + intrinsic) * d.per_tau_m + spike;
    const double rate_Ih = e[2] + e[3], tau_m_IT = 0.13 + 0.22 / (e[4] + e[5]), tau_h_IT = 8.2 + (56.6 + 0.27 * e[6]) / (1.0 + e[7]);
    return {d.clamped != 0.0 ? 0.0 : dV,
            -(theta - d.theta_eq) * d.rate_theta,
            y[6] - y[2] * d.rate[0],
            y[7] - y[3] * d.rate[1],
            y[8] - y[4] * d.rate[2],
            y[9] - y[5] * d.rate[3],
            -y[6] * d.rise[0],
            -y[7] * d.rise[1],
            -y[8] * d.rise[2],
            -y[9] * d.rise[3],
            (m_eq - m_fast) * d.rate_fast,
            (m_eq - m_slow) * d.rate_slow,
            (1.0 / (1.0 + e[8]) - m_Ih) * rate_Ih,
            0.025 / (1.0 + e[9]) - (D - 0.001) * d.rate_D,
            (1.0 / (1.0 + e[10]) - m_IT) / tau_m_IT,
            (1.0 / (1.0 + e[11]) - h_IT) / tau_h_IT};
  }

  /// A clamp pulls the potential back after the step of a spike, unless it was set since.
  NPL_INLINE static void begin(State& s, const Derived& d) {
    s.V_m = s.V_m == d.E_Na ? s.V_m + s.held : s.V_m;
    s.held = 0.0;
  }

  /// Blocking is immediate: the parts never exceed what is unblocked in the steady state.
  NPL_INLINE static double accepted(State& s, const Derived& d) {
    const double m_eq = sigmoid(d.S_act * (s.V_m - d.V_act));
    s.m_fast = s.m_fast < m_eq ? s.m_fast : m_eq;
    s.m_slow = s.m_slow < m_eq ? s.m_slow : m_eq;
    return 0.0;
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool repolarised = s.potassium <= 0.0;  // the first spike comes a step after the potassium current has ended, as in NEST
    s.potassium = repolarised ? 0.0 : s.potassium - 1.0;
    s.g_NMDA = s.g[1] * unblocked(s.V_m, s.m_fast, s.m_slow, sigmoid(d.S_act * (s.V_m - d.V_act)), d);
    s.I_NaP = I_NaP(s.V_m, sigmoid((s.V_m + 55.7) / 7.7), d);
    s.I_KNa = I_KNa(s.V_m, s.D, d);
    s.I_T = I_T(s.V_m, s.m_IT, s.h_IT, d);
    s.I_h = I_h(s.V_m, s.m_Ih, d);
    const bool fired = repolarised & (s.V_m >= s.theta);
    s.held = fired && d.clamped != 0.0 ? s.V_m - d.E_Na : 0.0;
    s.V_m = fired ? d.E_Na : s.V_m;
    s.theta = fired ? d.E_Na : s.theta;
    s.potassium = fired ? d.spike_steps : s.potassium;
    s.dg = {s.dg[0] + in.spikes[0] * d.jump[0], s.dg[1] + in.spikes[1] * d.jump[1], s.dg[2] + in.spikes[2] * d.jump[2],
            s.dg[3] + in.spikes[3] * d.jump[3]};
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(ht_neuron, HtNeuron)
