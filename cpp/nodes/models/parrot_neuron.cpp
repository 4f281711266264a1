// SPDX-License-Identifier: Apache-2.0
/// Repeats every incoming spike: gives spikes of devices a delay, or lets them be recorded.
#include <array>

#include "model/step.hpp"

namespace npl::model {

inline constexpr double most_repeated = 1e6;  ///< spikes of a parrot in a step; more are taken for growth without bound

struct ParrotNeuron {
  static constexpr const char* name = "parrot_neuron";
  static constexpr const char* doc =
      "Emits a spike for each spike that arrives, whatever its weight; those at receptor 1 are not repeated.";
  static constexpr Face face{.keys = "flush_event_send_interval=Infinity", .second_receptor = true};
  static constexpr int receptors = 2;  ///< spikes at the second one are not repeated; plastic synapses see them
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::count;

  struct Params {};
  static constexpr std::array<Field, 0> parameters{};
  struct State {
    double overflow;
  };
  static constexpr std::array state{Field{"_spikes", "", 0.0, "Spikes of a step in which there were too many: they grow without bound"}};
  static constexpr std::array sane{SaneRange{"_spikes", {0.0, most_repeated}}};
  struct Derived {};

  static Derived derive(const Params&, double) { return {}; }

  /// Too many are not sent: they would fill the memory before anybody looks.
  NPL_INLINE static double step(State& s, const Derived&, const Input<receptors>& in) {
    const bool bounded = in.spikes[0] <= most_repeated;
    s.overflow = bounded ? s.overflow : in.spikes[0];
    return bounded ? in.spikes[0] : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(parrot_neuron, ParrotNeuron)
