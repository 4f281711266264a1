// SPDX-License-Identifier: Apache-2.0
/// Collects the spikes of a pool of neurons for synapses with a third factor (Potjans, Morrison & Diesmann 2010).
#include <array>

#include "model/step.hpp"

namespace npl::model {

struct VolumeTransmitter {
  static constexpr const char* name = "volume_transmitter";
  static constexpr const char* doc =
      "Passes each spike that arrives, whatever its weight, to the synapses that name it, such as stdp_dopamine_synapse.";
  static constexpr Face face{.keys = "deliver_interval=1", .element_type = "other", .archives = false, .ignores = false};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::count;

  struct Params {};
  static constexpr std::array<Field, 0> parameters{};
  struct State {};
  static constexpr std::array<Field, 0> state{};
  struct Derived {};

  static Derived derive(const Params&, double) { return {}; }

  NPL_INLINE static double step(State&, const Derived&, const Input<receptors>& in) { return in.spikes[0]; }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(volume_transmitter, VolumeTransmitter)
