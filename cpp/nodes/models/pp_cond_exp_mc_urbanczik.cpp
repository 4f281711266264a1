// SPDX-License-Identifier: Apache-2.0
/// Two-compartment point-process neuron of Urbanczik & Senn (2014): the dendrite predicts the potential of the soma, spikes are drawn with
/// a rate of the soma's potential, and urbanczik_synapse learns from how much they differ from the prediction.
#include "model/propagators.hpp"
#include "model/random_step.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct PpCondExpMcUrbanczik {
  static constexpr const char* name = "pp_cond_exp_mc_urbanczik";
  static constexpr const char* doc =
      "Point-process neuron of a soma and a dendrite, with rate phi_max / (1 + rate_slope exp(beta (theta - V_m.s))) per ms; receptors: 1, "
      "2 "
      "open conductances that excite and inhibit the soma, 3, 4 are currents into the dendrite; currents of devices flow into the soma.";
  static constexpr Face face{.receptors = "soma_exc soma_inh dendritic_exc dendritic_inh soma_curr dendritic_curr",
                             .compartments = "soma=V_m.s dendritic=V_m.p"};
  static constexpr int receptors = 4;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    double t_ref, phi_max, rate_slope, beta, theta, g_sp, g_ps;
    double soma_E_L, soma_C_m, soma_g_L, soma_I_e, soma_E_ex, soma_E_in, soma_tau_syn_ex, soma_tau_syn_in;
    double dendritic_E_L, dendritic_C_m, dendritic_g_L, dendritic_I_e, dendritic_tau_syn_ex, dendritic_tau_syn_in;
  };
  static constexpr std::array parameters{
      Field{"t_ref", "ms", 3.0, "Time after a spike in which there is no other; 0: several spikes in a step are possible",
            Bound::non_negative},
      Field{"phi_max", "1/ms", 0.15, "Largest rate", Bound::non_negative},
      Field{"rate_slope", "", 0.5, "Factor of the exponential in the rate", Bound::non_negative},
      Field{"beta", "1/mV", 1.0 / 3.0, "Steepness of the rate"},
      Field{"theta", "mV", -55.0, "Potential at which the rate is phi_max / (1 + rate_slope)"},
      Field{"g_sp", "nS", 600.0, "Conductance from the dendrite to the soma", Bound::non_negative},
      Field{"g_ps", "nS", 0.0, "Conductance from the soma to the dendrite", Bound::non_negative},
      Field{"soma_E_L", "mV", -70.0, "Leak reversal potential"},
      Field{"soma_C_m", "pF", 300.0, "Capacitance", Bound::positive},
      Field{"soma_g_L", "nS", 30.0, "Leak conductance", Bound::positive},
      Field{"soma_I_e", "pA", 0.0, "Constant current"},
      Field{"soma_E_ex", "mV", 0.0, "Excitatory reversal potential"},
      Field{"soma_E_in", "mV", -75.0, "Inhibitory reversal potential"},
      Field{"soma_tau_syn_ex", "ms", 3.0, "Time constant of the excitatory conductance", Bound::positive},
      Field{"soma_tau_syn_in", "ms", 3.0, "Time constant of the inhibitory conductance", Bound::positive},
      Field{"dendritic_E_L", "mV", -70.0, "Leak reversal potential"},
      Field{"dendritic_C_m", "pF", 300.0, "Capacitance", Bound::positive},
      Field{"dendritic_g_L", "nS", 30.0, "Leak conductance", Bound::positive},
      Field{"dendritic_I_e", "pA", 0.0, "Constant current"},
      Field{"dendritic_tau_syn_ex", "ms", 3.0, "Time constant of the excitatory current", Bound::positive},
      Field{"dendritic_tau_syn_in", "ms", 3.0, "Time constant of the inhibitory current", Bound::positive},
  };

  struct State {
    double V_s, V_p, g_ex, g_in, I_ex, I_in, spikes, free_at, h;
  };
  static constexpr std::array state{
      Field{"V_m.s", "mV", -70.0, "Potential of the soma"},
      Field{"V_m.p", "mV", -70.0, "Potential of the dendrite"},
      Field{"g_ex.s", "nS", 0.0, "Excitatory conductance of the soma"}.with(Mark::recorded_only),
      Field{"g_in.s", "nS", 0.0, "Inhibitory conductance of the soma"}.with(Mark::recorded_only),
      Field{"I_ex.p", "pA", 0.0, "Excitatory current into the dendrite"}.with(Mark::recorded_only),
      Field{"I_in.p", "pA", 0.0, "Inhibitory current into the dendrite, negative"}.with(Mark::recorded_only),
      Field{"_spikes", "", 0.0, "Number of spikes of the last step"},
      Field{"_free_at", "steps", 0.0, "First step in which there may be a spike"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };

  struct Derived {
    double dt, phi_max, rate_slope, beta, theta, g_sp, g_ps, dead_steps;
    double E_L_s, g_L_s, I_e_s, per_C_s, E_ex, E_in, rate_ex_s, rate_in_s;
    double E_L_p, g_L_p, I_e_p, per_C_p, rate_ex_p, rate_in_p;
    double share_p, predicted_E_L;      ///< the soma's potential predicted by the dendrite is share_p V_p + predicted_E_L
    std::array<double, 5> of_dendrite;  ///< see constants
  };
  static Derived derive(const Params& p, double h) {
    const double g = p.soma_g_L + p.g_sp, tau_L = p.dendritic_C_m / p.dendritic_g_L;
    const double ex = p.dendritic_tau_syn_ex, in = p.dendritic_tau_syn_in;
    const double steps = p.t_ref > 0.0 ? std::max(1.0, whole_steps(p.t_ref, h)) : 0.0;
    return {
        h,
        p.phi_max,
        p.rate_slope,
        p.beta,
        p.theta,
        p.g_sp,
        p.g_ps,
        steps,
        p.soma_E_L,
        p.soma_g_L,
        p.soma_I_e,
        1.0 / p.soma_C_m,
        p.soma_E_ex,
        p.soma_E_in,
        1.0 / p.soma_tau_syn_ex,
        1.0 / p.soma_tau_syn_in,
        p.dendritic_E_L,
        p.dendritic_g_L,
        p.dendritic_I_e,
        1.0 / p.dendritic_C_m,
        1.0 / ex,
        1.0 / in,
        p.g_sp / g,
        p.soma_E_L * p.soma_g_L / g,
        {decay(h, tau_L), decay(h, ex), unit * exp_propagator(ex, tau_L, 1.0, h), decay(h, in), unit * exp_propagator(in, tau_L, 1.0, h)}};
  }

  static constexpr std::size_t n_ode = 6;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const auto [V_s, V_p, g_ex, g_in, I_ex, I_in] = y;
    const double soma =
        d.I_e_s + current - d.g_L_s * (V_s - d.E_L_s) + d.g_sp * (V_p - V_s) + g_ex * (d.E_ex - V_s) + g_in * (d.E_in - V_s);
    const double dendrite = d.I_e_p - d.g_L_p * (V_p - d.E_L_p) + d.g_ps * (V_s - V_p) + I_ex + I_in;
    return {soma * d.per_C_s, dendrite * d.per_C_p, -g_ex * d.rate_ex_s, -g_in * d.rate_in_s, -I_ex * d.rate_ex_p, -I_in * d.rate_in_p};
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    constexpr std::uint64_t id = 0x75726263u;  // "urbc": no other use of Purpose::model has it
    const double now = static_cast<double>(in.step), expected = phi(s.V_s, d) * d.dt;
    const bool may = (now >= s.free_at) & (expected > 0.0);
    s.spikes =
        may ? poisson_number(uniform_of_step(in.seed, id, in.gid, in.step), expected, d.dead_steps > 0.0 ? 1.0 : most_in_a_step) : 0.0;
    s.free_at = (s.spikes > 0.0) & (d.dead_steps > 0.0) ? now + 1.0 + d.dead_steps : s.free_at;
    s.g_ex += in.spikes[0], s.g_in += in.spikes[1], s.I_ex += in.spikes[2], s.I_in -= in.spikes[3];
    return s.spikes;
  }

  static constexpr const char* what_history = "dendritic prediction";
  static constexpr std::array<std::string_view, 0> waits{};
  NPL_INLINE static double wait_steps(const Derived&) { return 0.0; }
  /// (S - phi(V*) dt) h(V*), h = d ln phi / dV per 15 mV, of the potential V* that the dendrite predicts.
  NPL_INLINE static Recorded record(const State& s, const Derived& d, const std::array<double, 0>&) {
    const double predicted = d.share_p * s.V_p + d.predicted_E_L, e = d.rate_slope * math::exp(d.beta * (d.theta - predicted));
    const double share = math::choose(e < 1e300, e / (1.0 + e), 1.0);
    return {(s.spikes - d.phi_max / (1.0 + e) * d.dt) * (unit * d.beta * share), 0.0};
  }
  /// How a spike acts on the dendrite: the decay of its potential in a step; of excitation, then of inhibition, the decay of the current in
  /// a step and its effect on the potential.
  static constexpr std::size_t n_constants = 5;
  NPL_INLINE static std::array<double, n_constants> constants(const Derived& d) { return d.of_dendrite; }

 private:
  static constexpr double unit = 15.0;  ///< [mV] per unit of potential of the paper
  static constexpr double most_in_a_step = 1000.0;
  NPL_INLINE static double phi(double V, const Derived& d) { return d.phi_max / (1.0 + d.rate_slope * math::exp(d.beta * (d.theta - V))); }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(pp_cond_exp_mc_urbanczik, PpCondExpMcUrbanczik)
