// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct LinRateIpn : RateIpn<LinearGain> {
  static constexpr const char* name = "lin_rate_ipn";
  static constexpr const char* doc = "Rate neuron with noise on its input and a linear gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(lin_rate_ipn, LinRateIpn)
