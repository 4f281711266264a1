// SPDX-License-Identifier: Apache-2.0
/// Static synapse with stochastic transmission: each spike is transmitted with probability p (Lefort, Tomm, Sarria & Petersen 2009;
/// Teramae, Tsubo & Fukai 2012).
#include "base/error.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

struct Bernoulli : RuleDefaults {
  static constexpr bool random = true;
  double p_transmit;

  Bernoulli(const double* p, double) : p_transmit(p[0]) {}
  static void check(const double* p) {
    if (p[0] > 1.0) throw BadParameter("p_transmit", p[0], "from 0 to 1");
  }
  template <class Event>
  double send(const Event& e, double& weight, double*) const {
    return e.uniform(e.own_key(), 0) < p_transmit ? weight : nothing_sent;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    bernoulli_synapse,
    with_face<SynapseInfo>(rule_synapse<Bernoulli>("bernoulli_synapse", "Static synapse that passes each spike on with some probability.",
                                                   {{"p_transmit", "", 1.0, "Probability that a spike is passed on", Bound::non_negative}}),
                           {.draws = true}))
