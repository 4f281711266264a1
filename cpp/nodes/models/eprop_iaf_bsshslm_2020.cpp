// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of Bellec et al. (2020): leaky integrate-and-fire.
#include "model/eprop.hpp"

namespace npl::model {

struct EpropIafBsshslm2020 : EpropRecurrent<false> {
  using Steps = EpropRecurrent<true>;
  static constexpr const char* name = "eprop_iaf_bsshslm_2020";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron whose synapses learn by eligibility propagation; a weight is a jump of the potential.";
};

}  // namespace npl::model

#include "nodes/eprop_step.hpp"

NPL_EPROP_NEURON(eprop_iaf_bsshslm_2020, EpropIafBsshslm2020)
