// SPDX-License-Identifier: Apache-2.0
/// Synapse that learns by eligibility propagation with every spike of its source (Korcsak-Gorzo et al. 2025).
#include "synapses/eprop.hpp"

namespace npl::synapses {
namespace {

SynapseInfo eprop_with_events() {
  SynapseInfo info{
      "eprop_synapse",
      "Plasticity by eligibility propagation: the weight changes with every spike by the gradient of the steps since the last one.",
      {Field{"optimize_each_step", "0 or 1", 1.0, "1: the optimizer takes the gradient of each step; 0: their sum, with a spike"}.with(
          Mark::of_optimizer)},
      true,
      [](const double* p, double) -> std::unique_ptr<Plasticity> {
        if (p[0] != 0.0 && p[0] != 1.0) throw BadParameter("optimize_each_step", p[0], "0 or 1");
        const Optimizer optimizer = Optimizer::of(p + 1);
        optimizer.check();
        return std::make_unique<Eprop>(EpropRule{.optimizer = optimizer, .by_interval = false, .each_step = p[0] != 0.0});
      }};
  for (const Field& f : Optimizer::parameters()) info.parameters.push_back(f);
  info.history = "eligibility";
  return info;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(eprop_synapse, eprop_with_events())
