// SPDX-License-Identifier: Apache-2.0
/// 64-bit fixed point, in which synaptic input is summed: integer addition is associative, so sums do not depend on order (law 1).
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/simd.hpp"

namespace npl {

using Fixed = std::int64_t;

/// Power-of-two scale: the largest weight becomes 2^42..2^43, which leaves 20 bits for the sum of one step.
struct FixedScale {
  double to_fixed = 1.0;   ///< multiply a weight by this, then round to nearest even
  double to_double = 1.0;  ///< multiply a sum by this

  /// @param largest largest absolute weight of the network [unit of the weight]; 0 gives scale 1
  static FixedScale for_largest(double largest) {
    if (!(largest > 0)) return {};
    int exponent = 0;
    std::frexp(std::min(largest, std::numeric_limits<double>::max()), &exponent);  // largest < 2^exponent
    exponent = std::max(exponent, -900);                                           // both factors must be finite
    return {std::ldexp(1.0, 43 - exponent), std::ldexp(1.0, exponent - 43)};
  }
};

/// sum += value, modulo 2^64: order does not matter, and what leaves the range on the way may come back.
NPL_INLINE void add_wrapping(Fixed& sum, Fixed value) {
  sum = static_cast<Fixed>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
}

/// Sums from here on, of either sign, are overflows.
inline constexpr Fixed most_sum = Fixed{1} << 62;

/// The top bit is set where |x| >= most_sum (and x != -most_sum). In operations that vectorise on every level.
NPL_INLINE std::uint64_t overflow_bits(Fixed x) { return (static_cast<std::uint64_t>(x) << 1) ^ static_cast<std::uint64_t>(x >> 63); }

/// count * value, but at most most_sum: an overflow stays one.
NPL_INLINE Fixed saturated_product(Fixed count, Fixed value) {
  const double exact = static_cast<double>(count) * static_cast<double>(value);
  return std::fabs(exact) < static_cast<double>(most_sum) ? count * value : exact < 0.0 ? -most_sum - 1 : most_sum;
}

/// Round to nearest even; |x| < 2^63.
NPL_INLINE Fixed round_to_fixed(double x) { return static_cast<Fixed>(std::llrint(x)); }

/// Calls f(fixed), where fixed(w) is a weight of type float in fixed point.
template <class F>
auto with_rounding(double to_fixed, F&& f) {
  if (to_fixed > std::numeric_limits<float>::max())  // weights below 10^-25
    return f([to_fixed](float w) { return round_to_fixed(static_cast<double>(w) * to_fixed); });
  return f([scale = static_cast<float>(to_fixed)](float w) { return static_cast<Fixed>(std::llrintf(w * scale)); });
}

/// Exactly (double)x, correctly rounded, in operations that vectorise on every level.
NPL_INLINE double fixed_to_double(Fixed x) {
  const auto bits = static_cast<std::uint64_t>(x);
  const double low = std::bit_cast<double>((bits & 0xffffffffu) | 0x4330000000000000u);  // 2^52 + low half
  const double high = std::bit_cast<double>((bits >> 32) ^ 0x4530000080000000u);         // 2^84 + 2^63 + high half * 2^32
  return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;  // the first difference is exact, so only the sum rounds
}

}  // namespace npl
