// SPDX-License-Identifier: Apache-2.0
/// Neurons with compartments (Wybo et al. 2021): any tree, passive or with Na+ and K+ channels, and receptors anywhere on it. See
/// nodes/compartments.hpp for the equations.
#include "nodes/compartments.hpp"

namespace npl::nodes {

const ModelInfo& model_cm_default() {
  static const ModelInfo info = compartments::model("-1;");
  return info;
}

}  // namespace npl::nodes
