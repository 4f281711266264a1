// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct SigmoidRateGg1998Ipn : RateIpn<SigmoidGg1998Gain> {
  static constexpr const char* name = "sigmoid_rate_gg_1998_ipn";
  static constexpr const char* doc = "Rate neuron with noise on its input and the sigmoid gain of Gancarz & Grossberg (1998).";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(sigmoid_rate_gg_1998_ipn, SigmoidRateGg1998Ipn)
