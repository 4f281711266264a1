// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct RateTransformerGauss : RateTransformer<GaussGain> {
  static constexpr const char* name = "rate_transformer_gauss";
  static constexpr const char* doc = "Passes on what arrives with a Gaussian gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(rate_transformer_gauss, RateTransformerGauss)
