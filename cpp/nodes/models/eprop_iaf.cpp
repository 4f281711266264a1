// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of event-driven e-prop: leaky integrate-and-fire, lowered by a spike.
#include "model/eprop_event.hpp"

namespace npl::model {

struct EpropIaf : EpropEvent<false, false> {
  using Steps = EpropEvent<false, true>;
  static constexpr const char* name = "eprop_iaf";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron whose synapses learn by eligibility propagation with every spike; a spike lowers the potential.";
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_iaf, EpropIaf)
