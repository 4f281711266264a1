// SPDX-License-Identifier: Apache-2.0
/// Repeats every incoming spike: gives spikes of devices a delay, or lets them be recorded.
#include <array>

#include "nodes/update.hpp"

namespace npl::nodes {

struct ParrotNeuron {
  static constexpr const char* name = "parrot_neuron";
  static constexpr const char* doc =
      "Emits a spike for each spike that arrives, whatever its weight; those at receptor 1 are not repeated.";
  static constexpr int receptors = 2;  ///< spikes at the second one are not repeated; plastic synapses see them
  static constexpr SpikeInput input = SpikeInput::count;

  struct Params {};
  static constexpr std::array<Field, 0> parameters{};
  struct State {};
  static constexpr std::array<Field, 0> state{};
  struct Derived {};

  static Derived derive(const Params&, double) { return {}; }

  NPL_INLINE static double step(State&, const Derived&, const Input<receptors>& in) { return in.spikes[0]; }
};

}  // namespace npl::nodes

NPL_NEURON(parrot_neuron, ParrotNeuron)
