// SPDX-License-Identifier: Apache-2.0
/// Neuron of Casti et al. (2008): alpha-shaped conductances; a spike does not reset the potential but opens an after-hyperpolarising
/// conductance.
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafChxk2008 {
  static constexpr const char* name = "iaf_chxk_2008";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with alpha-shaped conductances and an after-hyperpolarising one instead of a reset.";
  static constexpr Face face{.off_grid = true};
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;
  using Synapses = AlphaConductances;

  struct Params {
    double E_L, C_m, g_L, V_th, I_e, tau_ahp, E_ahp, g_ahp, ahp_bug;
    Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -60.0, "Leak reversal potential"},
          Field{"C_m", "pF", 1000.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 100.0, "Leak conductance"},
          Field{"V_th", "mV", -45.0, "Spike threshold, to be crossed from below", Bound::not_nan},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"tau_ahp", "ms", 0.5, "Rise time of the after-hyperpolarising conductance", Bound::positive},
          Field{"E_ahp", "mV", -95.0, "Its reversal potential"},
          Field{"g_ahp", "nS", 443.8, "Its peak", Bound::non_negative},
          Field{"ahp_bug", "0 or 1", 0.0, "Does a spike replace what is left of the conductance, instead of adding to it?"},
      },
      Synapses::parameters(20.0, -90.0, 1.0, 1.0));

  /// Recorded currents are those at the end of the step.
  struct State {
    double V_m;
    Synapses::Vars synapses;
    double ahp, dahp, V_before, I_ex, I_in, I_ahp, h;
  };
  static constexpr auto state =
      joined(std::array{Field{"V_m", "mV", -60.0, "Membrane potential"}}, with(Synapses::state, Mark::recorded_only),
             std::array{
                 Field{"g_ahp_now", "nS", 0.0, "After-hyperpolarising conductance"}.with(Mark::recorded_only).known_as("g_ahp"),
                 Field{"_dg_ahp", "nS/ms", 0.0, "Its rise"},
                 Field{"_V_before", "mV", 0.0, "Potential at the beginning of the step"},
                 Field{"I_syn_ex", "pA", 0.0, "Excitatory current out of the neuron"}.with(Mark::recorded_only),
                 Field{"I_syn_in", "pA", 0.0, "Inhibitory current out of the neuron"}.with(Mark::recorded_only),
                 Field{"I_ahp", "pA", 0.0, "After-hyperpolarising current out of the neuron"}.with(Mark::recorded_only),
                 Field{"_h", "ms", 0.0, "Next substep to try"},
             });

  struct Derived {
    double dt, E_L, g_L, I_e, per_C, V_th, E_ahp, rate_ahp, jump_ahp, kept;
    Synapses::Derived synapses;
  };
  static Forbidden check(const Params& p) {
    if (p.ahp_bug != 0.0 && p.ahp_bug != 1.0) return {"ahp_bug", p.ahp_bug, "0 or 1"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {h,
            p.E_L,
            p.g_L,
            p.I_e,
            1.0 / p.C_m,
            p.V_th,
            p.E_ahp,
            1.0 / p.tau_ahp,
            p.g_ahp * beta_jump(p.tau_ahp, p.tau_ahp),
            1.0 - p.ahp_bug,
            Synapses::derive(p.synapses)};
  }

  static constexpr std::size_t n_ode = 7;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double V = y[0];
    const auto synapses = part_of<1, 4>(y);
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) + Synapses::current(synapses, d.synapses, V) + y[5] * (d.E_ahp - V);
    return slopes_of(I * d.per_C, Synapses::slopes(synapses, d.synapses), y[6] - y[5] * d.rate_ahp, -y[6] * d.rate_ahp);
  }

  NPL_INLINE static void begin(State& s) { s.V_before = s.V_m; }

  /// The conductance begins when the straight line through the step crosses the threshold.
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool fired = (s.V_before < d.V_th) & (s.V_m >= d.V_th);
    const double rise = s.V_m - s.V_before, since = d.dt * (s.V_m - d.V_th) / (fired ? rise : 1.0);
    const double slope = d.jump_ahp * math::exp(-(fired ? since : 0.0) * d.rate_ahp);
    s.ahp = fired ? s.ahp * d.kept + slope * since : s.ahp;
    s.dahp = fired ? s.dahp * d.kept + slope : s.dahp;
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    s.I_ex = s.synapses[0] * (s.V_m - d.synapses.E_ex);
    s.I_in = s.synapses[2] * (s.V_m - d.synapses.E_in);
    s.I_ahp = s.ahp * (s.V_m - d.E_ahp);
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_chxk_2008, IafChxk2008)
