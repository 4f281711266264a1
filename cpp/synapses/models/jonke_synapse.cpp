// SPDX-License-Identifier: Apache-2.0
/// Pair-based STDP with exponential weight dependence and an additive term (Nessler et al. 2013; Jonke et al. 2017).
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per source: the presynaptic trace just after its last spike. The additive term applies to every postsynaptic spike, also to those
/// before the first presynaptic one.
template <class Decays>
struct Jonke : RuleDefaults {
  static constexpr int row_values = 1;
  static constexpr bool meets_all = true;
  double tau_plus, lambda, alpha, beta, mu_plus, mu_minus, Wmax, trace0;
  Decays plus;

  Jonke(const double* p, double dt)
      : tau_plus(p[0]), lambda(p[2]), alpha(p[3]), beta(p[4]), mu_plus(p[5]), mu_minus(p[6]), Wmax(p[7]), trace0(p[9]), plus(tau_plus, dt) {
    tau_minus = p[1];
  }
  double largest_weight() const { return std::fabs(Wmax); }
  WeightBounds weight_bounds() const { return {std::min(0.0, Wmax), Wmax}; }

  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    const double before = first ? trace0 : *kept;
    *kept = before * math::exp(-Decay::exponent(ms, tau_plus)) + 1.0;
    return {before, 0.0};
  }
  std::optional<double> state(std::string_view name, const double* row, const double*) const {
    return name == "Kplus" ? std::optional(row[0] > 0.0 ? row[0] : trace0) : std::nullopt;
  }
  template <class Event>
  double send(const Event& e, double& weight, double*) const {
    const auto last = e.last(), from = last - e.delay, until = e.stamp - e.delay;
    e.for_post_spikes(happened(last) ? from : decltype(e.last()){}, until, [&](auto post) {
      const double trace = post > from ? e.before->value[0] * plus(post - from) : 0.0;  // before time 0 at the synapse
      const double paired = trace > 0.0 ? math::exp(mu_plus * weight) * trace : 0.0;    // 0 of infinity is 0
      weight = std::min(weight + lambda * (paired - beta), Wmax);
    });
    weight = std::max(0.0, weight - lambda * (alpha * math::exp(mu_minus * weight) * e.post->before(e.local, until) + beta));
    return weight;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(jonke_synapse,
            with_face<SynapseInfo>(
                rule_synapse<Jonke>("jonke_synapse",
                                    "Spike-timing dependent plasticity with exponential weight dependence and an additive term.",
                                    {{"tau_plus", "ms", 20.0, "Time constant of potentiation", Bound::non_negative},
                                     Field{"tau_minus", "ms", 20.0, "Time constant of depression", Bound::positive}.with(Mark::of_target),
                                     {"lambda", "", 0.01, "Learning rate"},
                                     {"alpha", "", 1.0, "Asymmetry of depression"},
                                     {"beta", "", 0.0, "What each spike takes off, in units of lambda"},
                                     {"mu_plus", "", 0.0, "Weight dependence of potentiation"},
                                     {"mu_minus", "", 0.0, "Weight dependence of depression"},
                                     {"Wmax", "", 100.0, "Largest weight"},
                                     axonal_field(),
                                     initial_trace_field()},
                                    {"tau_minus"}),
                {.common = true}))
