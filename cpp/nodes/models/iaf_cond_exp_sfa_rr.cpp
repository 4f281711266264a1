// SPDX-License-Identifier: Apache-2.0
/// Conductance-based integrate-and-fire neuron with spike-frequency adaptation and relative refractoriness (Dayan & Abbott 2001, p. 166).
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafCondExpSfaRr {
  static constexpr const char* name = "iaf_cond_exp_sfa_rr";
  static constexpr const char* doc =
      "Conductance-based integrate-and-fire neuron; each spike opens an adaptation and a relative refractory conductance.";
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_th, V_reset, I_e, E_sfa, E_rr, tau_sfa, tau_rr, q_sfa, q_rr;
    ExpConductances::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Leak reversal potential"},
          Field{"C_m", "pF", 289.5, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 28.95, "Leak conductance"},
          Field{"t_ref", "ms", 0.5, "Refractory period", Bound::non_negative},
          Field{"V_th", "mV", -57.0, "Spike threshold", Bound::not_nan},
          Field{"V_reset", "mV", -70.0, "Potential after a spike"},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"E_sfa", "mV", -70.0, "Reversal potential of adaptation"},
          Field{"E_rr", "mV", -70.0, "Reversal potential of relative refractoriness"},
          Field{"tau_sfa", "ms", 110.0, "Time constant of adaptation", Bound::positive},
          Field{"tau_rr", "ms", 1.97, "Time constant of relative refractoriness", Bound::positive},
          Field{"q_sfa", "nS", 14.48, "Jump of the adaptation conductance at a spike"},
          Field{"q_rr", "nS", 3214.0, "Jump of the relative refractory conductance at a spike"},
      },
      ExpConductances::parameters(0.0, -75.0, 1.5, 10.0));

  struct State {
    double V_m;
    ExpConductances::Vars synapses;
    double g_sfa, g_rr, free_at, h;
  };
  static constexpr auto state = joined(
      std::array{Field{"V_m", "mV", -70.0, "Membrane potential"}}, ExpConductances::state,
      std::array{Field{"g_sfa", "nS", 0.0, "Conductance of adaptation"}, Field{"g_rr", "nS", 0.0, "Conductance of relative refractoriness"},
                 Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
                 Field{"_h", "ms", 0.0, "Next substep to try"}});

  struct Derived {
    double dt, E_L, g_L, I_e, per_C, V_th, V_reset, refractory_steps, E_sfa, E_rr, rate_sfa, rate_rr, q_sfa, q_rr;
    ExpConductances::Derived synapses;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {h,
            p.E_L,
            p.g_L,
            p.I_e,
            1.0 / p.C_m,
            p.V_th,
            p.V_reset,
            whole_steps(p.t_ref, h),
            p.E_sfa,
            p.E_rr,
            1.0 / p.tau_sfa,
            1.0 / p.tau_rr,
            p.q_sfa,
            p.q_rr,
            ExpConductances::derive(p.synapses)};
  }

  static constexpr std::size_t n_ode = 5;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double V = y[0], g_sfa = y[3], g_rr = y[4];
    const auto synapses = part_of<1, 2>(y);
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) + ExpConductances::current(synapses, d.synapses, V) - g_sfa * (V - d.E_sfa) -
                     g_rr * (V - d.E_rr);
    return slopes_of(I * d.per_C, ExpConductances::slopes(synapses, d.synapses), -g_sfa * d.rate_sfa, -g_rr * d.rate_rr);
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    s.V_m = now >= s.free_at ? s.V_m : d.V_reset;
    const bool fired = s.V_m >= d.V_th;
    s.V_m = fired ? d.V_reset : s.V_m;
    s.free_at = fired ? now + 1.0 + d.refractory_steps : s.free_at;
    s.g_sfa += fired ? d.q_sfa : 0.0;
    s.g_rr += fired ? d.q_rr : 0.0;
    ExpConductances::arrive(s.synapses, d.synapses, in.spikes);
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_cond_exp_sfa_rr, IafCondExpSfaRr)
