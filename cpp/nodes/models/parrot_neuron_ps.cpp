// SPDX-License-Identifier: Apache-2.0
/// Repeats every incoming spike at its own time between grid points.
#include <array>

#include "nodes/update.hpp"

namespace npl::nodes {

struct ParrotNeuronPs {
  static constexpr const char* name = "parrot_neuron_ps";
  static constexpr const char* doc =
      "Emits a spike for each spike that arrives, at the time between grid points at which it does; those at receptor 1 are not repeated.";
  static constexpr Face face{.second_receptor = true};
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::count;
  static constexpr bool precise = true;

  struct Params {};
  static constexpr std::array<Field, 0> parameters{};
  struct State {
    double overflow;
  };
  static constexpr std::array state{Field{"_spikes", "", 0.0, "Spikes of a step in which there were too many: they grow without bound"}};
  static constexpr double most = 1e6;  ///< spikes in a step; more are taken for growth without bound
  static constexpr std::array sane{SaneRange{"_spikes", {0.0, most}}};
  struct Derived {};

  static Derived derive(const Params&, double) { return {}; }
};

namespace {

void repeat(const GroupView& g, std::size_t i, double offset) {
  g.emit(i);
  if (g.offsets) g.offsets->push_back(offset);
}

/// The fixed-point sums hold the number of spikes that devices sent on the grid.
void update_parrots(const GroupView& g) {
  auto event = g.events.begin();
  for (std::size_t i = 0; i < g.n; ++i) {
    const auto first = event;
    while (event != g.events.end() && event->target == g.first_local + i) ++event;
    const double counted = fixed_to_double(g.input[0][i]) * g.input_scale[0], all = counted + static_cast<double>(event - first);
    if (all <= ParrotNeuronPs::most) {
      for (auto e = first; e != event; ++e)
        if (e->receptor == 0) repeat(g, i, e->offset);
      for (double k = 0.0; k < counted; ++k) repeat(g, i, 0.0);
    } else {
      g.state[0][i] = all;
    }
    g.input[0][i] = g.input[1][i] = 0;
  }
}

}  // namespace
}  // namespace npl::nodes

NPL_NEURON_WITH(parrot_neuron_ps, ParrotNeuronPs, update_parrots)
