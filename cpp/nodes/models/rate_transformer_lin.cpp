// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct RateTransformerLin : RateTransformer<LinearGain> {
  static constexpr const char* name = "rate_transformer_lin";
  static constexpr const char* doc = "Passes on what arrives with a linear gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_lin, RateTransformerLin)
