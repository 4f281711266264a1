// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct RateTransformerThresholdLin : RateTransformer<ThresholdLinearGain> {
  static constexpr const char* name = "rate_transformer_threshold_lin";
  static constexpr const char* doc = "Passes on what arrives with a gain that is linear between a threshold and a largest value.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_threshold_lin, RateTransformerThresholdLin)
