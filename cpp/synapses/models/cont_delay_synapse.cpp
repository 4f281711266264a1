// SPDX-License-Identifier: Apache-2.0
/// Delays off the time grid (Morrison et al. 2007, Neural Comput 19:47): a delay in whole steps minus a sub-step delay [ms] that all
/// synapses of a projection share.
#include "base/error.hpp"
#include "synapses/model.hpp"

namespace npl::synapses {
namespace {

std::unique_ptr<Plasticity> check(const double* parameters, double dt_ms) {
  if (!(parameters[0] < dt_ms)) throw BadParameter("sub_step_delay", parameters[0], "less than one step of the resolution");
  return nullptr;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(cont_delay_synapse,
            {"cont_delay_synapse",
             "Synapse whose weight does not change and whose delay is `delay` less a part of a step.",
             {Field{"sub_step_delay", "ms", 0.0, "How much shorter the delay is; below one step", Bound::non_negative}.with(Mark::hidden)},
             false,
             check,
             [](const double* parameters) { return parameters[0]; }})
