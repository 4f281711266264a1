// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with alpha-shaped currents and spikes between grid points (Morrison et al. 2007, Neural Comput 19:47).
#include "model/iaf_psc_ps.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscAlphaPs : IafPscPs {
  static constexpr const char* name = "iaf_psc_alpha_ps";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with alpha-shaped synaptic currents; spikes have times between grid points.";

  struct State {
    double V_m, I_syn_ex, I_syn_in, dI_syn_ex, dI_syn_in, is_refractory, free_step, free_offset;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::read_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::read_only),
      Field{"dI_syn_ex", "pA/ms", 0.0, "Rise of the excitatory current"}.with(Mark::read_only, Mark::status_only),
      Field{"dI_syn_in", "pA/ms", 0.0, "Rise of the inhibitory current"}.with(Mark::read_only, Mark::status_only),
      NPL_PRECISE_STATE,
  };

  template <class Time>
  NPL_INLINE static double V_after(const State& s, const Derived& d, double current, Time t) {
    const double ex = ex_onto_V(s.I_syn_ex, d, t) + ex_rise_onto_V(s.dI_syn_ex, d, t);
    const double in = in_onto_V(s.I_syn_in, d, t) + in_rise_onto_V(s.dI_syn_in, d, t);
    return s.V_m + (leak(s.V_m, d, current, t) + (ex + in));
  }
  template <class Time>
  NPL_INLINE static void propagate(State& s, const Derived& d, double current, Time dt, bool clamped) {
    if (!clamped) s.V_m = at_least(V_after(s, d, current, dt), d.V_min);
    const double ex = P_ex(d, dt), in = P_in(d, dt);
    s.I_syn_ex = (s.I_syn_ex + s.dI_syn_ex * dt) * ex;
    s.I_syn_in = (s.I_syn_in + s.dI_syn_in * dt) * in;
    s.dI_syn_ex *= ex;
    s.dI_syn_in *= in;
  }
  NPL_STEP static double crossing(const State& before, const State& after, const Derived& d, double current, double dt) {
    return crossing_at_end(after, d, dt, [&](double t) { return V_after(before, d, current, t); });
  }
  NPL_INLINE static void receive(State& s, const Derived& d, const double* weights, double) {
    constexpr double e = 2.718281828459045235;
    s.dI_syn_ex += weights[0] * (e / d.tau_ex);
    s.dI_syn_in += weights[1] * (e / d.tau_in);
  }
};

}  // namespace npl::model

#include "nodes/precise_step.hpp"

NPL_PRECISE_NEURON(iaf_psc_alpha_ps, IafPscAlphaPs)
