// SPDX-License-Identifier: Apache-2.0
/// exp, log, expm1, log1p and pow of doubles: branch-free, so loops over them vectorise, and the same bits on every machine and SIMD level
/// (law 1), which no C library promises. Errors below 1.05 ulp (expm1: 2.1, log1p: 2.5; pow_13: see there). Full range: 0, inf, NaN and
/// subnormal numbers as in C. sin and cos: base/sine.hpp. Only + - * / and bit operations: no fma, no table, no integer instruction that
/// SSE2 lacks. Polynomials are minimax (Remez, 200 bits), but for pow_13.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "base/simd.hpp"

namespace npl::math {

/// As std::min and std::max, by value: gcc does not vectorise loops that keep references to numbers.
NPL_INLINE double min(double a, double b) { return b < a ? b : a; }
NPL_INLINE double max(double a, double b) { return a < b ? b : a; }

/// first ? a : b, in bit operations. With a ternary gcc 12 moves the arithmetic of one side behind a branch, and the loop stays scalar.
/// AVX2 makes it one blend instruction; with SSE2 alone loops stay scalar all the same.
NPL_INLINE double choose(bool first, double a, double b) {
  const std::uint64_t mask = -static_cast<std::uint64_t>(first);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & mask) | (std::bit_cast<std::uint64_t>(b) & ~mask));
}

