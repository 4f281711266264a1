// SPDX-License-Identifier: Apache-2.0
/// Elementary functions made only of operations that IEEE 754 rounds correctly: the same bits on every machine, library and vector width.
/// Within 1-2 ulp; no errno, no special values beyond those named. Branch-free, so loops around them vectorise.
#pragma once
#include <bit>
#include <cstdint>

#include "base/simd.hpp"

namespace npl::rng {

inline constexpr double ln2_high = 0x1.62e42fefa38p-1;   ///< ln 2 to 41 bits: its products with exponents are exact
inline constexpr double ln2_low = 0x1.ef35793c7673p-45;  ///< ln 2 - ln2_high
inline constexpr double log_sqrt_2pi = 0.91893853320467274178;

/// Natural logarithm of a positive normal number.
NPL_INLINE double own_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t exponent_bits = (bits - 0x3fe6a09e667f3bcdu) & 0xfff0000000000000u;  // mantissa m in [sqrt(1/2), sqrt(2))
  // The exponent as a double without a 64-bit integer conversion, which SSE2 and AVX2 lack.
  const double e = std::bit_cast<double>(((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) - (0x1p52 + 0x800);
  const double f = std::bit_cast<double>(bits - exponent_bits) - 1.0, s = f / (f + 2.0), z = s * s;
  double series = 1.0 / 21;  // log(1 + f) = 2 atanh(s) = 2s + 2s (z/3 + z^2/5 + ...), z < 0.03
  for (int k = 19; k >= 3; k -= 2) series = series * z + 1.0 / k;
  const double half = 0.5 * f * f;  // 2s = f - half + s * half keeps the leading term exact
  return e * ln2_high + (f - (half - (s * (half + 2.0 * z * series) + e * ln2_low)));
}

/// e^x for |x| <= 708; beyond that the bounds of this range.
NPL_INLINE double own_exp(double x) {
  x = x < -708.0 ? -708.0 : x;
  x = x > 708.0 ? 708.0 : x;
  const double shifted = x * 1.4426950408889634 + 0x1.8p52;  // adding 1.5 * 2^52 rounds to an integer
  const double k = shifted - 0x1.8p52;
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1.0 / 6227020800.0;  // Taylor series to r^13, |r| < 0.35
  constexpr double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600};
  for (int n = 12; n >= 2; --n) series = series * r + 1.0 / factorial[n];
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  return power + power * (r + r * r * series);
}

/// log(1 + x), x > -1; -infinity is replaced by -745 at x = -1.
NPL_INLINE double own_log1p(double x) {
  const double y = 1.0 + x;
  const double safe = y > 0 ? y : 1.0;
  const double difference = safe - 1.0;  // x as y sees it; the quotient undoes the rounding of 1 + x
  const double ratio = difference != 0 ? x / difference : 1.0;
  const double result = difference != 0 ? own_log(safe) * ratio : x;
  return y > 0 ? result : -745.0;
}

}  // namespace npl::rng
