// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"

namespace npl::model {
struct AeifCondBetaMultisynapse : AeifPorts<BetaPorts> {
  using Steps = AeifPorts<AlphaPorts>;
  static constexpr const char* name = "aeif_cond_beta_multisynapse";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron with beta-shaped synaptic conductances, one per receptor.";
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_RKF45_PORTS(aeif_cond_beta_multisynapse, AeifCondBetaMultisynapse)
