// SPDX-License-Identifier: Apache-2.0
/// Coefficients of the Runge-Kutta-Fehlberg method 4(5) (Fehlberg 1969), and what is needed to choose the size of a substep.
#pragma once
#include "base/math.hpp"

namespace npl::nodes::rkf45 {

/// Of slope j in the argument of slope i: a_ij.
inline constexpr double a21 = 1.0 / 4;
inline constexpr double a31 = 3.0 / 32, a32 = 9.0 / 32;
inline constexpr double a41 = 1932.0 / 2197, a42 = -7200.0 / 2197, a43 = 7296.0 / 2197;
inline constexpr double a51 = 439.0 / 216, a52 = -8.0, a53 = 3680.0 / 513, a54 = -845.0 / 4104;
inline constexpr double a61 = -8.0 / 27, a62 = 2.0, a63 = -3544.0 / 2565, a64 = 1859.0 / 4104, a65 = -11.0 / 40;
/// Of the slopes in the fifth-order solution, and in its difference from the fourth-order one; those of slope 2 are 0.
inline constexpr double b1 = 16.0 / 135, b3 = 6656.0 / 12825, b4 = 28561.0 / 56430, b5 = -9.0 / 50, b6 = 2.0 / 55;
inline constexpr double e1 = 1.0 / 360, e3 = -128.0 / 4275, e4 = -2197.0 / 75240, e5 = 1.0 / 50, e6 = 2.0 / 55;

/// About x^(-1/10) for x >= 0, within 4 %: straight lines for log2 and 2^; enough to choose a step size, and exactly the same everywhere.
NPL_INLINE double rough_root(double x) {
  const double log2 =
      math::detail::real(((math::detail::bits(x) & 0x7fffffffffffffffu) >> 12) | 0x4330000000000000u) - (0x1p52 + 0x1p40 * 1023);
  return math::detail::real(math::detail::bits(-0.1 * log2 + (0x1p52 + 0x1p40 * 1023)) << 12);
}

NPL_INLINE double between(double x, double low, double high) { return math::choose(x < low, low, math::choose(x > high, high, x)); }

}  // namespace npl::nodes::rkf45
