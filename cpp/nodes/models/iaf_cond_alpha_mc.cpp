// SPDX-License-Identifier: Apache-2.0
/// Three compartments in a row (soma, proximal and distal dendrite; Nordlie & Plesser), each with alpha-shaped conductances; spikes in
/// the soma.
#include <algorithm>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafCondAlphaMc {
  static constexpr const char* name = "iaf_cond_alpha_mc";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron of three compartments; receptors: 1, 2 excite and inhibit the soma, 3, 4 the proximal, 5, 6 the "
      "distal dendrite; "
      "currents go to the compartment with their receptor: 0 soma, 1 proximal, 2 distal.";
  static constexpr Face face{
      .receptors = "soma_exc soma_inh proximal_exc proximal_inh distal_exc distal_inh soma_curr proximal_curr distal_curr",
      .compartments = "soma=V_m.s proximal=V_m.p distal=V_m.d"};
  static constexpr int receptors = 6;
  static constexpr SpikeInput input = SpikeInput::ports;
  static constexpr std::size_t compartments = 3;
  static constexpr int current_ports = 3;
  using Synapses = AlphaConductances;
  template <class T>
  using Each = std::array<T, compartments>;

  struct Compartment {
    double E_L, C_m, g_L, I_e;
    Synapses::Params synapses;
  };
  struct Params {
    double t_ref, V_th, V_reset, g_sp, g_pd;
    Each<Compartment> parts;
  };
#define NPL_COMPARTMENT(c, C, g)                                                                                                    \
  Field{c "_E_L", "mV", -70.0, "Leak reversal potential"}, Field{c "_C_m", "pF", C, "Capacitance", Bound::positive},                \
      Field{c "_g_L", "nS", g, "Leak conductance"}, Field{c "_I_e", "pA", 0.0, "Constant current"},                                 \
      Field{c "_E_ex", "mV", 0.0, "Excitatory reversal potential"}, Field{c "_E_in", "mV", -85.0, "Inhibitory reversal potential"}, \
      Field{c "_tau_syn_ex", "ms", 0.5, "Rise time of the excitatory conductance", Bound::positive}, Field {                        \
    c "_tau_syn_in", "ms", 2.0, "Rise time of the inhibitory conductance", Bound::positive                                          \
  }
  static constexpr std::array parameters{
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"V_th", "mV", -55.0, "Spike threshold of the soma", Bound::not_nan},
      Field{"V_reset", "mV", -60.0, "Potential of the soma after a spike"},
      Field{"g_sp", "nS", 2.5, "Conductance between soma and proximal dendrite", Bound::non_negative},
      Field{"g_pd", "nS", 1.0, "Conductance between proximal and distal dendrite", Bound::non_negative},
      NPL_COMPARTMENT("soma", 150.0, 10.0),
      NPL_COMPARTMENT("proximal", 75.0, 5.0),
      NPL_COMPARTMENT("distal", 150.0, 10.0),
  };
#undef NPL_COMPARTMENT

  struct State {
    Each<double> V;
    Each<Synapses::Vars> g;
    double t_ref_remaining, free_at;
    std::array<double, 2> currents;  ///< of devices into the dendrites in this step
    double h;
  };
