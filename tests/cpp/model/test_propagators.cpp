// SPDX-License-Identifier: Apache-2.0
// Propagators against quadrature of their definition, whole_steps against what NEST does.
#include "model/propagators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace npl::model::test_propagators {
namespace {

/// Integral over 0..h by Gauss's rule of three points in 2000 intervals.
long double integral(const std::function<long double(long double)>& f, long double h) {
  constexpr int n = 2000;
  const long double half = h / n / 2, node = half * sqrtl(0.6L);
  long double sum = 0;
  for (int k = 0; k < n; ++k) {
    const long double middle = (2 * k + 1) * half;
    sum += 5 * f(middle - node) + 8 * f(middle) + 5 * f(middle + node);
  }
  return sum * half / 9;
}

class Propagators : public testing::TestWithParam<std::tuple<double, double, double>> {
 protected:
  double tau_s = std::get<0>(GetParam()), tau_m = std::get<1>(GetParam()), h = std::get<2>(GetParam());
  /// Effect on V of a current I(t) that begins at 0, by convolution with the membrane's response; C = 250 pF.
  long double effect(const std::function<long double(long double)>& current) const {
    return integral([&](long double t) { return current(t) * expl(-(h - t) / tau_m); }, h) / 250;
  }
};

TEST_P(Propagators, ExponentialCurrent) {
  const long double exact = effect([&](long double t) { return expl(-t / tau_s); });
  EXPECT_NEAR(exp_propagator(tau_s, tau_m, 250.0, h), static_cast<double>(exact), 4e-15 * static_cast<double>(exact));
}

TEST_P(Propagators, AlphaCurrent) {
  const long double exact = effect([&](long double t) { return t * expl(-t / tau_s); });
  EXPECT_NEAR(alpha_propagator(tau_s, tau_m, 250.0, h), static_cast<double>(exact), 1e-14 * static_cast<double>(exact));
}

INSTANTIATE_TEST_SUITE_P(TimeConstants, Propagators,
                         testing::Combine(testing::Values(0.2, 0.5, 2.0, 9.99, 10.0 - 1e-7, 10.0, 10.0 + 1e-13, 10.1, 100.0),
                                          testing::Values(2.0, 10.0), testing::Values(0.0125, 0.1, 1.0, 5.0)));

TEST(WholeSteps, RoundUpAfterRoundingToMicroseconds) {
  const std::vector<std::pair<double, double>> seen{{0.0, 0},    {0.0004, 0}, {0.0006, 1}, {0.001, 1}, {0.04, 1}, {0.1, 1},
                                                    {0.1004, 1}, {0.1006, 2}, {0.14, 2},   {0.15, 2},  {2.0, 20}, {2.04, 21}};
  for (auto [time, steps] : seen) EXPECT_EQ(whole_steps(time, 0.1), steps) << time;
  EXPECT_EQ(whole_steps(2.0, 0.0125), 160);
  EXPECT_EQ(whole_steps(1.0, 0.0001), 10000);
}

TEST(WholeSteps, OfBinaryFractions) {
  constexpr double tic = 1.0 / 1024.0;
  for (double steps : {0.0, 1.0, 2.0, 3.0, 2048.0, 20480.0}) EXPECT_EQ(whole_steps(steps * tic, tic), steps);
  EXPECT_EQ(whole_steps(0.001, tic), 1);  // 1.024 tics are one
  EXPECT_EQ(whole_steps(4 * tic, 4 * tic), 1);
  EXPECT_EQ(whole_steps(5 * tic, 4 * tic), 2);
}

}  // namespace
}  // namespace npl::model::test_propagators
