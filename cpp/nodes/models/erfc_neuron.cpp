// SPDX-License-Identifier: Apache-2.0
#include "model/binary.hpp"
#include "model/step.hpp"

namespace npl::model {

struct ErfcGain {
  struct Params {
    double theta, sigma;
  };
  static constexpr std::array parameters{Field{"theta", "mV", 0.0, "Input at which both states are as likely"},
                                         Field{"sigma", "mV", 1.0, "Standard deviation of the noise of the input", Bound::positive}};

  /// Share of a normal distribution above z >= 0: a series near 0, a continued fraction far from it.
  NPL_STEP static double above(double z) {
    constexpr double per_root_two_pi = 0.39894228040143267794;
    const double density = per_root_two_pi * math::exp(-0.5 * z * z);
    if (z < 2.5) {
      double term = z, sum = z;
      for (int k = 3; k < 120; k += 2) sum += term *= z * z / k;
      return 0.5 - density * sum;
    }
    double fraction = z;
    for (int k = 80; k > 0; --k) fraction = z + k / fraction;
    return density / fraction;
  }
  NPL_STEP static double probability(double input, const Params& p) {
    const double z = (p.theta - input) / p.sigma;
    return z < 0.0 ? 1.0 - above(-z) : above(z);
  }
};

struct ErfcNeuron : Binary<ErfcGain> {
  static constexpr const char* name = "erfc_neuron";
  static constexpr const char* doc =
      "Neuron with two states, chosen at random times: 1 where the input with normal noise exceeds a threshold.";
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(erfc_neuron, ErfcNeuron)
