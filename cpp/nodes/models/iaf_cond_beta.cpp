// SPDX-License-Identifier: Apache-2.0
#include "model/iaf_cond.hpp"

namespace npl::model {
struct IafCondBeta : IafCond<BetaConductances> {
  using Steps = IafCond<AlphaConductances>;
  static constexpr const char* name = "iaf_cond_beta";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with conductances that rise and decay (beta functions); a weight is the peak.";
};
}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(iaf_cond_beta, IafCondBeta)
