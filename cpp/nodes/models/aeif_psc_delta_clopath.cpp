// SPDX-License-Identifier: Apache-2.0
/// Adaptive exponential integrate-and-fire neuron of Clopath, Buesing, Vasilaki & Gerstner (2010): after a spike the potential is held high
/// for a while, a current depolarises, and the threshold is raised; filtered potentials are kept for clopath_synapse.
#include "model/aeif.hpp"
#include "model/clopath.hpp"
#include "model/step.hpp"

namespace npl::model {

struct AeifPscDeltaClopath {
  static constexpr const char* name = "aeif_psc_delta_clopath";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron with a threshold that adapts and an afterpotential, for voltage-based plasticity; a "
      "weight is a jump of the potential.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_reset, V_peak, Delta_T, a, b, tau_w, V_th_rest, V_th_max, tau_V_th, I_sp, tau_z, V_clamp, t_clamp, I_e,
        gsl_error_tol;
    ClopathHistory::Params history;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.6, "Leak reversal potential"},
          Field{"C_m", "pF", 281.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 30.0, "Leak conductance"},
          Field{"t_ref", "ms", 0.0, "Refractory period, after the clamp", Bound::non_negative},
          Field{"V_reset", "mV", -60.0, "Potential after a spike and its clamp"},
          Field{"V_peak", "mV", 33.0, "Potential at which a spike is emitted (the threshold when Delta_T = 0)"},
          Field{"Delta_T", "mV", 2.0, "Slope factor of the exponential current", Bound::non_negative},
          Field{"a", "nS", 4.0, "Adaptation by the potential"},
          Field{"b", "pA", 80.5, "Adaptation by spikes"},
          Field{"tau_w", "ms", 144.0, "Time constant of adaptation", Bound::positive},
          Field{"V_th_rest", "mV", -50.4, "Threshold without spikes"},
          Field{"V_th_max", "mV", 30.4, "Threshold just after a spike"},
          Field{"tau_V_th", "ms", 50.0, "Time constant of the threshold", Bound::positive},
          Field{"I_sp", "pA", 400.0, "Depolarising current just after a spike"},
          Field{"tau_z", "ms", 40.0, "Time constant of the depolarising current", Bound::positive},
          Field{"V_clamp", "mV", 33.0, "Potential during the clamp after a spike"},
          Field{"t_clamp", "ms", 2.0, "Duration of the clamp", Bound::non_negative},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"gsl_error_tol", "", 1e-6, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
      },
      ClopathHistory::parameters(7.0));

  struct State {
    double V_m, w, z, V_th, u_bar_plus, u_bar_minus, u_bar_bar, clamped, refractory, h;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"V_m", "mV", -70.6, "Membrane potential"},
          Field{"w", "pA", 0.0, "Adaptation current"},
          Field{"z", "pA", 0.0, "Depolarising current after spikes"}.with(Mark::recorded_only),
          Field{"V_th", "mV", -50.4, "Threshold"}.with(Mark::recorded_only),
      },
      ClopathHistory::state(-70.6),
      std::array{
          Field{"_clamped", "steps", 0.0, "Steps of the clamp left"},
          Field{"_refractory", "steps", 0.0, "Steps of refractoriness left"},
          Field{"_h", "ms", 0.0, "Next substep to try"},
      });
  static constexpr auto sane = AeifMembrane::sane;

  struct Derived {
    double dt, E_L, g_L, I_e, per_C, V_reset, V_peak, V_steepest, sharp, a, b, rate_w, g_L_Delta_T, per_Delta_T, V_th_rest, V_th_max,
        rate_V_th, I_sp, rate_z, V_clamp, clamp_steps, refractory_steps, tolerance;
    ClopathHistory::Derived history;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_peak) return {"V_reset", p.V_reset, "below V_peak"};
    if (p.V_th_max < p.V_th_rest) return {"V_th_max", p.V_th_max, "at least V_th_rest"};
    if (p.Delta_T > 0.0 && (p.V_peak - p.V_th_rest) / p.Delta_T > 680.0)  // exp at the peak would overflow within the solver
      return {"Delta_T", p.Delta_T, "0 or at least (V_peak - V_th_rest) / 680"};
    return ClopathHistory::check(p.history);
  }

  static Derived derive(const Params& p, double h) {
    const bool sharp = p.Delta_T == 0.0;
    const double steepest = AeifMembrane::steepest(
        {p.E_L, p.C_m, p.g_L, p.t_ref, p.V_th_rest, p.V_reset, p.V_peak, p.Delta_T, p.a, p.b, p.tau_w, p.I_e, p.gsl_error_tol}, h);
    return {h,
            p.E_L,
            p.g_L,
            p.I_e,
            1.0 / p.C_m,
            p.V_reset,
            p.V_peak,
            sharp ? p.V_peak : steepest - p.V_th_rest,
            sharp ? 1.0 : 0.0,
            p.a,
            p.b,
            1.0 / p.tau_w,
            p.g_L * p.Delta_T,
            sharp ? 0.0 : 1.0 / p.Delta_T,
            p.V_th_rest,
            p.V_th_max,
            1.0 / p.tau_V_th,
            p.I_sp,
            1.0 / p.tau_z,
            p.V_clamp,
            whole_steps(p.t_clamp, h),
            whole_steps(p.t_ref, h),
            p.gsl_error_tol,
            ClopathHistory::derive(p.history, h)};
  }

  static constexpr std::size_t n_ode = 7;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived& d) { return d.tolerance; }

  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const auto [V_m, w, z, V_th, plus, minus, bar] = y;
    const bool clamped = s.clamped > 0.0, refractory = s.refractory > 0.0;
    const double V = refractory ? d.V_reset : (clamped ? d.V_clamp : (V_m > d.V_peak ? d.V_peak : V_m));
    const double reach = V - V_th, seen = (d.sharp == 0.0) & (reach > d.V_steepest) ? d.V_steepest : reach;  // see AeifMembrane
    const double I_spike = d.g_L_Delta_T * math::exp(seen * d.per_Delta_T);
    const double slope = (d.I_e + current - d.g_L * (V - d.E_L) + I_spike - w + z) * d.per_C;
    return {clamped | refractory ? 0.0 : slope,
            clamped ? 0.0 : (d.a * (V - d.E_L) - w) * d.rate_w,
            -z * d.rate_z,
            (d.V_th_rest - V_th) * d.rate_V_th,
            (V - plus) * d.history.rate_plus,
            (V - minus) * d.history.rate_minus,
            (minus - bar) * d.history.rate_bar};
  }

  /// A spike may come in any substep, and without a clamp several in one time step.
  NPL_INLINE static double accepted(State& s, const Derived& d) {
    const bool clamped = s.clamped > 0.0, refractory = s.refractory > 0.0;
    const bool fired = !clamped & !refractory & (s.V_m >= (d.sharp != 0.0 ? s.V_th : d.V_peak));
    s.V_m = refractory ? d.V_reset : (clamped | fired ? d.V_clamp : s.V_m);
    s.w += fired ? d.b : 0.0;
    s.z = fired ? d.I_sp : s.z;
    s.V_th = fired ? d.V_th_max : s.V_th;
    s.clamped = fired & (d.clamp_steps > 0.0) ? d.clamp_steps + 1.0 : s.clamped;
    return fired ? 1.0 : 0.0;
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool clamped = s.clamped > 0.0, refractory = s.refractory > 0.0, ends = s.clamped == 1.0;
    s.V_m = ends ? d.V_reset : s.V_m;
    s.V_m += clamped | refractory ? 0.0 : in.spikes[0];
    s.refractory = ends ? d.refractory_steps : (refractory ? s.refractory - 1.0 : 0.0);
    s.clamped = clamped ? s.clamped - 1.0 : 0.0;
    return 0.0;
  }

  static constexpr const char* what_history = "potential";
  static constexpr std::array<std::string_view, 2> waits{"u_bar_plus", "u_bar_minus"};
  NPL_INLINE static double wait_steps(const Derived& d) { return d.history.delay_steps; }
  NPL_INLINE static Recorded record(const State& s, const Derived& d, const std::array<double, 2>& waited) {
    return ClopathHistory::recorded(s.V_m, waited[0], waited[1], s.u_bar_bar, d.history);
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_psc_delta_clopath, AeifPscDeltaClopath)
