// SPDX-License-Identifier: Apache-2.0
#include "model/gap.hpp"
#include "model/hh_cond_traub.hpp"

namespace npl::model {

struct TraubBetaConductances : BetaConductances {
  static constexpr auto parameters =
      joined(reversal_fields(0.0, -80.0),
             tau_fields("tau_rise_ex", "tau_rise_in", 0.5, 0.5, "Rise time constant of the excitatory conductance",
                        "Rise time constant of the inhibitory conductance"),
             tau_fields("tau_decay_ex", "tau_decay_in", 5.0, 10.0, "Decay time constant of the excitatory conductance",
                        "Decay time constant of the inhibitory conductance"));
  static constexpr double shift = -50.0;
};

struct HhCondBetaGapTraub : Gap<HhCondTraub<TraubBetaConductances>> {
  static constexpr const char* name = "hh_cond_beta_gap_traub";
  static constexpr const char* doc =
      "Hodgkin-Huxley neuron of Traub & Miles with gap junctions and synaptic conductances that rise and decay.";
};

}  // namespace npl::model

#include "nodes/gap_step.hpp"

NPL_GAP_NEURON(hh_cond_beta_gap_traub, HhCondBetaGapTraub)
