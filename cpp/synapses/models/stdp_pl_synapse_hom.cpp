// SPDX-License-Identifier: Apache-2.0
/// STDP with power-law potentiation and multiplicative depression (Morrison, Aertsen & Diesmann 2007).
#include "base/math.hpp"
#include "synapses/varied_pairs.hpp"

namespace npl::synapses {
namespace {

struct PowerLawRule {
  static constexpr int parameters = 6;  ///< with that of the axonal delay
  static constexpr int initial = 6;     ///< K+ at time 0
  double tau_plus, tau_minus, lambda, alpha, mu;
  double power_of_zero;                       ///< 0^mu: 1 when potentiation is additive
  static constexpr double least = 0x1p-1022;  ///< smaller weights count as 0

  NPL_INLINE explicit PowerLawRule(const double* p)
      : tau_plus(p[0]), tau_minus(p[1]), lambda(p[2]), alpha(p[3]), mu(p[4]), power_of_zero(mu == 0.0 ? 1.0 : 0.0) {}
  static void check(const double*) {}
  static double largest_weight() { return 0.0; }
  static WeightBounds weight_bounds() { return {}; }
  NPL_INLINE double facilitate(double w, double k) const {
    const double power = math::pow_13(w, mu);
    return w + lambda * (w >= least ? power : power_of_zero) * k;
  }
  NPL_INLINE double depress(double w, double k) const {
    const double x = w - lambda * alpha * w * k;
    return x > 0.0 ? x : 0.0;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_pl_synapse_hom,
    with_face<SynapseInfo>(
        pair_synapse<PowerLawRule>("stdp_pl_synapse_hom", "Spike-timing dependent plasticity with power-law potentiation, all pairs.",
                                   {{"tau_plus", "ms", 20.0, "Time constant of potentiation", Bound::positive},
                                    Field{"tau_minus", "ms", 20.0, "Time constant of depression", Bound::positive}.with(Mark::of_target),
                                    {"lambda", "", 0.1, "Learning rate"},
                                    {"alpha", "", 1.0, "Asymmetry of depression"},
                                    {"mu", "", 0.4, "Exponent of potentiation", Bound::non_negative},
                                    axonal_field(),
                                    initial_trace_field()}),
        {.common = true}))
