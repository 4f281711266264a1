// SPDX-License-Identifier: Apache-2.0
/// Populations of neurons as one node each (Schwalger, Deger & Gerstner 2017). See nodes/population.hpp for the equations.
#include "nodes/population.hpp"

namespace npl::nodes {

/// Without a shape: a history of 100 steps.
const ModelInfo& model_gif_pop_psc_exp() {
  static const ModelInfo info = population::model("100");
  return info;
}

}  // namespace npl::nodes
