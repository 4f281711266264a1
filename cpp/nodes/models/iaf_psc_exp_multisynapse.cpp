// SPDX-License-Identifier: Apache-2.0
#include "model/iaf_multisynapse.hpp"

namespace npl::model {
struct IafPscExpMultisynapse : IafMultisynapse<ExpShape> {
  static constexpr const char* name = "iaf_psc_exp_multisynapse";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with exponentially decaying currents and a time constant per receptor.";
  static constexpr auto parameters = with_one(IafMultisynapse::parameters, "V_min", Mark::hidden);
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_PORTS(iaf_psc_exp_multisynapse, IafPscExpMultisynapse)
