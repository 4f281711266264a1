// SPDX-License-Identifier: Apache-2.0
#include "model/gif_cond.hpp"
#include "model/receptors.hpp"

namespace npl::model {
/// Reversal potentials [mV] and time constants [ms] of the synapses.
struct GifConductanceDefaults {
  static constexpr std::array values{0.0, -85.0, 2.0, 2.0};
};

struct GifCondExp : GifCond<BySign<ExpConductances, GifConductanceDefaults>> {
  static constexpr const char* name = "gif_cond_exp";
  static constexpr const char* doc =
      "Generalised integrate-and-fire neuron, firing at random around a moving threshold, with exponentially decaying conductances.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(gif_cond_exp, GifCondExp)
