// SPDX-License-Identifier: Apache-2.0
// sin and cos against long double and against values computed with 2400 bits (mpmath), up to the largest double.
#include "base/sine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "accuracy.hpp"

namespace npl::test_sine {
namespace {

using namespace accuracy;

struct Sin {
  NPL_INLINE static double of(double x, double) { return math::sin(x); }
  static long double exact(double x, double) { return sinl(x); }
};
struct Cos {
  NPL_INLINE static double of(double x, double) { return math::cos(x); }
  static long double exact(double x, double) { return cosl(x); }
};
struct SinNear {
  NPL_INLINE static double of(double x, double) { return math::sin_near(x); }
  static long double exact(double x, double) { return sinl(x); }
};
struct CosNear {
  NPL_INLINE static double of(double x, double) { return math::cos_near(x); }
  static long double exact(double x, double) { return cosl(x); }
};

constexpr double bound = 0.9;  // ulp

template <class F>
double error_of(const std::vector<double>& x) {
  return worst<F>(x, std::vector<double>(x.size()));
}

/// The doubles next to multiples of pi/2, |k| < most, where digits cancel.
std::vector<double> multiples(double most, unsigned seed) {
  auto x = uniform(-most, most, seed);
  std::mt19937_64 random(seed);
  for (double& v : x) {
    v = static_cast<double>(std::floor(v) * 1.5707963267948966192313L);
    if (const auto side = random() % 3; side < 2) v = std::nextafter(v, side ? inf : -inf);
  }
  return x;
}

TEST(Sine, ErrorsAreBoundedUpToTheLimitOfTheNearOnes) {
  for (double range : {1e-9, 0.8, 3.2, 100.0, 1e4, 1e6, 1e9, math::near_limit}) {
    const auto x = uniform(-range, range, 1);
    EXPECT_LT(error_of<SinNear>(x), bound) << range;
    EXPECT_LT(error_of<CosNear>(x), bound) << range;
  }
  for (double most : {4.0, 1e3, 1e6, 6.8e8}) {
    EXPECT_LT(error_of<SinNear>(multiples(most, 2)), bound) << most;
    EXPECT_LT(error_of<CosNear>(multiples(most, 3)), bound) << most;
  }
}

TEST(Sine, ErrorsAreBoundedForAllDoubles) {
  auto x = powers(-1074, 1024, 4);
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -x[i];
  EXPECT_LT(error_of<Sin>(x), bound);
  EXPECT_LT(error_of<Cos>(x), bound);
  for (double most : {1e10, 1e13, 1e15}) {
    EXPECT_LT(error_of<Sin>(multiples(most, 5)), bound) << most;
    EXPECT_LT(error_of<Cos>(multiples(most, 6)), bound) << most;
  }
}

/// Arguments with sin and cos rounded to nearest; the first twelve are the doubles nearest to multiples of pi/2 below and above near_limit.
struct Known {
  double x, sine, cosine;
};
const std::vector<Known> known = {{0x1.6c6cbc45dc8dep+5, 0x1.0000000000000p+0, -0x1.6d61b58c99c43p-61},
                                  {0x1.6c6cbc45dc8dep+6, -0x1.6d61b58c99c43p-60, -0x1.0000000000000p+0},
                                  {0x1.b951f1572eba5p+23, -0x1.0000000000000p+0, -0x1.f54f5227a4e84p-60},
                                  {0x1.6c6cbc45dc8dep+7, 0x1.6d61b58c99c43p-59, 0x1.0000000000000p+0},
                                  {0x1.b951f1572eba5p+24, 0x1.f54f5227a4e84p-59, -0x1.0000000000000p+0},
                                  {0x1.6c6cbc45dc8dep+8, 0x1.6d61b58c99c43p-58, 0x1.0000000000000p+0},
                                  {0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.14ae72e6ba22fp-61},
                                  {0x1.6ac5b262ca1ffp+850, -0x1.14ae72e6ba22fp-60, -0x1.0000000000000p+0},
                                  {0x1.504cac51f1eafp+131, -0x1.0000000000000p+0, -0x1.0cb604d34f341p-59},
                                  {0x1.6ac5b262ca1ffp+851, 0x1.14ae72e6ba22fp-59, 0x1.0000000000000p+0},
                                  {0x1.e009c53148be1p+991, 0x1.0000000000000p+0, 0x1.295a3b0a64b1dp-59},
                                  {0x1.4c96c11134d36p+577, -0x1.0000000000000p+0, 0x1.6ec67bcf77522p-59},
                                  {0x1.0000000000000p+0, 0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1},
                                  {-0x1.4000000000000p+1, -0x1.326af0dcfcab1p-1, -0x1.9a2f7ef858b7dp-1},
                                  {0x1.921fb54442d18p-1, 0x1.6a09e667f3bccp-1, 0x1.6a09e667f3bcdp-1},
                                  {0x1.dcd6500000000p+29, 0x1.1778cae83c69bp-1, 0x1.acff8c7364234p-1},
                                  {-0x1.dcd64ffc00000p+29, -0x1.3cb1fcc865abep-4, 0x1.fe77a1c40324bp-1},
                                  {0x1.0000000000000p+30, -0x1.3c12353728cafp-1, 0x1.92cb46a920144p-1},
                                  {0x1.0000000000001p+30, -0x1.3c122eebfba67p-1, 0x1.92cb4b9968dc8p-1},
                                  {0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
                                  {0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
                                  {0x1.d6f34540ccccdp+26, 0x1.fbcbfa46275dap-1, 0x1.05e213080b160p-3},
                                  {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.0000000000000p+0},
                                  {0x1.5798ee2308c3ap-27, 0x1.5798ee2308c3ap-27, 0x1.0000000000000p+0}};

TEST(Sine, HardArguments) {
  for (const Known& k : known) {
    EXPECT_LE(ulps(math::sin(k.x), k.sine), 1.0) << k.x;
    EXPECT_LE(ulps(math::cos(k.x), k.cosine), 1.0) << k.x;
    EXPECT_EQ(math::sin(-k.x), -math::sin(k.x)) << k.x;
    EXPECT_EQ(math::cos(-k.x), math::cos(k.x)) << k.x;
    if (std::abs(k.x) > math::near_limit) continue;
    EXPECT_LE(ulps(math::sin_near(k.x), k.sine), 1.0) << k.x;
    EXPECT_LE(ulps(math::cos_near(k.x), k.cosine), 1.0) << k.x;
  }
}

TEST(Sine, TheTwoReductionsAgree) {
  auto x = uniform(1.0, math::near_limit, 7);
  double error = 0;
  for (double v : x) {
    const auto a = math::detail::reduce_far(v);
    error = std::max(error, ulps(math::detail::sine_of(a.r, a.quadrant), sinl(v)));
  }
  EXPECT_LT(error, bound);
}

TEST(Sine, SpecialValues) {
  compare_specials<Sin>(bound);
  compare_specials<Cos>(bound);
  EXPECT_TRUE(std::signbit(math::sin(-0.0)));
  EXPECT_FALSE(std::signbit(math::sin(0.0)));
  EXPECT_TRUE(std::signbit(math::sin_near(-0.0)));
  EXPECT_EQ(math::cos(-0.0), 1.0);
  for (double x : {inf, -inf, std::nan("")})
    EXPECT_TRUE(std::isnan(math::sin(x)) && std::isnan(math::cos(x)) && std::isnan(math::sin_near(x))) << x;
}

TEST(Sine, SameBitsOnEveryLevel) {
  compare_levels<Sin>();
  compare_levels<Cos>();
  compare_levels<SinNear>();
  compare_levels<CosNear>();
}

/// A scalar call gives the bits of a loop.
TEST(Sine, ScalarAndLoopAgree) {
  const auto x = uniform(-1e6, 1e6, 8);
  const auto loop = on_level<SinNear>(isa(), x, x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(math::sin(x[i]), loop[i]) << x[i];
}

}  // namespace
}  // namespace npl::test_sine
