// SPDX-License-Identifier: Apache-2.0
/// State that decays becomes 0 once it is small, in software: otherwise it would go on to subnormal numbers (below 2^-1022), which many
/// processors handle 10 to 100 times slower, and some as 0, so that results would depend on the processor's mode (law 1). Why nothing
/// in a step depends on that mode: docs/concepts/nodes.md.
#pragma once
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/field.hpp"
#include "base/ids.hpp"
#include "base/simd.hpp"

namespace npl::nodes {

/// Smaller state is 0; in the unit of each variable.
inline constexpr double smallest_state = 0x1p-500;
/// Exact models flush in one step of so many, on a grid of the network's clock, so that their steps do not become slower.
inline constexpr Step flush_interval = 16;
constexpr bool flushes_in(Step step) { return step % flush_interval == flush_interval - 1; }
/// State that loses less than this factor per step stays above 2^-1012 in between. Group flushes faster neurons in every step.
inline constexpr double fast_decay = 0x1p-32;

/// x, or +0 when |x| < smallest_state; infinities and NaN stay. Branch-free.
NPL_INLINE double flushed(double x) { return !(std::abs(x) < smallest_state) ? x : 0.0; }

/// Flushes n values of a column.
NPL_INLINE void flush_column(double* column, std::size_t n) {
  NPL_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) column[i] = flushed(column[i]);
}

/// Can this state variable decay towards 0? All but times and counters of steps.
constexpr bool decays(const Field& f) { return f.unit != std::string_view("steps") && f.unit != std::string_view("ms"); }

/// Is this derived value a propagator of a fast decay, P or 1 - P? Taking others for one costs time, nothing else.
inline bool is_fast(double derived) {
  return derived != 0.0 && derived != 1.0 && (std::abs(derived) < fast_decay || std::abs(1.0 - derived) < fast_decay);
}

}  // namespace npl::nodes
