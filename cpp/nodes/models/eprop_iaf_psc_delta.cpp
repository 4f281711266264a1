// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of event-driven e-prop: leaky integrate-and-fire, reset by a spike.
#include "model/eprop_event.hpp"

namespace npl::model {

struct EpropIafPscDelta : EpropEvent<true, false> {
  using Steps = EpropEvent<true, true>;
  static constexpr const char* name = "eprop_iaf_psc_delta";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron whose synapses learn by eligibility propagation with every spike; a spike resets the potential.";
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_iaf_psc_delta, EpropIafPscDelta)
