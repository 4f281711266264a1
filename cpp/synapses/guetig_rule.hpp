// SPDX-License-Identifier: Apache-2.0
/// STDP weight dependence with exponents mu (Guetig et al. 2003): additive for mu = 0, multiplicative for mu = 1.
#pragma once
#include <cmath>
#include <limits>

#include "base/math.hpp"
#include "synapses/exponents.hpp"
#include "synapses/varied_pairs.hpp"

namespace npl::synapses {

struct GuetigRule {
  static constexpr int parameters = 8;  ///< with that of the axonal delay
  static constexpr int initial = 8;     ///< K+ at time 0
  double tau_plus, tau_minus, lambda, alpha, mu_plus, mu_minus, Wmax;

  /// Wmax of 0: weights are 0 from the first change on. A step size that is not a number makes `up` and `down` return their bound.
  NPL_INLINE explicit GuetigRule(const double* p)
      : tau_plus(p[0]),
        tau_minus(p[1]),
        lambda(p[6] == 0.0 ? std::numeric_limits<double>::quiet_NaN() : p[2]),
        alpha(p[3]),
        mu_plus(p[4]),
        mu_minus(p[5]),
        Wmax(p[6]) {}
  static void check(const double*) {}
  double largest_weight() const { return std::fabs(Wmax); }
  WeightBounds weight_bounds() const { return WeightBounds::up_to(Wmax); }
  NPL_INLINE double facilitate(double w, double k) const { return up(w, k, power(1.0 - w / Wmax, mu_plus)); }
  NPL_INLINE double depress(double w, double k) const { return down(w, k, power(w / Wmax, mu_minus)); }

  /// facilitate and depress for loops over synapses of which this rule tells what they have in common: the kind of exponent is chosen
  /// before.
  template <class Loop>
  NPL_INLINE void facilitation(Loop&& loop) const {
    by_exponent(
        mu_plus, [](double x, double y) NPL_INLINE_LAMBDA { return any_power(x, y); },
        [&](auto raise) NPL_INLINE_LAMBDA {
          loop([raise](const GuetigRule& r, double w, double k)
                   NPL_INLINE_LAMBDA { return r.up(w, k, raise(1.0 - w / r.Wmax, r.mu_plus)); });
        });
  }
  template <class Loop>
  NPL_INLINE void depression(Loop&& loop) const {
    by_exponent(
        mu_minus, [](double x, double y) NPL_INLINE_LAMBDA { return any_power(x, y); },
        [&](auto raise) NPL_INLINE_LAMBDA {
          loop([raise](const GuetigRule& r, double w, double k) NPL_INLINE_LAMBDA { return r.down(w, k, raise(w / r.Wmax, r.mu_minus)); });
        });
  }

 private:
  NPL_INLINE static double power(double base, double exponent) {
    return exponent == 1.0 ? base : exponent == 0.0 ? 1.0 : math::pow(base, exponent);
  }
  /// Powers of numbers >= 0. A weight rounded to above Wmax makes 1 - w / Wmax negative: any power < 1 will do, `up` returns Wmax.
  NPL_INLINE static double power_of_share(double x, double y) { return math::choose(x > 0.0, math::pow_positive(x, y), 0.0); }
  NPL_INLINE static double any_power(double x, double y) {
    return math::choose(y == 1.0, x, math::choose(y == 0.0, 1.0, power_of_share(x, y)));
  }
  NPL_INLINE double up(double w, double k, double power) const {
    const double x = w / Wmax + lambda * power * k;
    return x < 1.0 ? x * Wmax : Wmax;
  }
  NPL_INLINE double down(double w, double k, double power) const {
    const double x = w / Wmax - alpha * lambda * power * k;
    return x > 0.0 ? x * Wmax : 0.0;
  }
};

/// Parameters with the names of NEST.
inline std::vector<Field> guetig_fields() {
  return {{"tau_plus", "ms", 20.0, "Time constant of potentiation", Bound::non_negative},
          Field{"tau_minus", "ms", 20.0, "Time constant of depression", Bound::positive}.with(Mark::of_target),
          {"lambda", "", 0.01, "Step size"},
          {"alpha", "", 1.0, "Asymmetry of depression"},
          {"mu_plus", "", 1.0, "Exponent of weight dependence, potentiation", Bound::non_negative},
          {"mu_minus", "", 1.0, "Exponent of weight dependence, depression", Bound::non_negative},
          {"Wmax", "", 100.0, "Largest weight (its sign is the sign of the weights)"},
          axonal_field(),
          initial_trace_field()};
}

/// Synapse model with this weight dependence and the pairing scheme P.
template <Pairing P>
SynapseInfo guetig_synapse(const char* name, const char* doc) {
  return pair_synapse<GuetigRule, P>(name, doc, guetig_fields());
}

}  // namespace npl::synapses
