// SPDX-License-Identifier: Apache-2.0
/// Recurrent neuron of Bellec et al. (2020): leaky integrate-and-fire.
#include "nodes/eprop.hpp"
#include "nodes/receptors.hpp"

namespace npl::nodes {

struct EpropIafBsshslm2020 : EpropRecurrent {
  static constexpr const char* name = "eprop_iaf_bsshslm_2020";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron whose synapses learn by eligibility propagation; a weight is a jump of the potential.";

  struct Params {
    Membrane membrane;
    Surrogate::Params surrogate;
    Intervals::Params intervals;
  };
  static constexpr auto parameters = joined(EpropRecurrent::membrane, Surrogate::parameters, Intervals::parameters);
  static constexpr auto state = EpropRecurrent::state("_adaptation", "_V_th_adapt");
  static void check(const Params& p) { EpropRecurrent::check(p.membrane, p.surrogate, p.intervals); }
  static Derived derive(const Params& p, double h) { return EpropRecurrent::derive(p.membrane, {0.0, 1.0}, p.surrogate, p.intervals, h); }
};

}  // namespace npl::nodes

NPL_NEURON_WITH(eprop_iaf_bsshslm_2020, EpropIafBsshslm2020, update_with_signals<EpropIafBsshslm2020>)
