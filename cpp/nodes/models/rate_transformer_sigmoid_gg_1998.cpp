// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct RateTransformerSigmoidGg1998 : RateTransformer<SigmoidGg1998Gain> {
  static constexpr const char* name = "rate_transformer_sigmoid_gg_1998";
  static constexpr const char* doc = "Passes on what arrives with the sigmoid gain of Gancarz & Grossberg (1998).";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_sigmoid_gg_1998, RateTransformerSigmoidGg1998)
