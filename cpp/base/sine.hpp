// SPDX-License-Identifier: Apache-2.0
/// sin and cos of angles in radians: the same bits on every machine and SIMD level (law 1), which no C library promises. Errors below 0.9
/// ulp for every finite argument; NaN for inf and NaN. `sin_near` and `cos_near` have no branch, so loops over them vectorise; they hold
/// for |x| <= near_limit. Only + - * and bit operations. An angle is reduced to r = x - k pi/2, |r| <= pi/4: near 0 by Cody and Waite's
/// subtraction of pi/2 in pieces so short that each product with k is exact, far from it by Payne and Hanek's product with the bits of 2/pi
/// that matter.
#pragma once
#include <bit>
#include <cstdint>

#include "base/math.hpp"
#include "base/simd.hpp"

namespace npl::math {

inline constexpr double near_limit = 0x1p30;  ///< [rad]

namespace detail {

/// x = r.hi + r.lo + quadrant pi/2; only the last two bits of `quadrant` count.
struct Angle {
  Pair r;
  std::uint64_t quadrant;
};

/// a + b as the rounded sum and its error, exactly (Knuth).
NPL_INLINE Pair two_sum(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// |x| <= near_limit. The pieces of pi/2 have at most 23 bits, and k has 30: all products but the last are exact, and so are the first two
/// differences.
NPL_INLINE Angle reduce_near(double x) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1, round = 0x1.8p52;
  const double t = x * two_over_pi + round, k = t - round;
  const double rest = (x - k * 0x1.921fb4p+0) - k * 0x1.4442dp-24;
  const Pair a = two_sum(rest, -(k * 0x1.84698p-48)), b = two_sum(a.hi, -(k * 0x1.3198ap-69));
  const double lo = (a.lo + b.lo) - k * 0x1.701b839a25205p-92, hi = b.hi + lo;
  return {{hi, (b.hi - hi) + lo}, bits(t)};
}

/// Any finite x with |x| >= 1; NaN for inf and NaN.
Angle reduce_far(double x) noexcept;

/// sin(r.hi + r.lo + quadrant pi/2). Both polynomials are computed and one is chosen: no branch.
NPL_INLINE double sine_of(Pair r, std::uint64_t quadrant) {
  const double z = r.hi * r.hi, z2 = z * z, half = 0.5 * z, w = 1.0 - half;
  const double s = (-0x1.5555555555548p-3 + z * 0x1.111111110f7d0p-7) +
                   z2 * ((-0x1.a01a019bfdf3dp-13 + z * 0x1.71de3567d6ddep-19) + z2 * (-0x1.ae5e5a93f4066p-26 + z * 0x1.5d8fd24b7489fp-33));
  const double c = (0x1.555555555554cp-5 + z * -0x1.6c16c16c15184p-10) +
                   z2 * ((0x1.a01a019cb270cp-16 + z * -0x1.27e4f80a77ad7p-22) + z2 * (0x1.1ee9ec4899737p-29 + z * -0x1.8faecfa4f6906p-37));
  const double sine = r.hi + (r.lo * w + (r.hi * z) * s);
  const double cosine = w + (((1.0 - w) - half) + (z2 * c - r.hi * r.lo));
  return real(bits(choose((quadrant & 1) != 0, cosine, sine)) ^ ((quadrant & 2) << 62));
}

}  // namespace detail

/// sin(x), |x| <= near_limit [rad], without a branch. The sign of 0 is kept.
NPL_INLINE double sin_near(double x) {
  const detail::Angle a = detail::reduce_near(x);
  return choose(x == 0.0, x, detail::sine_of(a.r, a.quadrant));
}

/// cos(x), |x| <= near_limit [rad], without a branch.
NPL_INLINE double cos_near(double x) {
  const detail::Angle a = detail::reduce_near(x);
  return detail::sine_of(a.r, a.quadrant + 1);
}

/// sin(x) for every x [rad]; NaN for inf and NaN. The sign of 0 is kept.
NPL_INLINE double sin(double x) {
  if (detail::abs(x) <= near_limit) return sin_near(x);
  const detail::Angle a = detail::reduce_far(x);
  return detail::sine_of(a.r, a.quadrant);
}

/// cos(x) for every x [rad]; NaN for inf and NaN.
NPL_INLINE double cos(double x) {
  if (detail::abs(x) <= near_limit) return cos_near(x);
  const detail::Angle a = detail::reduce_far(x);
  return detail::sine_of(a.r, a.quadrant + 1);
}

}  // namespace npl::math
