// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct GaussRateIpn : RateIpn<GaussGain> {
  static constexpr const char* name = "gauss_rate_ipn";
  static constexpr const char* doc = "Rate neuron with noise on its input and a Gaussian gain.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(gauss_rate_ipn, GaussRateIpn)
