// SPDX-License-Identifier: Apache-2.0
/// Saturating NMDA gating (Brunel & Wang 2001; Wang 1999) with an instantaneous rise: at a spike the gating variable jumps from s to the
/// value that the full equations reach, s' = alpha x (1 - s) with x decaying from 1 with time constant tau_rise.
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// Integral from 0 to x of t^(a-1) exp(-t), for a > 0, by its series.
double lower_gamma(double a, double x) {
  double term = 1.0 / a, sum = term;
  for (int n = 1; n < 10000 && term > 1e-17 * sum; ++n) sum += term *= x / (a + n);
  return sum * math::exp(a * math::log(x) - x);
}

struct Gating {
  static constexpr int parameters = 3, values = 1;
  double tau_decay, from_rest, share;  ///< a jump is from_rest + share * s

  explicit Gating(const double* p) : tau_decay(p[0]) {
    const double x = p[1] * p[2], ratio = p[1] / p[0];
    from_rest = math::exp(ratio * math::log(x)) * lower_gamma(1.0 - ratio, x);
    share = math::expm1(-x);
  }
  static void check(const double* p) {
    if (p[1] / p[0] >= 1.0) throw BadParameter("tau_rise_NMDA", p[1], "below tau_decay_NMDA");
  }
  NPL_INLINE double release(double ms, bool, double* kept) const {
    const double s = *kept * left_after(ms, tau_decay), jump = from_rest + share * s;
    *kept = s + jump;
    return jump;
  }
  std::optional<double> state(std::string_view name, const double* kept) const {
    return name == "s_NMDA" ? std::optional(*kept) : std::nullopt;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(nmda_synapse, short_term_synapse<Gating>("nmda_synapse", "NMDA gating that saturates with the spikes of its source.",
                                                     {{"tau_decay_NMDA", "ms", 100.0, "Decay time constant", Bound::positive},
                                                      {"tau_rise_NMDA", "ms", 2.0, "Rise time constant", Bound::positive},
                                                      {"alpha", "1/ms", 0.5, "Rate of opening", Bound::positive}}))
