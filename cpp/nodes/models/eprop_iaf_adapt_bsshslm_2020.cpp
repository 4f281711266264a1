// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of Bellec et al. (2020) whose threshold rises with each spike.
#include "nodes/eprop.hpp"
#include "nodes/receptors.hpp"

namespace npl::nodes {

struct EpropIafAdaptBsshslm2020 : EpropRecurrent {
  static constexpr const char* name = "eprop_iaf_adapt_bsshslm_2020";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with an adaptive threshold whose synapses learn by eligibility propagation; a weight is a jump of "
      "the "
      "potential.";

  struct Params {
    Membrane membrane;
    Surrogate::Params surrogate;
    Intervals::Params intervals;
    Adaptation adaptation;
  };
  static constexpr auto parameters =
      joined(EpropRecurrent::membrane, Surrogate::parameters, Intervals::parameters, EpropRecurrent::adaptation);
  static constexpr auto state = EpropRecurrent::state("adaptation", "V_th_adapt");
  static void check(const Params& p) { EpropRecurrent::check(p.membrane, p.surrogate, p.intervals); }
  static Derived derive(const Params& p, double h) { return EpropRecurrent::derive(p.membrane, p.adaptation, p.surrogate, p.intervals, h); }
};

}  // namespace npl::nodes

NPL_NEURON_WITH(eprop_iaf_adapt_bsshslm_2020, EpropIafAdaptBsshslm2020, update_with_signals<EpropIafAdaptBsshslm2020>)