#define NPL_CONDUCTANCES(c)                                                                                 \
  Field{"g_ex." c, "nS", 0.0, "Excitatory conductance", Bound::non_negative}.with(Mark::recorded_only),     \
      Field{"_dg_ex." c, "nS/ms", 0.0, "Its rise"},                                                         \
      Field{"g_in." c, "nS", 0.0, "Inhibitory conductance", Bound::non_negative}.with(Mark::recorded_only), \
      Field{"_dg_in." c, "nS/ms", 0.0, "Its rise"}
  static constexpr std::array state{
      Field{"V_m.s", "mV", -70.0, "Potential of the soma"},
      Field{"V_m.p", "mV", -70.0, "Potential of the proximal dendrite"},
      Field{"V_m.d", "mV", -70.0, "Potential of the distal dendrite"},
      NPL_CONDUCTANCES("s"),
      NPL_CONDUCTANCES("p"),
      NPL_CONDUCTANCES("d"),
      Field{"t_ref_remaining", "ms", 0.0, "Refractoriness left"}.with(Mark::recorded_only),
      Field{"_free_at", "steps", 0.0, "First step in which the soma is integrated again"},
      Field{"_I_p", "pA", 0.0, "Current of devices into the proximal dendrite"},
      Field{"_I_d", "pA", 0.0, "Current of devices into the distal dendrite"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };
#undef NPL_CONDUCTANCES

  struct Part {
    double E_L, g_L, I_e, per_C;
    Synapses::Derived synapses;
  };
  struct Derived {
    double dt, V_th, V_reset, g_sp, g_pd, refractory_steps;
    Each<Part> parts;
  };
  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.V_th) return {"V_reset", p.V_reset, "below V_th"};
    return {};
  }
  static Part derive(const Compartment& c) { return {c.E_L, c.g_L, c.I_e, 1.0 / c.C_m, Synapses::derive(c.synapses)}; }
  static Derived derive(const Params& p, double h) {
    return {h, p.V_th, p.V_reset, p.g_sp, p.g_pd, whole_steps(p.t_ref, h), {derive(p.parts[0]), derive(p.parts[1]), derive(p.parts[2])}};
  }

  static constexpr std::size_t n_ode = 15;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  template <std::size_t C>
  NPL_INLINE static double slope(const Vars& y, double V, const Derived& d, double I) {
    const Part& part = d.parts[C];
    return (part.I_e + I - part.g_L * (V - part.E_L) + Synapses::current(part_of<3 + 4 * C, 4>(y), part.synapses, V)) * part.per_C;
  }
  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const bool clamped = s.t_ref_remaining > 0.0;
    const double soma = clamped ? d.V_reset : y[0], I_sp = d.g_sp * (soma - y[1]), I_pd = d.g_pd * (y[1] - y[2]);
    const auto a = Synapses::slopes(part_of<3, 4>(y), d.parts[0].synapses), b = Synapses::slopes(part_of<7, 4>(y), d.parts[1].synapses),
               c = Synapses::slopes(part_of<11, 4>(y), d.parts[2].synapses);
    const double free = slope<0>(y, soma, d, current - I_sp), proximal = slope<1>(y, y[1], d, s.currents[0] + I_sp - I_pd),
                 distal = slope<2>(y, y[2], d, s.currents[1] + I_pd);
    return {clamped ? 0.0 : free,  // all compartments are held, as in NEST
            clamped ? 0.0 : proximal, clamped ? 0.0 : distal, a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]};
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    s.V[0] = now >= s.free_at ? s.V[0] : d.V_reset;
    const bool fired = s.V[0] >= d.V_th;
    s.V[0] = fired ? d.V_reset : s.V[0];
    s.free_at = fired ? now + 1.0 + d.refractory_steps : s.free_at;
    const double left = s.free_at - (now + 1.0);
    s.t_ref_remaining = (left > 0.0 ? left : 0.0) * d.dt;
    arrive<0>(s, d, in);
    arrive<1>(s, d, in);
    arrive<2>(s, d, in);
    return fired ? 1.0 : 0.0;
  }

 private:
  template <std::size_t C>
  NPL_INLINE static void arrive(State& s, const Derived& d, const Input<receptors>& in) {
    s.g[C][1] += in.spikes[2 * C] * d.parts[C].synapses.jump_ex;
    s.g[C][3] += in.spikes[2 * C + 1] * d.parts[C].synapses.jump_in;
  }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

namespace npl::nodes {

/// Currents into the dendrites are state during the step.
template <class M>
void update_with_currents(const GroupView& g) {
  constexpr std::size_t first = state_index<M>("_I_p");
  for (std::size_t k = 0; k + 1 < M::compartments; ++k) {
    const double* in = g.port_currents ? g.port_currents[k] : nullptr;
    if (in)
      std::copy_n(in, g.n, g.state[first + k]);
    else
      std::fill_n(g.state[first + k], g.n, 0.0);
  }
  update_rkf45<M>(g);
}

}  // namespace npl::nodes

NPL_NEURON_WITH(iaf_cond_alpha_mc, IafCondAlphaMc, update_with_currents<IafCondAlphaMc>)
