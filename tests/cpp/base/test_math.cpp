// SPDX-License-Identifier: Apache-2.0
// exp, log, expm1, log1p, pow, pow_13 against long double: errors, special values as in C, same bits on every SIMD level.
#include "base/math.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "accuracy.hpp"

namespace npl::test_math {
namespace {

using namespace accuracy;

struct Exp {
  NPL_INLINE static double of(double x, double) { return math::exp(x); }
  static long double exact(double x, double) { return expl(x); }
};
struct Expm1 {
  NPL_INLINE static double of(double x, double) { return math::expm1(x); }
  static long double exact(double x, double) { return expm1l(x); }
};
struct Log {
  NPL_INLINE static double of(double x, double) { return math::log(x); }
  static long double exact(double x, double) { return logl(x); }
};
struct Log1p {
  NPL_INLINE static double of(double x, double) { return math::log1p(x); }
  static long double exact(double x, double) { return log1pl(x); }
};
struct Pow {
  NPL_INLINE static double of(double x, double y) { return math::pow(x, y); }
  static long double exact(double x, double y) { return powl(x, y); }
};
struct PowPositive {
  NPL_INLINE static double of(double x, double y) { return math::pow_positive(x, y); }
  static long double exact(double x, double y) { return powl(x, y); }
};

struct Pow13 {
  NPL_INLINE static double of(double x, double y) { return math::pow_13(x, y); }
  static long double exact(double x, double y) { return powl(x, y); }
};

TEST(Math, ErrorsAreBounded) {
  const auto ones = uniform(1, 1, 0);
  for (double range : {750.0, 20.0, 1.0, 1e-3}) EXPECT_LT(worst<Exp>(uniform(-range, range, 1), ones), 1.05) << range;
  for (double range : {750.0, 20.0, 1.0, 1e-3, 1e-12}) EXPECT_LT(worst<Expm1>(uniform(-range, range, 2), ones), 2.1) << range;
  EXPECT_LT(worst<Log>(powers(-1074, 1024, 3), ones), 1.0);
  EXPECT_LT(worst<Log>(uniform(0.5, 2.0, 4), ones), 1.0);
  EXPECT_LT(worst<Log>(uniform(0.999, 1.001, 5), ones), 1.0);
  for (double range : {1.0, 0.1, 1e-3, 1e-8, 1e-15}) EXPECT_LT(worst<Log1p>(uniform(-range, range, 12), ones), 2.5) << range;
  EXPECT_LT(worst<Log1p>(powers(-1074, 1024, 13), ones), 2.5);
}

TEST(Math, ErrorsOfPowAreBounded) {
  for (double span : {1.0, 30.0, 1000.0})
    for (double exponent : {1.0, 30.0, 1000.0}) {
      EXPECT_LT(worst<Pow>(powers(-span, span, 6), uniform(-exponent, exponent, 7)), 1.2) << span << ' ' << exponent;
      EXPECT_LT(worst<PowPositive>(powers(-span, span, 8), uniform(-exponent, exponent, 9)), 1.2) << span << ' ' << exponent;
    }
}

TEST(Math, PowersHaveThirteenDigits) {
  for (double span : {1.0, 30.0, 1000.0})
    for (double exponent : {0.1, 1.0, 10.0}) {
      const auto x = powers(-span, span, 14), y = uniform(-exponent, exponent, 15), got = on_level<Pow13>(isa(), x, y);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const long double exact = powl(x[i], y[i]), binary = y[i] * log2l(x[i]);
        if (std::fabs(binary) > 1020) continue;
        const long double bound = 0x1p-53L * std::fabs(binary) + 3e-14L * std::max(1.0, std::fabs(y[i]));
        ASSERT_LE(std::fabs(got[i] / exact - 1), bound) << x[i] << ' ' << y[i];
      }
    }
}

TEST(Math, PowersOfThirteenDigitsAreExactWhereTheyAreWhole) {
  for (double y : {0.0, 0.4, 1.0, 1e6, -3.0}) EXPECT_EQ(math::pow_13(1.0, y), 1.0);
  for (double x : {0x1p-1022, 1e-5, 0.3, 7.0, 1e300}) EXPECT_EQ(math::pow_13(x, 0.0), 1.0);
  EXPECT_EQ(math::pow_13(4.0, 0.5), 2.0);
  EXPECT_EQ(math::pow_13(0.125, 2.0), 0x1p-6);
  EXPECT_EQ(math::pow_13(1e300, 1e9), inf);
  EXPECT_EQ(math::pow_13(1e300, -1e9), 0.0);
}

TEST(Math, SpecialValuesAreThoseOfC) {
  compare_specials<Exp>(1.05);
  compare_specials<Expm1>(2.1);
  compare_specials<Log>(1.0);
  compare_specials<Log1p>(2.5);
  compare_specials<Pow>(1.2);
}

TEST(Math, PowKeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(math::pow(-0.0, 3.0)));
  EXPECT_FALSE(std::signbit(math::pow(-0.0, 2.0)));
  EXPECT_EQ(math::pow(-0.0, -3.0), -inf);
}

TEST(Math, PowersOfTwoFromANumberOn) {
  for (int k = 0; k < 1000; ++k) {
    const double power = std::ldexp(1.0, k);
    EXPECT_EQ(math::power_of_two_from(power), power);
    EXPECT_EQ(math::power_of_two_from(std::nextafter(power, inf)), 2 * power);
    EXPECT_EQ(math::power_of_two_from(std::nextafter(power, 0.0)), k ? power : std::nextafter(1.0, 0.0));
  }
  EXPECT_EQ(math::power_of_two_from(0.3), 0.3);
  EXPECT_EQ(math::power_of_two_from(0.0), 0.0);
}

TEST(Math, SameBitsOnEveryLevel) {
  compare_levels<Exp>();
  compare_levels<Expm1>();
  compare_levels<Log>();
  compare_levels<Log1p>();
  compare_levels<Pow>();
  compare_levels<PowPositive>();
  compare_levels<Pow13>();
}

}  // namespace
}  // namespace npl::test_math
