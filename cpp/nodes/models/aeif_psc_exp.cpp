// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"

namespace npl::model {
struct AeifPscExp : Aeif<BySign<ExpCurrents, AeifCurrentDefaults>> {
  static constexpr const char* name = "aeif_psc_exp";
  static constexpr const char* doc = "Adaptive exponential integrate-and-fire neuron with exponentially decaying synaptic currents.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_psc_exp, AeifPscExp)
