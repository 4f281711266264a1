// SPDX-License-Identifier: Apache-2.0
/// log(1 + x) on top of base/math.hpp: the same bits on all machines.
#pragma once
#include "base/math.hpp"

namespace npl::rng {

/// log(1 + x) for x > -1, relative error below 4e-16; -inf at -1.
inline double log1p(double x) {
  const double y = 1.0 + x, seen = y - 1.0;  // `seen` is x as y sees it: the quotient undoes the rounding of 1 + x
  return seen == 0 ? x : y == 0 ? math::log(y) : math::log(y) * (x / seen);
}

}  // namespace npl::rng
