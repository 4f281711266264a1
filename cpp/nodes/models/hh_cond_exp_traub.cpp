// SPDX-License-Identifier: Apache-2.0
#include "model/hh_cond_traub.hpp"

namespace npl::model {

struct TraubExpConductances : ExpConductances {
  static constexpr auto parameters = ExpConductances::parameters(0.0, -80.0, 5.0, 10.0);
  static constexpr auto state = with(ExpConductances::state, Mark::recorded_only);
  static constexpr double shift = -63.0;
};

struct HhCondExpTraub : HhCondTraub<TraubExpConductances> {
  static constexpr const char* name = "hh_cond_exp_traub";
  static constexpr const char* doc = "Hodgkin-Huxley neuron of Traub & Miles with exponentially decaying synaptic conductances.";
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(hh_cond_exp_traub, HhCondExpTraub)
