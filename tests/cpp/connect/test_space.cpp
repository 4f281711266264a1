// SPDX-License-Identifier: Apache-2.0
/// Programs of positions, edges drawn from them, and lists of edges.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "../rng/levels.hpp"

#include "connect/space/pairs.hpp"
#include "rule_tester.hpp"

namespace npl::connect::space {
namespace {

Instruction constant(double value) { return {Op::constant, 0, 0, 0, value}; }
Instruction input(Input what, int k) { return {Op::input, static_cast<std::int32_t>(what) + k, 0, 0, 0.0}; }
Instruction apply(Op op, int a, int b = 0, int c = 0, double value = 0.0) { return {op, a, b, c, value}; }

/// What an operation gives for x, y in columns.
std::vector<double> result(Op op, const std::vector<double>& x, const std::vector<double>& y, double value = 0.0) {
  const Program program({input(Input::in_mask, 0), input(Input::in_mask, 1), apply(op, 0, 1, 0, value)});
  const double* inputs[input_count] = {x.data(), y.data()};
  auto work = program.work_space();
  const double* found = program.run(inputs, x.size(), work);
  return {found, found + x.size()};
}

TEST(Program, ComputesWhatItSays) {
  const std::vector<double> x{0.5, 2.0, 0.0, 3.0}, y{0.25, 2.0, 1.0, 4.0};
  const std::map<Op, double (*)(double, double)> expected{
      {Op::add, [](double a, double b) { return a + b; }},
      {Op::subtract, [](double a, double b) { return a - b; }},
      {Op::multiply, [](double a, double b) { return a * b; }},
      {Op::divide, [](double a, double b) { return a / b; }},
      {Op::square, [](double a, double) { return a * a; }},
      {Op::root, [](double a, double) { return std::sqrt(a); }},
      {Op::exponential, [](double a, double) { return std::exp(a); }},
      {Op::power, [](double a, double) { return std::pow(a, 1.5); }},
      {Op::magnitude, [](double a, double) { return std::fabs(a); }},
      {Op::smaller, [](double a, double b) { return std::min(a, b); }},
      {Op::larger, [](double a, double b) { return std::max(a, b); }},
      {Op::less, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {Op::less_equal, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {Op::equal, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {Op::unequal, [](double a, double b) { return a != b ? 1.0 : 0.0; }},
      {Op::choose, [](double a, double b) { return a != 0.0 ? b : a; }},
  };
  at_every_level([&](Isa) {
    for (const auto& [op, f] : expected) {
      const auto found = result(op, x, y, 1.5);
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(found[i], f(x[i], y[i]), 1e-15 * std::fabs(f(x[i], y[i]))) << static_cast<int>(op);
    }
  });
  const std::vector<double> yes{1, 1, 0, 0}, also{1, 0, 1, 0};
  EXPECT_EQ(result(Op::both, yes, also), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(result(Op::either, yes, also), (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(result(Op::without, yes, also), (std::vector<double>{0, 1, 0, 0}));
}

TEST(Program, RefusesWhatMakesNoSense) {
  EXPECT_THROW(Program({}), BadParameter);
  EXPECT_THROW(Program({apply(Op::add, 0, 0)}), BadParameter);  // its own result
  EXPECT_THROW(Program({constant(1.0), apply(Op::add, 0, -1)}), BadParameter);
  EXPECT_THROW(Program({{static_cast<Op>(99), 0, 0, 0, 0.0}}), BadParameter);
  EXPECT_THROW(Program({{Op::input, 12, 0, 0, 0.0}}), BadParameter);
}

/// Targets and sources at 0, 1, 2, ... on a line; every target may choose among the sources from 0 to n - 1, given in two runs.
struct Line {
  std::int64_t n, n_targets;
  std::vector<std::int64_t> order, centre, start, length, image, gid;
  std::vector<double> at, base, zero;

  Line(std::int64_t sources, std::int64_t targets) : n(sources), n_targets(targets), order(first_positions(sources)) {
    for (std::int64_t s = 0; s < n; ++s) at.push_back(static_cast<double>(s));
    zero.assign(static_cast<std::size_t>(std::max(sources, 2 * targets)), 0.0);
    for (std::int64_t t = 0; t < targets; ++t)
      for (const bool second : {false, true}) {
        centre.push_back(t);
        start.push_back(second ? n / 3 : 0);
        length.push_back(second ? n - n / 3 : n / 3);
        image.push_back(0);
        base.push_back(static_cast<double>(t));
      }
  }
  Sides sides() const {
    Sides s{2, true, true, {}, order, {at, zero}, {at, zero}, {at, zero}, {}, {}, n, 1};
    if (!gid.empty()) s.other_gid = s.centre_gid = gid;
    return s;
  }
  Runs runs() const { return {centre, start, length, image, {base, zero}}; }
};

const rng::Key key = rng::Key::of(7, rng::Purpose::connect, 3);
const Program half({constant(0.5)});

bool same(const Edges& a, const Edges& b) { return a.centre == b.centre && a.other == b.other && a.key == b.key; }

TEST(Pairwise, EveryPairHasItsProbability) {
  const Line line(500, 400);
  const Program near(
      {input(Input::move, 0), apply(Op::magnitude, 0), constant(-0.05), apply(Op::multiply, 1, 2), apply(Op::exponential, 3)});
  const auto edges = pairwise<Edges>(line.sides(), line.runs(), near, Number::bernoulli, key, 1);
  std::map<std::int64_t, double> seen;
  for (std::size_t i = 0; i < edges.centre.size(); ++i) ++seen[edges.other[i] - edges.centre[i]];
  double squares = 0, sum = 0;
  for (std::int64_t d = -50; d <= 50; ++d) {
    const double pairs = static_cast<double>(std::min(line.n_targets, line.n - d) - std::max<std::int64_t>(0, -d)),
                 p = std::exp(-0.05 * std::fabs(static_cast<double>(d)));
    if (p == 1.0) {
      EXPECT_EQ(seen[d], pairs);
    }
    if (p < 1.0) squares += std::pow(seen[d] - pairs * p, 2) / (pairs * p * (1 - p)), ++sum;
  }
  EXPECT_LT(std::fabs(squares - sum), 5 * std::sqrt(2 * sum));
}

TEST(Pairwise, SameEdgesInSeveralThreadsAtEveryLevelAndInPieces) {
  const Line line(333, 70);
  const auto expected = pairwise<Edges>(line.sides(), line.runs(), half, Number::bernoulli, key, 1);
  EXPECT_TRUE(std::is_sorted(expected.centre.begin(), expected.centre.end()));
  for (int threads : {2, 5, 100})
    EXPECT_TRUE(same(pairwise<Edges>(line.sides(), line.runs(), half, Number::bernoulli, key, threads), expected));
  at_every_level([&](Isa) { EXPECT_TRUE(same(pairwise<Edges>(line.sides(), line.runs(), half, Number::bernoulli, key, 1), expected)); });
  Runs runs = line.runs();
  Edges pieces;
  for (std::size_t first : {0, 60}) {
    const std::size_t n = first ? 80 : 60;
    const Runs part{runs.centre.subspan(first, n),
                    runs.start.subspan(first, n),
                    runs.length.subspan(first, n),
                    runs.image.subspan(first, n),
                    {runs.base[0].subspan(first, n), runs.base[1].subspan(first, n)}};
    pieces.join(pairwise<Edges>(line.sides(), part, half, Number::bernoulli, key, 1));
  }
  EXPECT_TRUE(same(pieces, expected));
  const auto listed = pairwise<ListedEdges>(line.sides(), line.runs(), half, Number::bernoulli, key, 3).list;
  for (std::size_t i = 0; i < expected.centre.size(); ++i) {
    const auto [begin, end] = listed.of(expected.centre[i]);
    ASSERT_TRUE(begin <= i && i < end);
    ASSERT_EQ(listed.source[i], expected.other[i]);
  }
}

TEST(Pairwise, PoissonNumbers) {
  const Line line(200, 100);
  const Program two({constant(2.0)});
  const auto edges = pairwise<Edges>(line.sides(), line.runs(), two, Number::poisson, key, 1);
  std::map<std::pair<std::int64_t, std::int64_t>, int> number;
  for (std::size_t i = 0; i < edges.centre.size(); ++i) ++number[{edges.centre[i], edges.other[i]}];
  std::vector<double> seen(8, 0.0), expected;
  for (const auto& [pair, n] : number) ++seen[static_cast<std::size_t>(std::min(n, 7))];
  seen[0] = 20000.0 - static_cast<double>(number.size());
  double p = std::exp(-2.0), rest = 1.0;
  for (int k = 0; k < 7; ++k) expected.push_back(20000 * p), rest -= p, p *= 2.0 / (k + 1);
  expected.push_back(20000 * rest);
  double squares = 0;
  for (std::size_t k = 0; k < 8; ++k) squares += std::pow(seen[k] - expected[k], 2) / expected[k];
  EXPECT_LT(squares, 30.0);
  const Program much({constant(501.0)});
  EXPECT_THROW(pairwise<Edges>(line.sides(), line.runs(), much, Number::poisson, key, 2), BadParameter);
}

TEST(Choose, DegreesWithAndWithoutRepeats) {
  const Line line(90, 50);
  const Program none_of_the_first({input(Input::source, 0), constant(9.5), apply(Op::less, 1, 0)});
  std::vector<std::int64_t> degree(50, 80);
  degree[7] = 0;
  for (const bool repeats : {true, false}) {
    std::int64_t short_of = 0;
    const auto edges = choose<Edges>(line.sides(), line.runs(), none_of_the_first, degree, repeats, {key, key}, 3, short_of);
    EXPECT_EQ(short_of, -1);
    std::map<std::int64_t, std::map<std::int64_t, int>> number;
    for (std::size_t i = 0; i < edges.centre.size(); ++i) ++number[edges.centre[i]][edges.other[i]];
    EXPECT_EQ(edges.centre.size(), 49u * 80u);
    EXPECT_EQ(number.count(7), 0u);
    for (const auto& [centre, others] : number) {
      EXPECT_GE(others.begin()->first, 10);
      EXPECT_TRUE(repeats || others.size() == 80u);
    }
  }
  degree[20] = degree[30] = 81;
  std::int64_t short_of = 0;
  choose<ListedEdges>(line.sides(), line.runs(), none_of_the_first, degree, false, {key, key}, 3, short_of);
  EXPECT_EQ(short_of, 20);
}

TEST(Choose, NoNodeWithItself) {
  Line line(40, 40);
  for (std::int64_t i = 0; i < 40; ++i) line.gid.push_back(100 + i);
  const std::vector<std::int64_t> degree(40, 39);
  std::int64_t short_of = 0;
  const auto edges = choose<Edges>(line.sides(), line.runs(), half, degree, false, {key, key}, 1, short_of);
  EXPECT_EQ(short_of, -1);
  for (std::size_t i = 0; i < edges.centre.size(); ++i) EXPECT_NE(edges.centre[i], edges.other[i]);
}

TEST(EdgeList, ExplicitTakesItInPlaceOfArrays) {
  RuleParams arrays, list;
  auto edges = std::make_shared<EdgeList>();
  for (std::int64_t t : {2, 5, 6, 19})
    for (std::int64_t k = 0; k < 300; ++k) {
      arrays.targets.push_back(t), arrays.sources.push_back(k * t % 50);
      edges->add(t, k * t % 50);
    }
  list.list = edges;
  EXPECT_EQ(all_edges("explicit", context(nodes(1, 50), nodes(101, 20), list)),
            all_edges("explicit", context(nodes(1, 50), nodes(101, 20), arrays)));
  EXPECT_EQ(edges->of(3), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
  EXPECT_THROW(make("explicit", context(nodes(1, 40), nodes(101, 20), list)), BadParameter);
  EXPECT_THROW(make("explicit", context(nodes(1, 50), nodes(101, 19), list)), BadParameter);
  EdgeList rest;
  rest.add(30, 1);
  edges->join(std::move(rest));
  EXPECT_EQ(edges->of(30), (std::pair<std::uint64_t, std::uint64_t>{1200, 1201}));
}

}  // namespace
}  // namespace npl::connect::space
