// SPDX-License-Identifier: Apache-2.0
#include "model/binary.hpp"
#include "model/step.hpp"

namespace npl::model {

struct SharpGain {
  struct Params {
    double theta;
  };
  static constexpr std::array parameters{Field{"theta", "mV", 0.0, "Input above which the state becomes 1"}};
  NPL_STEP static double probability(double input, const Params& p) { return input > p.theta ? 1.0 : 0.0; }
};

struct McCullochPittsNeuron : Binary<SharpGain> {
  static constexpr const char* name = "mcculloch_pitts_neuron";
  static constexpr const char* doc = "Neuron with two states, 1 where the input exceeds a threshold at a look; looks are at random times.";
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(mcculloch_pitts_neuron, McCullochPittsNeuron)
