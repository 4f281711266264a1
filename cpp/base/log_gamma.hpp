// SPDX-License-Identifier: Apache-2.0
/// std::lgamma notes the sign in a global variable, which threads may not do at once, and its bits depend on the machine's libm.
#pragma once
#include "base/math.hpp"

namespace npl {

/// Logarithm of the gamma function, x > 0: Stirling's series from 12 on, where its rest is below 1e-15, and the recurrence below.
inline double log_gamma(double x) {
  double product = 1;
  for (; x < 12; x += 1) product *= x;
  const double r = 1 / x, q = r * r;
  const double series = r * (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360))))));
  return (x - 0.5) * math::log(x) - x + 0.91893853320467274178 + series - math::log(product);
}

}  // namespace npl
