// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with exponential currents; exact integration after Rotter & Diesmann (1999).
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "nodes/propagators.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

struct IafPscExp {
  static constexpr const char* name = "iaf_psc_exp";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron with exponentially decaying synaptic currents.";
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref, V_th, V_reset, tau_syn_ex, tau_syn_in, I_e;
  };
  static constexpr std::array parameters{
      Field{"E_L", "mV", -70.0, "Resting potential"},
      Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
      Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold"},
      Field{"V_reset", "mV", -70.0, "Potential after a spike"},
      Field{"tau_syn_ex", "ms", 2.0, "Time constant of excitatory currents", Bound::positive},
      Field{"tau_syn_in", "ms", 2.0, "Time constant of inhibitory currents", Bound::positive},
      Field{"I_e", "pA", 0.0, "Constant current"},
  };

  struct State {
    double V_m, I_syn_ex, I_syn_in, refractory;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"},
      Field{"_refractory", "steps", 0.0, "Steps of refractoriness left"},
  };

  struct Derived {
    double E_L, V_th, V_reset, I_e, refractory_steps;
    double P_mm, P_m0, P_mex, P_min, P_ex, P_in;
  };

  static void check(const Params& p) {
    if (p.V_reset >= p.V_th) throw BadParameter("V_reset", p.V_reset, "below V_th");
  }

  static Derived derive(const Params& p, double h) {
    const double decay = std::exp(-h / p.tau_m);
    return {p.E_L, p.V_th, p.V_reset, p.I_e, std::round(p.t_ref / h),
            decay, p.tau_m / p.C_m * (1.0 - decay),
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h), exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            std::exp(-h / p.tau_syn_ex), std::exp(-h / p.tau_syn_in)};
  }

  NPL_INLINE static std::int64_t step(State& s, const Derived& d, const Input<receptors>& in) {
    const double V = d.E_L + (s.V_m - d.E_L) * d.P_mm + s.I_syn_ex * d.P_mex + s.I_syn_in * d.P_min + (d.I_e + in.current) * d.P_m0;
    const bool free = s.refractory <= 0.0;
    s.I_syn_ex = s.I_syn_ex * d.P_ex + in.spikes[0];
    s.I_syn_in = s.I_syn_in * d.P_in + in.spikes[1];
    const double V_next = free ? V : s.V_m;
    const bool fired = V_next >= d.V_th;
    s.V_m = fired ? d.V_reset : V_next;
    s.refractory = fired ? d.refractory_steps : (free ? 0.0 : s.refractory - 1.0);
    return fired;
  }
};

}  // namespace npl::nodes

NPL_NEURON(iaf_psc_exp, IafPscExp)
