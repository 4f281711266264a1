// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"
#include "model/step.hpp"

namespace npl::model {

/// aeif_cond_alpha with the slow inward current of astrocytes: what arrives in a step flows in the next one.
struct AeifCondAlphaAstro : Aeif<BySign<AlphaConductances, AeifConductanceDefaults>> {
  using Synapses = BySign<AlphaConductances, AeifConductanceDefaults>;
  using Base = Aeif<Synapses>;
  static constexpr const char* name = "aeif_cond_alpha_astro";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron with alpha-shaped conductances and slow inward currents of astrocytes.";

  static constexpr std::size_t at_sic = n_ode;
  struct State {
    double V_m;
    Synapses::Vars synapses;
    double w, I_SIC, refractory, h;
  };
  static constexpr auto state =
      joined(part_of<0, n_ode>(Base::state), std::array{Field{"I_SIC", "pA", 0.0, "Slow inward current"}.with(Mark::recorded_only)},
             part_of<n_ode, 2>(Base::state));

  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    return Base::rhs(y, s, d, current + s.I_SIC);
  }
  struct Exactly : AeifExactly<State, Derived>, LinearChannels<Derived, Synapses> {
    NPL_INLINE static Own slopes(const Own& y, double a, double b, const State& s, const Derived& d, double current, Start& start) {
      return AeifExactly<State, Derived>::slopes(y, a, b, s, d, current + s.I_SIC, start);
    }
  };
  static ContinuousInfo continuous() { return {{}, {{"sic"}}, true}; }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

namespace npl::nodes {

template <class M>
void update_astro(const GroupView& g) {
  update_rkf45<M>(g);
  double* sic = g.state[M::at_sic];
  for (std::size_t i = g.begin; i < g.begin + g.n; ++i) sic[i] = g.taken ? g.taken[0][i] : 0.0;
}

}  // namespace npl::nodes

NPL_NEURON_WITH(aeif_cond_alpha_astro, AeifCondAlphaAstro, update_astro<AeifCondAlphaAstro>)
