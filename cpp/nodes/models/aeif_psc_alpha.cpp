// SPDX-License-Identifier: Apache-2.0
#include "model/aeif.hpp"

namespace npl::model {
struct AeifPscAlpha : Aeif<BySign<AlphaCurrents, AeifCurrentDefaults>> {
  static constexpr const char* name = "aeif_psc_alpha";
  static constexpr const char* doc =
      "Adaptive exponential integrate-and-fire neuron with alpha-shaped synaptic currents; a weight is the peak.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(aeif_psc_alpha, AeifPscAlpha)
