// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct RateTransformerTanh : RateTransformer<TanhGain> {
  static constexpr const char* name = "rate_transformer_tanh";
  static constexpr const char* doc = "Passes on what arrives with the hyperbolic tangent as gain.";
};

}  // namespace npl::nodes

NPL_NEURON_WITH(rate_transformer_tanh, RateTransformerTanh, rate::update<RateTransformerTanh>)
