// SPDX-License-Identifier: Apache-2.0
/// Neuron of Brunel & Wang (2001) with AMPA, GABA and NMDA receptors, NMDA with a magnesium block. The saturating gate
/// of NMDA depends on the spikes of the source alone; nmda_synapse keeps it, with an instantaneous rise.
#include <array>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafBw2001 {
  static constexpr const char* name = "iaf_bw_2001";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron of Brunel & Wang; receptors 1 AMPA, 2 GABA, 3 NMDA; a weight is a conductance.";
  static constexpr Face face{.receptors = "AMPA GABA NMDA", .own_synapse = "3=nmda_synapse", .receptors_from_1 = true, .off_grid = true};
  static constexpr int receptors = 3;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    double E_L, E_ex, E_in, V_th, V_reset, C_m, g_L, t_ref, tau_AMPA, tau_GABA, tau_rise_NMDA, tau_decay_NMDA, alpha, conc_Mg2,
        gsl_error_tol;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Leak reversal potential"},
      Field{"E_ex", "mV", 0.0, "Excitatory reversal potential"},
      Field{"E_in", "mV", -70.0, "Inhibitory reversal potential"},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -60.0, "Potential after a spike"},
      Field{"C_m", "pF", 500.0, "Membrane capacitance", Bound::positive},
      Field{"g_L", "nS", 25.0, "Leak conductance"},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"tau_AMPA", "ms", 2.0, "Time constant of AMPA", Bound::positive},
      Field{"tau_GABA", "ms", 5.0, "Time constant of GABA", Bound::positive},
      Field{"tau_rise_NMDA", "ms", 2.0, "Rise time constant of NMDA, of the synapses of this source", Bound::positive},
      Field{"tau_decay_NMDA", "ms", 100.0, "Decay time constant of NMDA", Bound::positive},
      Field{"alpha", "1/ms", 0.5, "Rate of opening of NMDA, of the synapses of this source", Bound::positive},
      Field{"conc_Mg2", "mM", 1.0, "Concentration of magnesium", Bound::positive},
      Field{"gsl_error_tol", "", 1e-3, "Absolute error allowed per substep of the solver (the name is NEST's)", Bound::positive},
  };

  /// Currents flow out of the neuron; recorded ones are those before the spikes at the end of the step.
  struct State {
    double V_m;
    std::array<double, 3> s;
    double free_at, I_AMPA, I_GABA, I_NMDA, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"s_AMPA", "nS", 0.0, "Gating of AMPA times weights", Bound::non_negative},
      Field{"s_GABA", "nS", 0.0, "Gating of GABA times weights", Bound::non_negative},
      Field{"s_NMDA", "nS", 0.0, "Gating of NMDA times weights", Bound::non_negative},
      Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
      Field{"I_AMPA", "pA", 0.0, "AMPA current"}.with(Mark::read_only),
      Field{"I_GABA", "pA", 0.0, "GABA current"}.with(Mark::read_only),
      Field{"I_NMDA", "pA", 0.0, "NMDA current"}.with(Mark::read_only),
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  struct Derived {
    double dt, E_L, E_ex, E_in, V_th, V_reset, per_C, g_L, refractory_steps;
    std::array<double, 3> rate;
    double block, tolerance;
  };
  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {h,
            p.E_L,
            p.E_ex,
            p.E_in,
            p.V_th,
            p.V_reset,
            1.0 / p.C_m,
            p.g_L,
            whole_steps(p.t_ref, h),
            {1.0 / p.tau_AMPA, 1.0 / p.tau_GABA, 1.0 / p.tau_decay_NMDA},
            p.conc_Mg2 / 3.57,
            std::min(1e-4, p.gsl_error_tol)};
  }

  static constexpr std::size_t n_ode = 4;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived& d) { return d.tolerance; }

  struct Currents {
    double AMPA, GABA, NMDA;
  };
  NPL_INLINE static Currents currents(double V, double AMPA, double GABA, double NMDA, const Derived& d) {
    return {AMPA * (V - d.E_ex), GABA * (V - d.E_in), NMDA * (V - d.E_ex) / (1.0 + d.block * math::exp(-0.062 * V))};
  }
  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const Currents I = currents(y[0], y[1], y[2], y[3], d);
    return {(current - d.g_L * (y[0] - d.E_L) - I.AMPA - I.NMDA - I.GABA) * d.per_C, -y[1] * d.rate[0], -y[2] * d.rate[1],
            -y[3] * d.rate[2]};
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const Currents I = currents(s.V_m, s.s[0], s.s[1], s.s[2], d);
    s.I_AMPA = I.AMPA, s.I_GABA = I.GABA, s.I_NMDA = I.NMDA;
    const double now = static_cast<double>(in.step);
    s.V_m = now >= s.free_at ? s.V_m : d.V_reset;
    const bool fired = s.V_m >= d.V_th;
    s.V_m = fired ? d.V_reset : s.V_m;
    s.free_at = fired ? now + 1.0 + d.refractory_steps : s.free_at;
    s.s = {s.s[0] + in.spikes[0], s.s[1] + in.spikes[1], s.s[2] + in.spikes[2]};
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_bw_2001, IafBw2001)
