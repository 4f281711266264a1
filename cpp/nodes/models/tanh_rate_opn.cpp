// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct TanhRateOpn : RateOpn<TanhGain> {
  static constexpr const char* name = "tanh_rate_opn";
  static constexpr const char* doc = "Rate neuron with noise on its output and the hyperbolic tangent as gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(tanh_rate_opn, TanhRateOpn)
