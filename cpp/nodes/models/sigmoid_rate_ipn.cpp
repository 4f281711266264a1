// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct SigmoidRateIpn : RateIpn<SigmoidGain> {
  static constexpr const char* name = "sigmoid_rate_ipn";
  static constexpr const char* doc = "Rate neuron with noise on its input and a sigmoid gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(sigmoid_rate_ipn, SigmoidRateIpn)
