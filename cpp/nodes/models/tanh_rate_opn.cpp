// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct TanhRateOpn : RateOpn<TanhGain> {
  static constexpr const char* name = "tanh_rate_opn";
  static constexpr const char* doc = "Rate neuron with noise on its output and the hyperbolic tangent as gain.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(tanh_rate_opn, TanhRateOpn)
