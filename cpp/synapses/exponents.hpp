// SPDX-License-Identifier: Apache-2.0
/// Powers whose exponent all synapses of a loop share. Loops with branches do not vectorise, so the kind of exponent is chosen before.
#pragma once
#include "base/simd.hpp"

namespace npl::synapses {

/// Calls f(raise), once, with what makes x^y of (x, y). @param exponent of all, or nan: it differs from synapse to synapse
/// @param any makes the power for any exponent
template <class Any, class F>
NPL_INLINE void by_exponent(double exponent, Any&& any, F&& f) {
  if (exponent == 1.0) return f([](double x, double) NPL_INLINE_LAMBDA { return x; });
  if (exponent == 0.0) return f([](double, double) NPL_INLINE_LAMBDA { return 1.0; });
  f(any);
}

}  // namespace npl::synapses
