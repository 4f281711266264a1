// SPDX-License-Identifier: Apache-2.0
#include "nodes/gains.hpp"

namespace npl::nodes {

struct ThresholdLinRateIpn : RateIpn<ThresholdLinearGain> {
  static constexpr const char* name = "threshold_lin_rate_ipn";
  static constexpr const char* doc =
      "Rate neuron with noise on its input and a gain that is linear between a threshold and a largest value.";
};

}  // namespace npl::nodes

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(threshold_lin_rate_ipn, ThresholdLinRateIpn)
