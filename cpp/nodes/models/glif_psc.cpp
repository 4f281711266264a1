// SPDX-License-Identifier: Apache-2.0
#include "nodes/glif_psc.hpp"

namespace npl::nodes {

struct OneAlpha : AlphaShape {
  using Params = PerPort;
  static constexpr auto parameters =
      per_port(NPL_PORT_NAMES("tau_syn"), "ms", 2.0, "Time constant of the current of this receptor", Bound::positive);
};

struct GlifPscAlpha : GlifPsc<OneAlpha> {
  static constexpr const char* name = "glif_psc";
  static constexpr const char* doc =
      "Generalised leaky integrate-and-fire neuron (GLIF 1 to 5) with alpha-shaped currents and a time constant per receptor.";
};

}  // namespace npl::nodes

#include "nodes/many_currents.hpp"

NPL_NEURON_PORTS(glif_psc, GlifPscAlpha)
