// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct RateTransformerTanh : RateTransformer<TanhGain> {
  static constexpr const char* name = "rate_transformer_tanh";
  static constexpr const char* doc = "Passes on what arrives with the hyperbolic tangent as gain.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_tanh, RateTransformerTanh)
