// SPDX-License-Identifier: Apache-2.0
/// Leaky integrate-and-fire neuron with exponential currents and spikes between grid points
/// (Hanuschkin et al. 2010, Front Neuroinform 4:113).
#include "model/iaf_psc_ps.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafPscExpPs : IafPscPs {
  static constexpr const char* name = "iaf_psc_exp_ps";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with exponentially decaying synaptic currents; spikes have times between grid points.";

  struct State {
    double V_m, I_syn_ex, I_syn_in, is_refractory, free_step, free_offset;
  };
  static constexpr std::array state{
      Field{"V_m", "mV", -70.0, "Membrane potential"},
      Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::status_only),
      Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::status_only),
      NPL_PRECISE_STATE,
  };

  template <class Time>
  NPL_INLINE static double V_after(const State& s, const Derived& d, double current, Time t) {
    return s.V_m + (leak(s.V_m, d, current, t) + (ex_onto_V(s.I_syn_ex, d, t) + in_onto_V(s.I_syn_in, d, t)));
  }
  template <class Time>
  NPL_INLINE static void propagate(State& s, const Derived& d, double current, Time dt, bool clamped) {
    if (!clamped) s.V_m = at_least(V_after(s, d, current, dt), d.V_min);
    s.I_syn_ex *= P_ex(d, dt);
    s.I_syn_in *= P_in(d, dt);
  }
  NPL_STEP static double crossing(const State& before, const State& after, const Derived& d, double current, double dt) {
    return crossing_at_end(after, d, dt, [&](double t) { return V_after(before, d, current, t); });
  }
  NPL_INLINE static void receive(State& s, const Derived&, const double* weights, double) {
    s.I_syn_ex += weights[0], s.I_syn_in += weights[1];
  }
};

}  // namespace npl::model

#include "nodes/precise_step.hpp"

NPL_PRECISE_NEURON(iaf_psc_exp_ps, IafPscExpPs)
