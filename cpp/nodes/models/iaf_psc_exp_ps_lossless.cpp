// SPDX-License-Identifier: Apache-2.0
/// As iaf_psc_exp_ps, but no spike is missed: an excursion above threshold between two events counts, too (Krishnan et al. 2018, Front
/// Neuroinform 11:75). With one time constant of synapses V has at most one extremum without events, whose time is a logarithm.
#include "model/iaf_psc_ps.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscExpPsLossless : IafPscPs {
  static constexpr const char* name = "iaf_psc_exp_ps_lossless";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with exponentially decaying synaptic currents; spikes have times between grid points, and none is "
      "missed.";

  struct State {
    double V_m, I_syn_ex, I_syn_in, I_syn, is_refractory, free_step, free_offset;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"},
      Field{"I_syn", "pA", 0.0, "Sum of both"}.with(Mark::read_only),
      NPL_PRECISE_STATE.known_as("offset").with(Mark::read_only),  // the last one
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = IafPscPs::check(p)) return wrong;
    if (p.tau_syn_ex != p.tau_syn_in) return {"tau_syn_ex", p.tau_syn_ex, "equal to tau_syn_in"};
    if (p.tau_m == p.tau_syn_ex) return {"tau_m", p.tau_m, "different from tau_syn_ex"};
    return {};
  }

  static void settle(const Params&, State& s) { s.I_syn = s.I_syn_ex + s.I_syn_in; }

  template <class Time>
  NPL_INLINE static double V_after(const State& s, const Derived& d, double current, Time t) {
    return s.V_m + (leak(s.V_m, d, current, t) + ex_onto_V(s.I_syn_ex + s.I_syn_in, d, t));
  }
  template <class Time>
  NPL_INLINE static void propagate(State& s, const Derived& d, double current, Time dt, bool clamped) {
    if (!clamped) s.V_m = at_least(V_after(s, d, current, dt), d.V_min);
    const double P = P_ex(d, dt);
    s.I_syn_ex *= P;
    s.I_syn_in *= P;
    s.I_syn = s.I_syn_ex + s.I_syn_in;
  }
  /// V = V_inf + a exp(-t / tau_m) + b exp(-t / tau_syn), the slope is 0 at the peak.
  NPL_STEP static double peak(const State& s, const Derived& d, double current) {
    const double b = (s.I_syn_ex + s.I_syn_in) / d.C_m / (1.0 / d.tau_m - 1.0 / d.tau_ex), a = s.V_m - (d.V_inf + current * d.R) - b;
    return math::log(-(b * d.tau_m) / (a * d.tau_ex)) / (1.0 / d.tau_ex - 1.0 / d.tau_m);  // NaN where there is none
  }
  /// No excursion lies above V + leak of the whole step + I h / C_m, where either counts if it raises V; and 10^-12 of all that is summed
  /// exceeds what rounding adds.
  NPL_INLINE static bool stays_below(const State& s, const Derived& d, double current) {
    const double V_inf = d.V_inf + current * d.R, I = s.I_syn_ex + s.I_syn_in;
    const double leak = (V_inf - s.V_m) * d.step.Q_m, raised = I * d.most_onto_V;
    const double rounding = 1e-12 * ((std::abs(s.V_m) + std::abs(V_inf)) + (std::abs(raised) + std::abs(d.V_th)));
    return s.V_m + (at_least(leak, 0.0) + at_least(raised, 0.0)) + rounding < d.V_th;
  }
  NPL_STEP static double crossing(const State& before, const State& after, const Derived& d, double current, double dt) {
    const auto above = [&](double t) { return V_after(before, d, current, t) - d.V_th; };
    if (after.V_m >= d.V_th) return rising_root(above, dt);
    if (stays_below(before, d, current)) return no_crossing;
    const double t = peak(before, d, current);
    return t > 0.0 && t < dt && above(t) >= 0.0 ? rising_root(above, t) : no_crossing;
  }
  NPL_INLINE static void receive(State& s, const Derived&, const double* weights, double) {
    s.I_syn_ex += weights[0], s.I_syn_in += weights[1];
    s.I_syn = s.I_syn_ex + s.I_syn_in;
  }
};

}  // namespace npl::model

#include "nodes/precise_step.hpp"

NPL_PRECISE_NEURON(iaf_psc_exp_ps_lossless, IafPscExpPsLossless)
