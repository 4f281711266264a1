// SPDX-License-Identifier: Apache-2.0
#include "model/gif_cond.hpp"

namespace npl::model {
struct GifCondExpMultisynapse : GifCondPorts<ExpPorts> {
  static constexpr const char* name = "gif_cond_exp_multisynapse";
  static constexpr const char* doc =
      "Generalised integrate-and-fire neuron, firing at random around a moving threshold, with exponentially decaying conductances, one "
      "per receptor.";
  static constexpr auto port_state = with(ExpPorts::state, Mark::status_only);
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_RKF45_PORTS(gif_cond_exp_multisynapse, GifCondExpMultisynapse)
