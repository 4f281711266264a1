// SPDX-License-Identifier: Apache-2.0
// Overlap of two segments: closed forms, and random pairs against a search along the axis in long double.
#include "circuit/overlap.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../levels.hpp"

namespace npl::circuit::test_overlap {
namespace {

Segment stick(Vec from, Vec to, double r0, double r1) { return segment({from, r0}, {to, r1}, 0, Mode::tapered); }

void expect_interval(const Segment& p, const Segment& q, double lo, double hi) {
  const Interval s = overlap(p, q);
  EXPECT_NEAR(s.lo, lo, 1e-12);
  EXPECT_NEAR(s.hi, hi, 1e-12);
}

TEST(Overlap, CrossedSticks) {
  const Segment p = stick({-5, 0, 0}, {5, 0, 0}, 1, 1);
  for (double z : {0.0, 1.0, 1.5, 1.999}) {
    const double half = std::sqrt(4 - z * z);
    expect_interval(p, stick({0, -5, z}, {0, 5, z}, 1, 1), 0.5 - half / 10, 0.5 + half / 10);
  }
  EXPECT_TRUE(overlap(p, stick({0, -5, 2.001}, {0, 5, 2.001}, 1, 1)).empty());
}

TEST(Overlap, ParallelSticksShareWhatLiesBesideEachOtherAndTheCaps) {
  const Segment p = stick({0, 0, 0}, {10, 0, 0}, 0.5, 0.5);
  expect_interval(p, stick({0, 0.8, 0}, {10, 0.8, 0}, 0.5, 0.5), 0, 1);
  expect_interval(p, stick({4, 0.8, 0}, {20, 0.8, 0}, 0.5, 0.5), 0.34, 1);  // the cap reaches sqrt(1 - 0.8^2) = 0.6 back
  expect_interval(p, stick({6, 0.8, 0}, {4, 0.8, 0}, 0.5, 0.5), 0.34, 0.66);
  EXPECT_TRUE(overlap(p, stick({0, 1.1, 0}, {10, 1.1, 0}, 0.5, 0.5)).empty());
}

TEST(Overlap, EndToEnd) {
  const Segment p = stick({0, 0, 0}, {10, 0, 0}, 0.5, 0.5);
  expect_interval(p, stick({10.6, 0, 0}, {20, 0, 0}, 0.5, 0.5), 0.96, 1);
  EXPECT_TRUE(overlap(p, stick({11.1, 0, 0}, {20, 0, 0}, 0.5, 0.5)).empty());
}

TEST(Overlap, StickAndBall) {
  const Segment p = stick({-10, 3, 0}, {10, 3, 0}, 0.2, 0.2), ball = stick({0, 0, 0}, {0, 0, 0}, 4.8, 4.8);
  expect_interval(p, ball, 0.5 - 4.0 / 20, 0.5 + 4.0 / 20);
  expect_interval(ball, p, 0, 1);
  expect_interval(ball, stick({0, 5, 0}, {0, 5, 0}, 0.3, 0.3), 0, 1);
  EXPECT_TRUE(overlap(ball, stick({0, 5.2, 0}, {0, 5.2, 0}, 0.3, 0.3)).empty());
}

TEST(Overlap, TaperedStickMeetsOnlyWhereItIsThick) {
  const Segment p = stick({0, 0, 0}, {10, 0, 0}, 0, 2), thin = stick({0, 1, 0}, {10, 1, 0}, 0, 0);
  // Radius 0.2 x around x reaches y = 1 first where the cone's tangent does: distance along the slant, 0.2 x = 1 * sqrt(1 - 0.2^2) for the
  // nearest t.
  expect_interval(p, thin, 0.5, 1);                      // the ball at x touches the line y = 1 where its radius is 1
  const Segment q = stick({7, 1, 0}, {10, 1, 0}, 0, 0);  // an end of a line at (7, 1): (x - 7)^2 + 1 = (0.2 x)^2
  const double a = 0.96, b = -7, c = 50, x = (-b - std::sqrt(b * b - a * c)) / a;
  expect_interval(p, q, x / 10, 1);
}

TEST(Overlap, ZeroRadiiAndLengths) {
  EXPECT_TRUE(overlap(stick({0, 0, 0}, {1, 0, 0}, 0, 0), stick({0, 1e-3, 0}, {1, 1e-3, 0}, 0, 0)).empty());
  expect_interval(stick({0, 0, 0}, {0, 0, 0}, 0, 0), stick({0, 0, 0}, {0, 0, 0}, 0, 0), 0, 1);
  const Segment ball = stick({1, 1, 1}, {1, 1, 1}, 0.5, 2);
  EXPECT_EQ(ball.radius, 2);
  EXPECT_EQ(ball.widening, 0);
}

TEST(Overlap, CapsulesHaveTheMeanRadius) {
  const Segment s = segment({{0, 0, 0}, 1}, {{1, 0, 0}, 3}, 0.5, Mode::capsule);
  EXPECT_EQ(s.radius, 2.5);
  EXPECT_EQ(s.widening, 0);
}

// --- random pairs, the long way round

using Real = long double;

/// Least of a convex function on [0, 1], by thirds.
template <class F>
std::pair<Real, Real> least(F f) {
  Real a = 0, b = 1;
  for (int i = 0; i < 140; ++i) {
    const Real x = a + (b - a) / 3, y = b - (b - a) / 3;
    if (f(x) < f(y))
      b = y;
    else
      a = x;
  }
  return {(a + b) / 2, std::min({f((a + b) / 2), f(Real{0}), f(Real{1})})};
}

/// |p(s) - q(t)| - r - r.
Real clearance(const Segment& p, const Segment& q, Real s, Real t) {
  const Real x = p.begin.x - q.begin.x + s * p.axis.x - t * q.axis.x, y = p.begin.y - q.begin.y + s * p.axis.y - t * q.axis.y;
  const Real z = p.begin.z - q.begin.z + s * p.axis.z - t * q.axis.z;
  return std::sqrt(x * x + y * y + z * z) - (p.radius + s * p.widening) - (q.radius + t * q.widening);
}

Real clearance(const Segment& p, const Segment& q, Real s) {
  return least([&](Real t) { return clearance(p, q, s, t); }).second;
}

/// From a place that overlaps towards one that need not.
Real end_towards(const Segment& p, const Segment& q, Real inside, Real outside) {
  if (clearance(p, q, outside) <= 0) return outside;
  for (int i = 0; i < 60; ++i) {
    const Real middle = (inside + outside) / 2;
    (clearance(p, q, middle) <= 0 ? inside : outside) = middle;
  }
  return inside;
}

struct Maker {
  std::mt19937 random;
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); }
  Vec vec(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Segment segment() {
    const Vec from = vec(2);
    const double kind = uniform(0, 1), length = kind < 0.1 ? 0 : kind < 0.2 ? 1e-3 : kind < 0.3 ? 30 : 2;
    return stick(from, from + length * vec(1), uniform(0, 1) < 0.1 ? 0 : uniform(0, 1.2), uniform(0, 1.2));
  }
};

TEST(Overlap, RandomPairsAsInLongForm) {
  Maker make{std::mt19937(3)};
  int overlapping = 0;
  for (int i = 0; i < 300; ++i) {
    const Segment p = make.segment(), q = make.segment();
    const auto [s, value] = least([&](Real s) { return clearance(p, q, s); });
    if (std::fabs(value) < 1e-7) continue;
    const Interval found = overlap(p, q);
    ASSERT_EQ(found.empty(), value > 0) << i;
    if (value > 0) continue;
    ++overlapping;
    EXPECT_NEAR(found.lo, static_cast<double>(end_towards(p, q, s, 0)), 1e-7) << i;
    EXPECT_NEAR(found.hi, static_cast<double>(end_towards(p, q, s, 1)), 1e-7) << i;
  }
  EXPECT_GT(overlapping, 60);
}

TEST(Overlap, NearestPointAsInLongForm) {
  Maker make{std::mt19937(4)};
  for (int i = 0; i < 2000; ++i) {
    const Segment q = make.segment(), at = stick(make.vec(3), {}, 0, 0);
    const double t = nearest(q, at.begin);
    ASSERT_TRUE(t >= 0 && t <= 1);
    EXPECT_LE(static_cast<double>(clearance(at, q, 0, t)), static_cast<double>(clearance(at, q, 0)) + 1e-9) << i;
  }
}

TEST(Overlap, SameBitsOnEverySimdLevel) {
  Maker make{std::mt19937(5)};
  PairBlock block;
  std::vector<std::vector<double>> results(1);
  std::vector<double> ends;
  while (!block.full()) {
    const Segment p = make.segment(), q = make.segment();
    block.add(p, q);
    results[0].push_back(overlap(p, q).lo);
    ends.push_back(overlap(p, q).hi);
  }
  results[0].insert(results[0].end(), ends.begin(), ends.end());
  at_every_level([&](Isa) {
    block.evaluate();
    results.emplace_back(block.lo, block.lo + block.size);
    results.back().insert(results.back().end(), block.hi, block.hi + block.size);
  });
  for (const auto& r : results) EXPECT_EQ(r, results[0]);
}

}  // namespace
}  // namespace npl::circuit::test_overlap
