// SPDX-License-Identifier: Apache-2.0
#include "model/gif_psc.hpp"

namespace npl::model {
struct GifPscExpMultisynapse : GifPscPorts {
  static constexpr const char* name = "gif_psc_exp_multisynapse";
  static constexpr const char* doc =
      "Generalised integrate-and-fire neuron, firing at random around a moving threshold, with exponentially decaying currents and a time "
      "constant per receptor.";
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_PORTS(gif_psc_exp_multisynapse, GifPscExpMultisynapse)
