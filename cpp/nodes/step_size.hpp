// SPDX-License-Identifier: Apache-2.0
/// What the solvers need to choose the size of a substep.
#pragma once
#include "base/math.hpp"

namespace npl::nodes::rkf45 {

/// About x^(-1/10) for x >= 0, within 4 %: straight lines for log2 and 2^; enough to choose a step size, and exactly the same everywhere.
NPL_INLINE double rough_root(double x) {
  const double log2 =
      math::detail::real(((math::detail::bits(x) & 0x7fffffffffffffffu) >> 12) | 0x4330000000000000u) - (0x1p52 + 0x1p40 * 1023);
  return math::detail::real(math::detail::bits(-0.1 * log2 + (0x1p52 + 0x1p40 * 1023)) << 12);
}

NPL_INLINE double between(double x, double low, double high) { return math::choose(x < low, low, math::choose(x > high, high, x)); }

}  // namespace npl::nodes::rkf45
