// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct SigmoidRateIpn : RateIpn<SigmoidGain> {
  static constexpr const char* name = "sigmoid_rate_ipn";
  static constexpr const char* doc = "Rate neuron with noise on its input and a sigmoid gain.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(sigmoid_rate_ipn, SigmoidRateIpn)
