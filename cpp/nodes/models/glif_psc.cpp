// SPDX-License-Identifier: Apache-2.0
#include "model/glif_psc.hpp"

namespace npl::model {
struct GlifPscAlpha : GlifPsc<AlphaShape> {
  static constexpr const char* name = "glif_psc";
  static constexpr const char* doc =
      "Generalised leaky integrate-and-fire neuron (GLIF 1 to 5) with alpha-shaped currents and a time constant per receptor.";
};
}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_PORTS(glif_psc, GlifPscAlpha)
