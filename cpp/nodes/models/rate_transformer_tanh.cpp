// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct RateTransformerTanh : RateTransformer<TanhGain> {
  static constexpr const char* name = "rate_transformer_tanh";
  static constexpr const char* doc = "Passes on what arrives with the hyperbolic tangent as gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_tanh, RateTransformerTanh)
