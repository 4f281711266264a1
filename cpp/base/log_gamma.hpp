// SPDX-License-Identifier: Apache-2.0
/// std::lgamma notes the sign in a global variable, which threads may not do at once.
#pragma once
#include <math.h>

namespace npl {

/// Logarithm of the gamma function, x > 0.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace npl
