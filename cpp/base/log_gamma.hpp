// SPDX-License-Identifier: Apache-2.0
/// Logarithm of the gamma function. Not std::lgamma: that writes the sign to a global variable, a data race, and its bits depend on the
/// machine's libm.
#pragma once
#include "base/math.hpp"

namespace npl {

/// log(Gamma(x)), x > 0. Stirling's series for x >= 12, where its remainder is below 1e-15; smaller x are shifted there by the recurrence.
inline double log_gamma(double x) {
  double product = 1;
  for (; x < 12; x += 1) product *= x;
  const double r = 1 / x, q = r * r;
  const double series = r * (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360))))));
  return (x - 0.5) * math::log(x) - x + 0.91893853320467274178 + series - math::log(product);
}

}  // namespace npl
