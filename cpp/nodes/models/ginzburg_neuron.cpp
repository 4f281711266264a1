// SPDX-License-Identifier: Apache-2.0
#include "model/binary.hpp"
#include "model/step.hpp"

namespace npl::model {

struct LinearAndSigmoidGain {
  struct Params {
    double theta, c_1, c_2, c_3;
  };
  static constexpr std::array parameters{
      Field{"theta", "mV", 0.0, "Input at the middle of the sigmoid"}, Field{"c_1", "1/mV", 0.0, "Slope of the linear part of the gain"},
      Field{"c_2", "", 1.0, "Height of the sigmoid part of the gain"}, Field{"c_3", "1/mV", 1.0, "Slope of the sigmoid"}};
  /// (1 + tanh x) / 2 = 1 / (1 + exp(-2 x)).
  NPL_STEP static double probability(double input, const Params& p) {
    return p.c_1 * input + p.c_2 / (1.0 + math::exp(-2.0 * p.c_3 * (input - p.theta)));
  }
};

struct GinzburgNeuron : Binary<LinearAndSigmoidGain> {
  static constexpr const char* name = "ginzburg_neuron";
  static constexpr const char* doc =
      "Neuron with two states, chosen at random times with a probability that grows with the input: a line and a sigmoid.";
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(ginzburg_neuron, GinzburgNeuron)
