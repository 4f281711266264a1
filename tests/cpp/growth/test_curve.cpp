// SPDX-License-Identifier: Apache-2.0
/// Growth curves: published properties, and growth against a fine integration of the differential equation.
#include "growth/curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"

namespace npl::growth::test_curve {
namespace {

Curve curve(Shape shape, double rate, double eta, double eps, double psi = 0.1) {
  return {.shape = shape, .rate = rate, .eta = eta, .eps = eps, .psi = psi};
}

/// f(Ca) as published.
double published(const Curve& c, double ca) {
  if (c.shape == Shape::linear) return 1.0 - ca / c.eps;
  if (c.shape == Shape::sigmoid) return 2.0 / (1.0 + std::exp((ca - c.eps) / c.psi)) - 1.0;
  const double xi = (c.eta + c.eps) / 2, zeta = (c.eta - c.eps) / (2 * std::sqrt(std::log(2.0)));
  return 2.0 * std::exp(-std::pow((ca - xi) / zeta, 2)) - 1.0;
}

/// Simpson's rule in small steps; z stays at 0 where it would shrink.
double integrated(const Curve& c, double z, double ca, double tau, double ms, int steps) {
  const double h = ms / steps;
  const auto f = [&](double t) { return c.rate * published(c, ca * std::exp(-t / tau)); };
  for (int k = 0; k < steps; ++k) z = std::max(0.0, z + h / 6 * (f(k * h) + 4 * f((k + 0.5) * h) + f((k + 1) * h)));
  return z;
}

TEST(Curve, is_zero_where_calcium_is_at_its_targets) {
  EXPECT_NEAR(curve(Shape::gaussian, 1, 0.1, 0.7)(0.1), 0.0, 1e-14);
  EXPECT_NEAR(curve(Shape::gaussian, 1, 0.1, 0.7)(0.7), 0.0, 1e-14);
  EXPECT_EQ(curve(Shape::gaussian, 1, 0.2, 0.6)(0.4), 1.0);
  EXPECT_EQ(curve(Shape::linear, 1, 0, 0.7)(0.7), 0.0);
  EXPECT_EQ(curve(Shape::sigmoid, 1, 0, 0.7)(0.7), 0.0);
}

TEST(Curve, grows_as_the_differential_equation_says) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const auto shape = static_cast<Shape>(trial % 3);
    const double eps = 0.05 + u(random), eta = trial % 2 ? eps * u(random) * 0.9 : eps * (1.2 + u(random));
    const Curve c = curve(shape, (trial % 5 ? 1.0 : -1.0) * 0.01 * u(random), eta, eps, 0.01 + 0.2 * u(random));
    const double ca = 2.0 * u(random), tau = 20.0 + 1000.0 * u(random), ms = 400.0 * u(random);
    for (const double z : {0.0, 0.3, 5.0})
      EXPECT_NEAR(grown(c, z, ca, tau, ms), integrated(c, z, ca, tau, ms, 20000), 1e-5 * std::fabs(c.rate) * ms + 1e-12)
          << shapes()[static_cast<std::size_t>(shape)] << " " << trial;
  }
}

TEST(Curve, quadrature_is_exact_where_nothing_is_cut) {
  const Curve c = curve(Shape::gaussian, 0.001, 0.05, 0.2), s = curve(Shape::sigmoid, 0.001, 0, 0.2, 0.03);
  for (const double ca : {0.0, 0.03, 0.2, 0.9})
    for (const double ms : {0.1, 30.0, 1000.0, 60000.0})
      for (const Curve& x : {c, s}) {
        const double expected = integrated(x, 1e3, ca, 1000.0, ms, 200000);
        EXPECT_NEAR(grown(x, 1e3, ca, 1000.0, ms), expected, 1e-7) << ca << " " << ms;
      }
}

TEST(Curve, elements_never_become_negative) {
  const Curve c = curve(Shape::linear, 0.1, 0, 0.5);
  EXPECT_EQ(grown(c, 0.1, 10.0, 1e6, 100.0), 0.0);
  // Calcium falls from 1 to eps in tau ln 2: from then on z grows from 0, not from what it would have lost.
  const double tau = 100.0, ms = 100.0, zero = tau * std::log(2.0), left = ms - zero;
  EXPECT_NEAR(grown(c, 0.0, 1.0, tau, ms), 0.1 * (left - tau * (1 - std::exp(-left / tau))), 1e-12);
}

TEST(Curve, refuses_by_name) {
  const auto refused = [](Curve c) {
    try {
      c.check();
    } catch (const BadParameter& e) {
      return e.parameter;
    }
    return std::string();
  };
  EXPECT_EQ(refused(curve(Shape::gaussian, 1, 0.5, 0.5)), "eps");
  EXPECT_EQ(refused(curve(Shape::linear, 1, 0.5, 0.0)), "eps");
  EXPECT_EQ(refused(curve(Shape::sigmoid, 1, 0.5, 0.5, 0.0)), "psi");
  EXPECT_EQ(refused(curve(Shape::sigmoid, NAN, 0.5, 0.5)), "growth_rate");
  EXPECT_EQ(refused({.tau_vacant = 1.5}), "tau_vacant");
  EXPECT_THROW(find_shape("cubic"), UnknownName);
}

}  // namespace
}  // namespace npl::growth::test_curve