namespace detail {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double log2e = 0x1.71547652b82fep+0;
inline constexpr double ln2_hi = 0x1.62e42fefa3000p-1;  // 42 bits: k * ln2_hi is exact for |k| < 2^11
inline constexpr double ln2_lo = 0x1.3de6af278ece6p-42;
inline constexpr std::uint64_t mantissa_bits = 0x000fffffffffffffu;

NPL_INLINE std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
NPL_INLINE double real(std::uint64_t b) { return std::bit_cast<double>(b); }

/// m * 2^k, where the low 12 bits of `b` are k + 2046 and |k| < 2044: in two halves, so that subnormal results are rounded once.
NPL_INLINE double scale(double m, std::uint64_t b) {
  const std::uint64_t half = b >> 1;
  return m * real(half << 52) * real((b - half) << 52);
}
inline constexpr double round_and_bias = 0x1.8p52 + 2046.0;  // x + this: the integer nearest to x, + 2046, in the low bits

/// The first 26 significant bits: products of two such numbers are exact.
NPL_INLINE double head(double x) { return real(bits(x) & 0xfffffffff8000000u); }

NPL_INLINE double abs(double x) { return real(bits(x) & 0x7fffffffffffffffu); }

/// exp(r) - 1 for |r| <= ln2 / 2, relative error below 2^-52.6.
NPL_INLINE double expm1_small(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const double a = 0x1.0000000000009p-1 + r * 0x1.5555555555558p-3;
  const double b = 0x1.555555555051ep-5 + r * 0x1.111111110f803p-7;
  const double c = 0x1.6c16c185c47f8p-10 + r * 0x1.a01a01b00c2c6p-13;
  const double d = 0x1.a019944af015bp-16 + r * 0x1.71ddf6b3f10d1p-19;
  const double e = 0x1.28b38fe76d156p-22 + r * 0x1.af632ad6abee8p-26;
  return r + r2 * ((a + r2 * b) + r4 * ((c + r2 * d) + r4 * e));
}

/// exp(hi + lo), |lo| <= ulp(hi).
NPL_INLINE double exp_pair(double hi, double lo) {
  const double t = hi * log2e + round_and_bias, k = t - round_and_bias;
  const double r = (hi - k * ln2_hi) - (k * ln2_lo - lo);
  const double result = scale(1.0 + expm1_small(r), bits(t));
  return choose(hi > 1000.0, inf, choose(hi < -1000.0, 0.0, result));  // where k would not fit the exponent; NaN stays
}

/// x = m * 2^k with m in [sqrt(1/2), sqrt(2)), for positive finite x.
struct Split {
  double m, k;
};
/// Of a normal x.
NPL_INLINE Split split_normal(double x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
  const std::uint64_t b = bits(x) + (one - sqrt_half);
  const double exponent = real((b >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  return {real((b & mantissa_bits) + sqrt_half), exponent};
}
NPL_INLINE Split split(double x) {
  const bool subnormal = x < 0x1p-1022;
  const auto [m, k] = split_normal(x * choose(subnormal, 0x1p54, 1.0));
  return {m, k - choose(subnormal, 54.0, 0.0)};
}

/// An unevaluated sum of two doubles.
struct Pair {
  double hi, lo;
};

/// log(x) for positive finite x with relative error below 2^-63: 2 atanh(s), s = (m - 1) / (m + 1), in head and tail.
NPL_INLINE Pair log_pair(double x) {
  const auto [m, k] = split(x);
  const double f = m - 1.0, g = m + 1.0, g_h = head(g), g_l = m - (g_h - 1.0);
  const double s = f / g, s_h = head(s), s_l = ((f - s_h * g_h) - s_h * g_l) / g;
  const double z = s * s, z2 = z * z, z4 = z2 * z2, z_h = s_h * s_h;
  const double q = (0x1.9999999999999p-2 + z * 0x1.2492492492739p-2) + z2 * (0x1.c71c71c683246p-3 + z * 0x1.745d17be45baap-3) +
                   z4 * ((0x1.3b137f70fe787p-3 + z * 0x1.111cb713ba1cap-3) + z2 * (0x1.dec922cb14f80p-4 + z * 0x1.e69350ae2bc17p-4));
  const double rest = s_l * (s + s_h) + 1.5 * z2 * q;  // log m = 2/3 s (3 + z_h + rest)
  const double t_h = head((3.0 + z_h) + rest), t_l = rest - ((t_h - 3.0) - z_h);
  const double u = s_h * t_h, v = s_l * (t_h + t_l) + t_l * s_h;
  const double p_h = head(u + v), p_l = v - (p_h - u);
  constexpr double c = 2.0 / 3.0, c_h = 0x1.5555550000000p-1, c_l = 0x1.5555555555555p-27;  // c_h + c_l = 2/3 to 2^-80
  const double l_h = c_h * p_h, l_l = c_l * p_h + c * p_l;
  const double base = k * ln2_hi, hi = base + l_h;  // |base| > |l_h| or base = 0
  return {hi, ((base - hi) + l_h) + (l_l + k * ln2_lo)};
}

/// Integers and odd integers among the exponents of pow.
NPL_INLINE bool is_whole(double a) { return a >= 0x1p52 || (a + 0x1p52) - 0x1p52 == a; }

}  // namespace detail

/// e^x; 0 below -745.14, inf above 709.79.
NPL_INLINE double exp(double x) { return detail::exp_pair(x, 0.0); }

/// e^x - 1 without loss of digits near 0.
NPL_INLINE double expm1(double x) {
  using namespace detail;
  const double t = x * log2e + (0x1.8p52 + 1022.0), k = t - (0x1.8p52 + 1022.0);
  const double p = expm1_small((x - k * ln2_hi) - k * ln2_lo);
  const double half = real(bits(t) << 52);  // 2^(k-1): k may be 1024
  const double result = choose(k == 0.0, p, ((half - 0.5) + half * p) * 2.0);
  return choose(x > 710.0, inf, choose(x < -700.0, -1.0, result));
}

/// Natural logarithm; -inf for 0, NaN below.
NPL_INLINE double log(double x) {
  using namespace detail;
  const auto [m, k] = split(x);
  const double f = m - 1.0, s = f / (m + 1.0), z = s * s, z2 = z * z, half_square = 0.5 * f * f;
  const double r =
      z * ((0x1.5555555555555p-1 + z * 0x1.9999999999c57p-2) + z2 * (0x1.2492492441831p-2 + z * 0x1.c71c7247bce4ep-3) +
           (z2 * z2) * ((0x1.745ce19677a98p-3 + z * 0x1.3b205902691fbp-3) + z2 * (0x1.0f5fba1eae485p-3 + z * 0x1.0f667889b7a19p-3)));
  const double small = k * ln2_lo + s * (half_square + r);  // log m = f - f^2/2 + s (f^2/2 + r)
  const double result = choose(x == inf, inf, k * ln2_hi + (f - (half_square - small)));
  return choose(x >= 0.0, choose(x == 0.0, -inf, result), nan);
}

/// log(1 + x) without loss of digits near 0; -inf for -1, NaN below.
NPL_INLINE double log1p(double x) {
  const double y = 1.0 + x, seen = y - 1.0;  // the quotient x / seen undoes the rounding of 1 + x (Kahan)
  const double l = log(y);
  return choose(seen == 0.0, x, choose((y == 0.0) | (y == detail::inf), l, l * (x / seen)));
}

/// The smallest power of two >= x; x itself below 1. Exact, for finite x <= 2^1023.
inline double power_of_two_from(double x) {
  if (!(x >= 1.0)) return x;
  const double power = detail::real(detail::bits(x) & ~detail::mantissa_bits);
  return power == x ? power : 2.0 * power;
}

/// x^y with the special cases of C (IEEE 754 pow).
NPL_INLINE double pow(double x, double y) {
  using namespace detail;
  const double a = detail::abs(x), b = detail::abs(y);
  const double e = choose(b > 0x1p65, choose(y < 0.0, -0x1p65, 0x1p65), y);  // beyond, the result is 0, 1 or inf all the same
  const Pair l = log_pair(a);
  const double l_h = head(l.hi), l_l = (l.hi - l_h) + l.lo, e_h = head(e), e_l = e - e_h;
  const double p = e_h * l_h, rest = e_l * l_h + e * l_l, hi = p + rest;
  double r = exp_pair(hi, rest - (hi - p));
  r = choose(a == 0.0, choose(y > 0.0, 0.0, inf), r);
  r = choose(a == inf, choose(y > 0.0, inf, 0.0), r);
  const bool whole = is_whole(b), odd = whole & (is_whole(0.5 * b) == false);
  r = real(bits(r) ^ (bits(choose(odd, x, 0.0)) & 0x8000000000000000u));
  r = choose((x < 0.0) & (whole == false) & (a != inf), nan, r);
  r = choose((x != x) | (y != y), nan, r);
  return choose((y == 0.0) | (x == 1.0), 1.0, r);
}

/// x^y for finite x > 0 and finite y: pow without the special cases.
NPL_INLINE double pow_positive(double x, double y) {
  using namespace detail;
  const Pair l = log_pair(x);
  const double l_h = head(l.hi), l_l = (l.hi - l_h) + l.lo, y_h = head(y), y_l = y - y_h;
  const double p = y_h * l_h, rest = y_l * l_h + y * l_l, hi = p + rest;
  return exp_pair(hi, rest - (hi - p));
}

/// x^y for normal x > 0 to 13 digits, in half the time of exp(y log x): relative error below 2^-53 |y log2 x| + 3e-14 max(1, |y|). 1 for
/// x = 1 or y = 0. Other x give a number without meaning. Polynomials through Chebyshev nodes: log2(m) / (m - 1), (2^r - 1) / r.
NPL_INLINE double pow_13(double x, double y) {
  using namespace detail;
  const auto [m, k] = split_normal(x);
  const double f = m - 1.0, f2 = f * f, f4 = f2 * f2;
  const double a = (0x1.71547652b848fp+0 + f * -0x1.71547652bbfe3p-1) + f2 * (0x1.ec709dc20c211p-2 + f * -0x1.7154764684000p-2);
  const double b = (0x1.2776c612dc452p-2 + f * -0x1.ec70a9af78a5bp-3) + f2 * (0x1.a616e99907061p-3 + f * -0x1.7151d68b9cdcep-3);
  const double c = (0x1.485790fcd4f39p-3 + f * -0x1.27c2a27d2eb2cp-3) + f2 * (0x1.0c1172e25f7dfp-3 + f * -0x1.e37514f88e207p-4);
  const double d = (0x1.c6fc53ce50357p-4 + f * -0x1.e738b828c2ea7p-4) + f2 * (0x1.d40e29ad0c994p-4 + f * -0x1.cb6809f4086d6p-5);
  const double power = y * (k + f * ((a + f4 * b) + (f4 * f4) * (c + f4 * d)));
  const double w = max(min(power, 1400.0), -1400.0);  // beyond, the result is inf or 0
  const double t = w + round_and_bias, r = w - (t - round_and_bias), r2 = r * r, r4 = r2 * r2;
  const double g = (0x1.62e42fefa39f7p-1 + r * 0x1.ebfbdff82c590p-3) + r2 * (0x1.c6b08d7044119p-5 + r * 0x1.3b2ab6fba385fp-7);
  const double h = (0x1.5d87fe908f88ap-10 + r * 0x1.4309130378460p-13) + r2 * (0x1.ffcb76789860fp-17 + r * 0x1.62bfe46117445p-20);
  return scale(1.0 + r * (g + r4 * (h + r4 * (0x1.b6571de2f2351p-24 + r * 0x1.e5e9f548e5725p-28))), bits(t));
}

}  // namespace npl::math
