// SPDX-License-Identifier: Apache-2.0
/// Each presynaptic spike pairs with the postsynaptic one before it and the one after it (Morrison, Diesmann & Gerstner 2008, figure 7 B).
#include "synapses/guetig_rule.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per synapse: trace of the presynaptic spikes since the last postsynaptic spike, just after the newest presynaptic one.
template <class Decays>
struct PreCentered : RuleDefaults {
  static constexpr int synapse_values = 1;
  GuetigRule rule;
  double trace0;
  bool meets_all;
  Decays plus;

  PreCentered(const double* p, double dt) : rule(p), trace0(p[GuetigRule::initial]), meets_all(!(trace0 == 0.0)), plus(rule.tau_plus, dt) {
    tau_minus = rule.tau_minus;
  }
  static void check(const double* p) { GuetigRule::check(p); }
  double largest_weight() const { return rule.largest_weight(); }
  WeightBounds weight_bounds() const { return rule.weight_bounds(); }
  std::optional<double> state(std::string_view name, const double*, const double* own) const {
    return name == "Kplus" ? std::optional(*own > 0.0 ? *own : trace0) : std::nullopt;
  }

  template <class Event>
  double send(const Event& e, double& weight, double* values) const {
    double& trace = *values;
    const auto last = e.last(), until = e.stamp - e.delay;
    if (!happened(last)) trace = trace0;
    if (happened(last) || trace > 0.0) {
      const auto from = last - e.delay;
      bool paired = false;
      e.for_post_spikes(from, until, [&](auto post) {
        weight = rule.facilitate(weight, paired ? 0.0 : trace * plus(post - from));
        paired = true;
      });
      trace = paired ? 0.0 : trace * plus(e.stamp - last);
    }
    trace += 1.0;
    const auto before = e.last_post(until);
    weight = rule.depress(weight, happened(before) ? e.post->decay()(until - before) : 0.0);
    return weight;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_nn_pre_centered_synapse,
    with_face<SynapseInfo>(rule_synapse<PreCentered>("stdp_nn_pre_centered_synapse",
                                                     "Spike-timing dependent plasticity of presynaptic spikes with their neighbours.",
                                                     guetig_fields(), {"tau_minus"}),
                           {.one_sided = true}))
