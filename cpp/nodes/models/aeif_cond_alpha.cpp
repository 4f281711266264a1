// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"

namespace npl::model {
struct AeifCondAlpha : Aeif<BySign<AlphaConductances, AeifConductanceDefaults>> {
  static constexpr const char* name = "aeif_cond_alpha";
  static constexpr const char* doc = "Adaptive exponential integrate-and-fire neuron with alpha-shaped synaptic conductances.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_cond_alpha, AeifCondAlpha)
