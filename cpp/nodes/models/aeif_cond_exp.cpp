// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"

namespace npl::model {
struct AeifCondExp : Aeif<BySign<ExpConductances, AeifConductanceDefaults>> {
  static constexpr const char* name = "aeif_cond_exp";
  static constexpr const char* doc = "Adaptive exponential integrate-and-fire neuron with exponentially decaying synaptic conductances.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_cond_exp, AeifCondExp)
