// SPDX-License-Identifier: Apache-2.0
/// Synapse between binary neurons. As in NEST, one spike codes the transition of the source to 0 and two spikes in one step code the
/// transition to 1; the input of the target changes by -weight and +weight.
#include "synapses/short_term.hpp"

namespace npl::synapses {
namespace {

struct StateChange {
  static constexpr int parameters = 0, values = 1;
  explicit StateChange(const double*) {}
  static void check(const double*) {}
  NPL_INLINE double release(double ms, bool first, double*) const { return !first && ms == 0.0 ? 2.0 : -1.0; }
  std::optional<double> state(std::string_view, const double*) const { return std::nullopt; }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(state_change_synapse, {"state_change_synapse",
                                   "Weight that is added when a neuron with two states goes to 1 and taken away when it goes to 0.",
                                   {},
                                   true,
                                   make_short_term<StateChange>})
