// SPDX-License-Identifier: Apache-2.0
/// Expected numbers of distinct sources compared with the edges that the rules draw.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "connect/spread.hpp"
#include "rule_tester.hpp"

namespace npl::connect::test_spread {
namespace {

Spread spread_of(const Rule& rule, const Ingredients& c) {
  Spread s = rule.spread();
  s.sources = static_cast<double>(c.pre.size()), s.targets = static_cast<double>(c.post.size()), s.edges = rule.expected_edges();
  return s;
}

struct Case {
  std::string name, rule;
  Params params;
  std::int64_t sources = 60, targets = 40;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

RuleParams listed() {
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t i = 0; i < 200; ++i) sources.push_back(i * i % 60), targets.push_back(i * 7 % 40);
  return listing(sources, targets);
}

std::vector<Case> cases() {
  return {{"indegree", "fixed_indegree", params(7)},
          {"indegree_distinct", "fixed_indegree", params(20, true, false)},
          {"outdegree", "fixed_outdegree", params(5)},
          {"outdegree_distinct", "fixed_outdegree", params(30, true, false)},
          {"total", "fixed_total_number", params(90)},
          {"total_distinct", "fixed_total_number", params(700, true, false)},
          {"bernoulli", "pairwise_bernoulli", probability(0.05)},
          {"all_to_all", "all_to_all", params()},
          {"one_to_one", "one_to_one", params(), 40, 40},
          {"one_source", "fixed_indegree", params(3), 1, 40}};
}

class AnySpread : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Rules, AnySpread, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

TEST_P(AnySpread, DifferentSourcesAsDrawn) {
  const auto& [name, id, p, sources, targets] = GetParam();
  for (const std::int64_t here : {std::int64_t{1}, std::int64_t{13}, targets}) {
    double sum = 0, squares = 0, expected = 0;
    constexpr int seeds = 400;
    for (int seed = 0; seed < seeds; ++seed) {
      const Ingredients c = context(nodes(1, sources), nodes(1000, targets), p, static_cast<std::uint64_t>(seed));
      const auto rule = make(id, c);
      std::set<std::int64_t> found;
      for (const MadeEdge& e : edges_of(*rule, first_positions(here))) found.insert(e.source);
      const auto n = static_cast<double>(found.size());
      sum += n, squares += n * n;
      expected = static_cast<double>(sources) * -std::expm1(spread_of(*rule, c).log_none(static_cast<double>(here)));
    }
    const double mean = sum / seeds, error = std::sqrt(std::max(squares / seeds - mean * mean, 0.0) / seeds);
    EXPECT_NEAR(mean, expected, 4.5 * error + 0.004 * expected) << here << " targets";
  }
}

TEST(Spread, ListedEdgesWithTargetsDealtAtRandom) {
  const Ingredients c = context(nodes(1, 60), nodes(1000, 40), listed());
  const auto rule = make("explicit", c);
  const Spread s = spread_of(*rule, c);
  std::set<std::int64_t> all;
  for (const auto source : c.lists.positions("sources")) all.insert(source);
  EXPECT_NEAR(60 * -std::expm1(s.log_none(40)), static_cast<double>(all.size()), 1e-9);
  double degrees = 0, sources = 0;
  for (const auto& [degree, count] : s.degrees) degrees += static_cast<double>(degree) * count, sources += count;
  EXPECT_EQ(degrees, 200);
  EXPECT_EQ(sources, static_cast<double>(all.size()));
}

TEST(Spread, KeepingSomeEdgesIsDrawingFewer) {
  Spread s{.kind = Spread::Kind::pairs, .sources = 100, .targets = 50, .edges = 500};
  Spread half = s;
  half.edges /= 2;
  for (const double here : {1.0, 10.0, 50.0}) EXPECT_NEAR(s.log_none(here, 0.5), half.log_none(here), 1e-12);
}

TEST(Spread, PartsOfATargetAreSharesOfSlices) {
  const Spread s{.kind = Spread::Kind::pairs, .sources = 10, .targets = 5, .edges = 50};  // all to all
  EXPECT_NEAR(std::exp(s.log_none(0.25)), 0.75, 1e-12);                                   // three slices in four have no target
  EXPECT_EQ(std::exp(s.log_none(1.5)), 0.0);
}

TEST(Spread, BordersOfWhatCanBeCounted) {
  // 10^11 neurons with 10^4 inputs each, 10^6 ranks: nearly every edge has a source of its own.
  const Spread brain{.kind = Spread::Kind::repeated_per_target, .sources = 1e11, .targets = 1e11, .edges = 1e15};
  const double rows = brain.sources * -std::expm1(brain.log_none(brain.targets / 1e6));
  EXPECT_NEAR(rows, 1e9 * (1 - 0.5 * 1e9 / 1e11), 1e5);
  for (const double n : {2147483648.0, 4294967296.0, 1099511627776.0, 1e13}) {
    for (const auto kind : {Spread::Kind::repeated, Spread::Kind::repeated_per_target, Spread::Kind::pairs,
                            Spread::Kind::repeated_per_source, Spread::Kind::per_source}) {
      const Spread one{.kind = kind, .sources = n, .targets = n, .edges = n};
      const double reached = n * -std::expm1(one.log_none(n / 1024));
      EXPECT_GT(reached, 0.99 * n / 1024);
      EXPECT_LT(reached, 1.001 * n / 1024);
    }
  }
}

TEST(Spread, ScaledKeepsTheInputsOfATarget) {
  const Spread s{.kind = Spread::Kind::listed, .degrees = {{2, 10.0}, {5, 4.0}}, .sources = 20, .targets = 8, .edges = 40};
  const Spread large = s.scaled(3);
  EXPECT_EQ(large.edges / large.targets, s.edges / s.targets);
  EXPECT_NEAR(large.log_none(3.0), s.log_none(1.0), 1e-9);
}

}  // namespace
}  // namespace npl::connect::test_spread
