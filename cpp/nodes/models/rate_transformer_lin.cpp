// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct RateTransformerLin : RateTransformer<LinearGain> {
  static constexpr const char* name = "rate_transformer_lin";
  static constexpr const char* doc = "Passes on what arrives with a linear gain.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_lin, RateTransformerLin)
