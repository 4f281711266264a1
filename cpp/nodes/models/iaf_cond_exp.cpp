// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with exponentially decaying conductances (Meffin, Burkitt & Grayden 2004).
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafCondExp {
  static constexpr const char* name = "iaf_cond_exp";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron with exponentially decaying synaptic conductances.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, t_ref, V_th, V_reset, E_ex, E_in, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Leak reversal potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"g_L", "nS", 16.6667, "Leak conductance"},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
      Field{"V_reset", "mV", -60.0, "Potential after a spike"},
      Field{"E_ex", "mV", 0.0, "Excitatory reversal potential"},
      Field{"E_in", "mV", -85.0, "Inhibitory reversal potential"},
      Field{"tau_syn_ex", "ms", 0.2, "Time constant of the excitatory conductance", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of the inhibitory conductance", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, g_ex, g_in, free_at, h;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},    Field{"g_ex", "nS", 0.0, "Excitatory conductance"},
      Field{"g_in", "nS", 0.0, "Inhibitory conductance"}, Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  struct Derived {
    double dt, E_L, g_L, E_ex, E_in, I_e, per_C, rate_ex, rate_in, V_th, V_reset, refractory_steps;
  };

  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }

  static Derived derive(const Params& p, double h) {
    return {h,
            p.E_L,
            p.g_L,
            p.E_ex,
            p.E_in,
            p.I_e,
            1.0 / p.C_m,
            1.0 / p.tau_syn_ex,
            1.0 / p.tau_syn_in,
            p.V_th,
            p.V_reset,
            whole_steps(p.t_ref, h)};
  }

  static constexpr std::size_t n_ode = 3;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const auto [V, g_ex, g_in] = y;
    return {((d.I_e + current) - d.g_L * (V - d.E_L) - g_ex * (V - d.E_ex) - g_in * (V - d.E_in)) * d.per_C, -g_ex * d.rate_ex,
            -g_in * d.rate_in};
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    s.V_m = now >= s.free_at ? s.V_m : d.V_reset;
    const bool fired = s.V_m >= d.V_th;
    s.V_m = fired ? d.V_reset : s.V_m;
    s.free_at = fired ? now + 1.0 + d.refractory_steps : s.free_at;
    s.g_ex += in.spikes[0];
    s.g_in -= in.spikes[1];
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_cond_exp, IafCondExp)
