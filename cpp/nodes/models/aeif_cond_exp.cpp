// SPDX-License-Identifier: Apache-2.0
/// Adaptive exponential integrate-and-fire neuron (Brette & Gerstner 2005) with exponentially decaying conductances.
#include "nodes/aeif.hpp"

namespace npl::nodes {

struct AeifCondExp {
  static constexpr const char* name = "aeif_cond_exp";
  static constexpr const char* doc = "Adaptive exponential integrate-and-fire neuron with exponentially decaying synaptic conductances.";
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_th, V_reset, V_peak, Delta_T, a, b, tau_w, E_ex, E_in, tau_syn_ex, tau_syn_in, I_e, gsl_error_tol;
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
      Field{"E_ex", "mV", 0.0, "Excitatory reversal potential"},
      Field{"E_in", "mV", -85.0, "Inhibitory reversal potential"},
      Field{"tau_syn_ex", "ms", 0.2, "Time constant of the excitatory conductance", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of the inhibitory conductance", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
      Field{"gsl_error_tol", "", 1e-6, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
  };

  struct State {
    double V_m, g_ex, g_in, w, refractory, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.6, "Membrane potential"},
      Field{"g_ex", "nS", 0.0, "Excitatory conductance", Bound::non_negative},
      Field{"g_in", "nS", 0.0, "Inhibitory conductance", Bound::non_negative},
      Field{"w", "pA", 0.0, "Adaptation current"},
      Field{"_refractory", "steps", 0.0, "Steps of refractoriness left"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  static constexpr auto sane = AeifMembrane::sane;

  struct Derived {
    double dt, E_L, g_L, E_ex, E_in, I_e, per_C, rate_ex, rate_in, rate_w, a, b;
    double V_steepest, V_peak, V_th, V_reset, g_L_Delta_T, per_Delta_T, refractory_steps, tolerance;
  };

  static void check(const Params& p) {
    if (p.V_peak < p.V_th) throw BadParameter("V_peak", p.V_peak, "at least V_th");
    if (p.V_reset >= p.V_peak) throw BadParameter("V_reset", p.V_reset, "below V_peak");
    if (p.Delta_T > 0.0 && (p.V_peak - p.V_th) / p.Delta_T > 680.0)  // exp at the peak would overflow within the solver
      throw BadParameter("Delta_T", p.Delta_T, "0 or at least (V_peak - V_th) / 680");
  }

  static Derived derive(const Params& p, double h) {
    const bool sharp = p.Delta_T == 0.0;
    const double V_steepest = AeifMembrane::steepest(
        {p.E_L, p.C_m, p.g_L, p.t_ref, p.V_th, p.V_reset, p.V_peak, p.Delta_T, p.a, p.b, p.tau_w, p.I_e, p.gsl_error_tol}, h);
    return {h,
            p.E_L,
            p.g_L,
            p.E_ex,
            p.E_in,
            p.I_e,
            1.0 / p.C_m,
            1.0 / p.tau_syn_ex,
            1.0 / p.tau_syn_in,
            1.0 / p.tau_w,
            p.a,
            p.b,
            V_steepest,
            sharp ? p.V_th : p.V_peak,
            p.V_th,
            p.V_reset,
            p.g_L * p.Delta_T,
            sharp ? 0.0 : 1.0 / p.Delta_T,
            whole_steps(p.t_ref, h),
            p.gsl_error_tol};
  }

  static constexpr std::size_t n_ode = 4;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived& d) { return d.tolerance; }

  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const auto [V_free, g_ex, g_in, w] = y;
    const bool clamped = s.refractory > 0.0;
    const double V = clamped ? d.V_reset : (V_free > d.V_steepest ? d.V_steepest : V_free);
    const double I_spike = d.g_L_Delta_T * math::exp((V - d.V_th) * d.per_Delta_T);
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) + I_spike - g_ex * (V - d.E_ex) - g_in * (V - d.E_in) - w;
    return {clamped ? 0.0 : I * d.per_C, -g_ex * d.rate_ex, -g_in * d.rate_in, (d.a * (V - d.E_L) - w) * d.rate_w};
  }

  /// A spike may come in any substep, and with t_ref = 0 several in one time step.
  NPL_INLINE static double accepted(State& s, const Derived& d) {
    const bool clamped = s.refractory > 0.0, fired = !clamped & (s.V_m >= d.V_peak);
    s.V_m = clamped | fired ? d.V_reset : s.V_m;
    s.w += fired ? d.b : 0.0;
    s.refractory = fired & (d.refractory_steps > 0.0) ? d.refractory_steps + 1.0 : s.refractory;
    return fired ? 1.0 : 0.0;
  }

  NPL_INLINE static double finish(State& s, const Derived&, const Input<receptors>& in) {
    s.refractory = s.refractory > 0.0 ? s.refractory - 1.0 : 0.0;
    s.g_ex += in.spikes[0];
    s.g_in -= in.spikes[1];
    return 0.0;
  }
};

}  // namespace npl::nodes

NPL_NEURON_RKF45(aeif_cond_exp, AeifCondExp)
