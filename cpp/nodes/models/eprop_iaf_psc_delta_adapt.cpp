// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of event-driven e-prop, reset by a spike, whose threshold rises with each spike.
#include "model/eprop_event.hpp"

namespace npl::model {

struct EpropIafPscDeltaAdapt : EpropEvent<true, true> {
  using Steps = EpropEvent<true, true>;
  static constexpr const char* name = "eprop_iaf_psc_delta_adapt";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with an adaptive threshold whose synapses learn by eligibility propagation with every spike; a "
      "spike resets the potential.";
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_iaf_psc_delta_adapt, EpropIafPscDeltaAdapt)
