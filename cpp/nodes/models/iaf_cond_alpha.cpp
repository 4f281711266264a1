// SPDX-License-Identifier: Apache-2.0
#include "model/iaf_cond.hpp"

namespace npl::model {
struct IafCondAlpha : IafCond<AlphaConductances> {
  using Steps = IafCond<AlphaConductances>;
  static constexpr const char* name = "iaf_cond_alpha";
  static constexpr const char* doc = "Leaky integrate-and-fire neuron with alpha-shaped synaptic conductances; a weight is the peak.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_cond_alpha, IafCondAlpha)
