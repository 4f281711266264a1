// SPDX-License-Identifier: Apache-2.0
// Functions of doubles against long double: error in units of the last place, special values, the same bits on every SIMD level.
// A function F under test has `of(x, y)`, which always_inline calls it, and `exact(x, y)` in long double.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../levels.hpp"

namespace npl::accuracy {

inline constexpr double inf = std::numeric_limits<double>::infinity();

inline const std::vector<double> specials = {0.0,
                                             -0.0,
                                             1.0,
                                             -1.0,
                                             2.0,
                                             -2.0,
                                             3.0,
                                             -3.0,
                                             0.5,
                                             -0.5,
                                             1.5,
                                             inf,
                                             -inf,
                                             std::nan(""),
                                             1e300,
                                             -1e300,
                                             5e-324,
                                             -5e-324,
                                             1e-300,
                                             0x1p-1022,
                                             0x1.fffffffffffffp-1,
                                             0x1.0000000000001p0,
                                             0x1p53,
                                             0x1p53 + 2,
                                             0x1p52 + 1,
                                             -0x1p52 - 1,
                                             4503599627370497.5,
                                             709.7,
                                             710.5,
                                             -745.0,
                                             -746.0,
                                             -750.0};

/// Distance of `value` from `exact` in units in the last place of a double of that size.
inline double ulps(double value, long double exact) {
  const auto nearest = static_cast<double>(exact);
  if (std::isnan(nearest)) return std::isnan(value) ? 0 : inf;
  if (!std::isfinite(nearest)) return value == nearest ? 0 : inf;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  return static_cast<double>(std::fabs(exact - value)) / std::ldexp(1.0, std::max(exponent - 53, -1074));
}

template <class F>
struct Loop {
  NPL_INLINE static void run(const double* x, const double* y, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = F::of(x[i], y[i]);
  }
};

template <class F>
std::vector<double> on_level(Isa level, const std::vector<double>& x, const std::vector<double>& y) {
  const Isa before = isa();
  std::vector<double> out(x.size(), -1.0);
  EXPECT_TRUE(set_isa(level));
  Dispatch<Loop<F>>::run(x.data(), y.data(), out.data(), x.size());
  set_isa(before);
  return out;
}

template <class F>
double worst(const std::vector<double>& x, const std::vector<double>& y) {
  const auto got = on_level<F>(isa(), x, y);
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, ulps(got[i], F::exact(x[i], y[i])));
  return error;
}

inline std::vector<double> uniform(double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x(200000);
  for (double& v : x) v = low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  return x;
}
inline std::vector<double> powers(double low, double high, unsigned seed) {
  auto x = uniform(low, high, seed);
  for (double& v : x) v = std::exp2(v);
  return x;
}

template <class F>
void compare_specials(double limit) {
  for (double x : specials)
    for (double y : specials) {
      const double got = F::of(x, y);
      const long double exact = F::exact(x, y);
      EXPECT_LE(ulps(got, exact), limit) << x << ' ' << y << ": " << got;
      EXPECT_TRUE(got == 0.0 || std::isnan(got) || std::signbit(got) == std::signbit(exact)) << x << ' ' << y;
    }
}

template <class F>
void compare_levels() {
  auto x = powers(-1074, 1024, 10), y = uniform(-800, 800, 11);
  for (double a : specials)
    for (double b : specials) x.push_back(a), y.push_back(b);
  x.insert(x.end(), y.begin(), y.end());
  y.resize(x.size(), 0.4);
  const auto levels = tested_levels();
  const auto lowest = on_level<F>(levels.front(), x, y);
  for (const Isa level : levels) {
    const auto other = on_level<F>(level, x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(std::bit_cast<std::uint64_t>(lowest[i]) == std::bit_cast<std::uint64_t>(other[i]) ||
                  (std::isnan(lowest[i]) && std::isnan(other[i])))
          << isa_name(level) << ' ' << x[i] << ' ' << y[i];
  }
}

}  // namespace npl::accuracy
