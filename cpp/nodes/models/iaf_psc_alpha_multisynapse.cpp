// SPDX-License-Identifier: Apache-2.0
#include "model/iaf_multisynapse.hpp"

namespace npl::model {
struct IafPscAlphaMultisynapse : IafMultisynapse<AlphaShape> {
  static constexpr const char* name = "iaf_psc_alpha_multisynapse";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron with alpha-shaped currents and a time constant per receptor.";
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_PORTS(iaf_psc_alpha_multisynapse, IafPscAlphaMultisynapse)
