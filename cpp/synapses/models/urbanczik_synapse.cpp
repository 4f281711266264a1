// SPDX-License-Identifier: Apache-2.0
/// Learning by the dendritic prediction of somatic spiking (Urbanczik & Senn 2014): plasticity is induced where spikes differ from what the
/// dendrite predicts, in proportion to what the synapse adds to the potential of the dendrite, and low-pass filtered.
#include <cmath>

#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// dw/dt = eta D, dD/dt = (PI - D) / tau_Delta, PI = F psp: F is what the target contributes, psp the potential of the dendrite by the
/// spikes of this synapse of weight 1. As everything is linear, w = w0 + eta (integral of PI - low-pass filtered PI tau_Delta).
struct Urbanczik : RuleDefaults {
  static constexpr int synapse_values = 4;
  static constexpr bool reads_history = true;
  double eta, Wmin, Wmax, decay_filtered;

  Urbanczik(const double* p, double dt) : eta(p[0]), Wmin(p[2]), Wmax(p[3]), decay_filtered(math::exp(-dt / p[1])) {}
  static void check(const double* p) {
    if (!(p[2] <= p[3])) throw BadParameter("Wmin", p[2], "at most Wmax");
  }
  double largest_weight() const { return std::max(std::fabs(Wmin), std::fabs(Wmax)); }
  WeightBounds weight_bounds() const { return {Wmin, Wmax}; }

  /// Where PI drives a weight beyond a bound, it has to come back as far before the weight leaves the bound.
  struct Values {
    double current, psp, filtered, beyond;  ///< of the synapse's spikes on the dendrite, and of PI; beyond the bound that the weight is at
  };
  double send(const EventAt<Step>& e, double& weight, double* values) const {
    Values v{values[0], values[1], values[2], values[3]};
    const Step last = e.before->last, until = e.stamp - e.delay, from = last - e.delay;
    if (last > 0) {
      const double changed = induced(e.histories->of(e.local), e.local, from, until, weight > 0.0, v);
      const bool at_bound = v.beyond > 0.0 ? weight >= Wmax * (1.0 - tiny) : weight <= Wmin + std::fabs(Wmin) * tiny;
      weight += eta * changed + (at_bound ? v.beyond : 0.0);
    }
    v.current += 1.0;
    v.beyond = weight > Wmax ? weight - Wmax : std::min(weight - Wmin, 0.0);
    weight = std::clamp(weight, Wmin, Wmax);
    values[0] = v.current, values[1] = v.psp, values[2] = v.filtered, values[3] = v.beyond;
    return weight;
  }

 private:
  static constexpr double tiny = 0x1p-23;  ///< float32 weights may be at a bound that is no float32

  /// The integral of PI over the steps in (from, until] less what the filter has come to keep. @param excites the dendrite
  double induced(const TargetHistory& target, Local node, Step from, Step until, bool excites, Values& v) const {
    const Contributions& all = target.contributions(node);
    const double* constants = target.constants(node);
    const double decay_psp = constants[0], decay_current = constants[excites ? 1 : 3], rise = constants[excites ? 2 : 4];
    const double kept = v.filtered;
    double sum = 0.0;
    auto i = static_cast<std::size_t>(std::upper_bound(all.stamp.begin(), all.stamp.end(), from) - all.stamp.begin());
    for (Step s = from + 1; s <= until; ++s) {
      v.psp = v.psp * decay_psp + v.current * rise;
      v.current *= decay_current;
      v.filtered *= decay_filtered;
      if (i == all.stamp.size() || all.stamp[i] != s) continue;
      const double step = all.value[i++] * v.psp;
      sum += step, v.filtered += step;
    }
    return sum - (v.filtered - kept);
  }
};

SynapseInfo urbanczik_model() {
  SynapseInfo info = rule_synapse<Urbanczik>(
      "urbanczik_synapse",
      "Plasticity that lets the dendrite of its target predict the spikes of the soma; the target must be a pp_cond_exp_mc_urbanczik.",
      {{"eta", "", 0.07, "Learning rate"},
       {"tau_Delta", "ms", 100.0, "Time constant of the low-pass filter of the change of the weight", Bound::positive},
       {"Wmin", "", 0.0, "Smallest weight"},
       {"Wmax", "", 100.0, "Largest weight"},
       axonal_field()});
  info.history = "dendritic prediction";
  return info;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(urbanczik_synapse, urbanczik_model())
