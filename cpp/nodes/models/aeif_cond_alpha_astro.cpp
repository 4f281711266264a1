// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"
#include "model/step.hpp"

namespace npl::model {

/// aeif_cond_alpha with the slow inward current of astrocytes: what arrives in a step flows in the next one.
struct AeifCondAlphaAstro {
  using Base = Aeif<BySign<AlphaConductances, AeifConductanceDefaults>>;
  static constexpr const char* name = "aeif_cond_alpha_astro";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron with alpha-shaped conductances and slow inward currents of astrocytes.";
  static constexpr int receptors = Base::receptors;
  static constexpr SpikeInput input = Base::input;
  using Params = Base::Params;
  static constexpr auto parameters = Base::parameters;
  using Derived = Base::Derived;
  static Forbidden check(const Params& p) { return Base::check(p); }
  static Derived derive(const Params& p, double h) { return Base::derive(p, h); }

  static constexpr std::size_t n_ode = Base::n_ode, at_sic = n_ode;
  using Vars = Base::Vars;
  struct State {
    std::array<double, n_ode> vars;
    double I_SIC, refractory, h;
  };
  static constexpr auto state =
      joined(part_of<0, n_ode>(Base::state), std::array{Field{"I_SIC", "pA", 0.0, "Slow inward current"}}, part_of<n_ode, 2>(Base::state));
  static constexpr auto sane = Base::sane;

  NPL_INLINE static double tolerance(const Derived& d) { return Base::tolerance(d); }
  /// The state of the neuron without astrocytes.
  NPL_INLINE static Base::State base(const State& s) {
    Base::State b{};
    for (std::size_t k = 0; k < n_ode; ++k) field(b, k) = s.vars[k];
    b.refractory = s.refractory, b.h = s.h;
    return b;
  }
  NPL_INLINE static void take(State& s, const Base::State& b) {
    for (std::size_t k = 0; k < n_ode; ++k) s.vars[k] = field(b, k);
    s.refractory = b.refractory;
  }
  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    Base::State b{};
    b.refractory = s.refractory;
    return Base::rhs(y, b, d, current + s.I_SIC);
  }
  NPL_INLINE static double accepted(State& s, const Derived& d) {
    Base::State b = base(s);
    const double fired = Base::accepted(b, d);
    return take(s, b), fired;
  }
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    Base::State b = base(s);
    const double fired = Base::finish(b, d, in);
    return take(s, b), fired;
  }
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
