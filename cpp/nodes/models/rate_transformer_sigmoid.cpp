// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct RateTransformerSigmoid : RateTransformer<SigmoidGain> {
  static constexpr const char* name = "rate_transformer_sigmoid";
  static constexpr const char* doc = "Passes on what arrives with a sigmoid gain.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_sigmoid, RateTransformerSigmoid)
