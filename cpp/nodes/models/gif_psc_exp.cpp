// SPDX-License-Identifier: Apache-2.0
#include "model/gif_psc.hpp"

namespace npl::model {
struct GifPscExp : GifPscBySign {
  static constexpr const char* name = "gif_psc_exp";
  static constexpr const char* doc =
      "Generalised integrate-and-fire neuron, firing at random around a moving threshold, with exponentially decaying currents.";
};
}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(gif_psc_exp, GifPscExp)
