// SPDX-License-Identifier: Apache-2.0
/// Synapse that learns by eligibility propagation in intervals (Bellec et al. 2020).
#include "synapses/eprop.hpp"

namespace npl::synapses {
namespace {

SynapseInfo eprop_in_intervals() {
  SynapseInfo info{
      "eprop_synapse_bsshslm_2020",
      "Plasticity by eligibility propagation: the weight changes by the gradient of an interval, with the first spike after it.",
      {{"tau_m_readout", "ms", 10.0, "Time constant of the filter of eligibility, the one of the readouts", Bound::positive},
       Field{"average_gradient", "0 or 1", 0.0, "1: the gradient is divided by the number of steps in which is learned"}.with(
           Mark::of_model)},
      true,
      [](const double* p, double dt_ms) -> std::unique_ptr<Plasticity> {
        if (p[1] != 0.0 && p[1] != 1.0) throw BadParameter("average_gradient", p[1], "0 or 1");
        const Optimizer optimizer = Optimizer::of(p + 2);
        optimizer.check();
        const double* before = p + 2 + Optimizer::n_parameters;
        return std::make_unique<Eprop>(EpropRule{.optimizer = optimizer,
                                                 .kappa = math::exp(-dt_ms / p[0]),
                                                 .averages = p[1] != 0.0,
                                                 .eta_before = before[0],
                                                 .eta_since = static_cast<Step>(std::llround(before[1] / dt_ms))});
      }};
  for (const Field& f : Optimizer::parameters()) info.parameters.push_back(f);
  info.parameters.push_back(
      Field{"eta_before", "", 0.0, "Learning rate of intervals that have begun by `eta_since`", Bound::non_negative}.with(Mark::hidden));
  info.parameters.push_back(
      Field{"eta_since", "ms", 0.0, "Time since which `eta` is the learning rate", Bound::non_negative}.with(Mark::hidden));
  info.history = "eligibility in intervals";
  return info;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(eprop_synapse_bsshslm_2020, eprop_in_intervals())
