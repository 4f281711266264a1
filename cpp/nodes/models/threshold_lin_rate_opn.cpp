// SPDX-License-Identifier: Apache-2.0
#include "model/gains.hpp"

namespace npl::model {

struct ThresholdLinRateOpn : RateOpn<ThresholdLinearGain> {
  static constexpr const char* name = "threshold_lin_rate_opn";
  static constexpr const char* doc =
      "Rate neuron with noise on its output and a gain that is linear between a threshold and a largest value.";
};

}  // namespace npl::model

#include "nodes/rate_step.hpp"

NPL_RATE_NEURON(threshold_lin_rate_opn, ThresholdLinRateOpn)
