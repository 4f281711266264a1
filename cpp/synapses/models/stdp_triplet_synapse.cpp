// SPDX-License-Identifier: Apache-2.0
/// Triplet STDP, all-to-all (Pfister & Gerstner 2006, eqs. 3 and 4).
#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per source: fast and slow presynaptic trace (r1 and r2 of the paper) just after its last spike.
template <class Decays>
struct Triplet : RuleDefaults {
  static constexpr int row_values = 2;
  double tau_plus, tau_plus_triplet, Aplus, Aplus_triplet, Aminus, Aminus_triplet, Wmax, fast0, slow0;
  bool meets_all;
  Decays plus;

  Triplet(const double* p, double dt)
      : tau_plus(p[0]),
        tau_plus_triplet(p[1]),
        Aplus(p[4]),
        Aplus_triplet(p[5]),
        Aminus(p[6]),
        Aminus_triplet(p[7]),
        Wmax(p[8]),
        fast0(p[10]),
        slow0(p[11]),
        meets_all(!(fast0 == 0.0)),
        plus(tau_plus, dt) {
    tau_minus = p[2], tau_minus_triplet = p[3];
  }
  double largest_weight() const { return std::fabs(Wmax); }
  WeightBounds weight_bounds() const { return WeightBounds::up_to(Wmax); }

  /// Fast trace just after the last spike; slow trace just before this spike.
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    const double fast = first ? fast0 : kept[0], slow = first ? slow0 : kept[1];
    const std::array<double, PreValues::most> before{fast, slow * math::exp(-Decay::exponent(ms, tau_plus_triplet))};
    kept[0] = fast * math::exp(-Decay::exponent(ms, tau_plus)) + 1.0;
    kept[1] = before[1] + 1.0;
    return before;
  }
  /// Both are at least 1 once there was a spike.
  std::optional<double> state(std::string_view name, const double* row, const double*) const {
    return name == "Kplus"           ? std::optional(row[0] > 0.0 ? row[0] : fast0)
           : name == "Kplus_triplet" ? std::optional(row[1] > 0.0 ? row[1] : slow0)
                                     : std::nullopt;
  }
  template <class Event>
  double send(const Event& e, double& weight, double*) const {
    const auto last = e.last(), until = e.stamp - e.delay;
    const double fast = e.before->value[0], slow = e.before->value[1];
    if (happened(last) || fast > 0.0) {
      const auto from = last - e.delay;
      auto previous = from;
      double together = 0.0;  // earlier spikes of the target at the same time: the slow trace just before a spike has them
      e.for_post_spikes(from, until, [&](auto post) {
        together = post == previous ? together + 1.0 : 0.0;
        previous = post;
        const double slow_post = e.post_triplet->before(e.local, post) + together;
        const double change = fast * plus(post - from) * (Aplus + Aplus_triplet * slow_post);
        weight = std::copysign(std::min(std::fabs(weight) + change, std::fabs(Wmax)), Wmax);
      });
    }
    const double size = std::fabs(weight) - e.post->before(e.local, until) * (Aminus + Aminus_triplet * slow);
    weight = size > 0.0 ? std::copysign(size, Wmax) : 0.0;
    return weight;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_triplet_synapse,
    with_face<SynapseInfo>(
        rule_synapse<Triplet>(
            "stdp_triplet_synapse", "Spike-timing dependent plasticity of pairs and triplets.",
            {{"tau_plus", "ms", 16.8, "Time constant of the fast presynaptic trace", Bound::non_negative},
             {"tau_plus_triplet", "ms", 101.0, "Time constant of the slow presynaptic trace", Bound::non_negative},
             Field{"tau_minus", "ms", 20.0, "Time constant of the fast postsynaptic trace", Bound::positive}.with(Mark::of_target),
             Field{"tau_minus_triplet", "ms", 110.0, "Time constant of the slow postsynaptic trace", Bound::positive}.with(Mark::of_target),
             {"Aplus", "", 5e-10, "Potentiation by a pair"},
             {"Aplus_triplet", "", 6.2e-3, "Potentiation by a triplet"},
             {"Aminus", "", 7e-3, "Depression by a pair"},
             {"Aminus_triplet", "", 2.3e-4, "Depression by a triplet"},
             {"Wmax", "", 100.0, "Largest weight (its sign is the sign of the weights)"},
             axonal_field(),
             initial_trace_field(),
             initial_trace_field("Kplus_triplet")},
            {"tau_minus", "tau_minus_triplet"}),
        {.one_sided = true}))
