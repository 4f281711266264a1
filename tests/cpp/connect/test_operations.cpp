// SPDX-License-Identifier: Apache-2.0
/// Law 3: the work of one of M ranks for its edges does not depend on M. Counts operations instead of measuring time.
#include <gtest/gtest.h>

#include <cmath>

#include "connect/operations.hpp"
#include "rule_tester.hpp"

namespace npl::connect::test_operations {
namespace {

constexpr std::int64_t local = 500;     ///< targets of the rank, every M-th node
constexpr std::int64_t indegree = 100;  ///< of a target, mean

struct Cost {
  double edges = 0, draws = 0, splits = 0;
};

struct CountEdges final : EdgeSink {
  void take(const EdgeBatch& b) override { n += static_cast<double>(b.n); }
  double n = 0;
};

/// Operations for making the rule and for two passes over the targets of rank M / 3.
Cost cost(const std::string& rule, const Ingredients& c, std::int64_t ranks) {
  operations = {};
  const auto made = make(rule, c);
  auto batch = std::make_unique<EdgeBatch>();
  CountEdges sink;
  for (const bool words : {false, true}) {
    batch->with_words = words;
    for (std::int64_t t = 0; t < local; ++t) made->edges(t * ranks + ranks / 3, *batch, sink);
  }
  return {sink.n, static_cast<double>(operations.draws), static_cast<double>(operations.splits)};
}

struct RuleCase {
  const char* name;
  Params (*params)(std::int64_t nodes, bool autapses);
  double most;  ///< operations per edge
};

const RuleCase rule_cases[] = {
    {"fixed_indegree", [](std::int64_t, bool a) { return params(indegree, a); }, 1.2},
    {"fixed_total_number", [](std::int64_t n, bool a) { return params(n * indegree, a); }, 1.6},
    {"pairwise_bernoulli", [](std::int64_t n, bool a) { return probability(static_cast<double>(indegree) / static_cast<double>(n), a); },
     1.6},
    {"fixed_outdegree", [](std::int64_t, bool a) { return params(indegree, a); }, 3.0},
    {"fixed_total_number", [](std::int64_t n, bool a) { return params(n * indegree, a, false); }, 1.6},
    {"fixed_indegree", [](std::int64_t, bool a) { return params(indegree, a, false); }, 1.2},
};

TEST(Operations, PerLocalEdgeAreBoundedForAnyNumberOfRanks) {
  for (const RuleCase& rule : rule_cases)
    for (const bool autapses : {true, false})
      for (const std::int64_t ranks : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{100'000}, std::int64_t{10'000'000}}) {
        const std::int64_t n = ranks * local;
        const NodeSet set = nodes(1, n);
        const Cost c = cost(rule.name, context(set, set, rule.params(n, autapses)), ranks);
        EXPECT_NEAR(c.edges, 2.0 * local * indegree, 6 * std::sqrt(2.0 * local * indegree)) << rule.name;
        EXPECT_LE((c.draws + c.splits) / c.edges, rule.most) << rule.name << " " << ranks;
        // Targets in order share the upper levels: half a split for each node of the tree on the way, once in each pass.
        EXPECT_LE(c.splits, 2.0 * local * 2 * (std::log2(static_cast<double>(ranks)) + 2)) << rule.name << " " << ranks;
      }
}

/// Sets of many pieces: nothing is listed, and the pools of sources inside and outside of post are found by arithmetic.
TEST(Operations, PartlyCommonSetsNeedNoLists) {
  const std::int64_t n = 50'000'000;
  const NodeSet pre({{1, n, 2}, {2 * n + 1, n, 1}}), post({{n, n, 1}, {2 * n + 7, n, 3}});
  const Cost c = cost("fixed_outdegree", context(pre, post, params(indegree, false)), 2 * n / local);
  EXPECT_NEAR(c.edges, 2.0 * local * indegree, 6 * std::sqrt(2.0 * local * indegree));
  EXPECT_LE((c.draws + c.splits) / c.edges, 3.5);
}

/// At the limits: 2^44 nodes on either side, 2^52 edges.
TEST(Operations, LargestSetsCostNoMore) {
  const std::int64_t n = std::int64_t{1} << 44;
  const NodeSet set = nodes(1, n);
  for (const bool multapses : {true, false}) {
    const Cost c = cost("fixed_total_number", context(set, set, params(std::int64_t{1} << 52, false, multapses)), n / local);
    EXPECT_NEAR(c.edges, 2.0 * local * 256, 6 * std::sqrt(2.0 * local * 256));
    EXPECT_LE(c.draws + c.splits, 1.6 * c.edges);
  }
  const Cost c = cost("fixed_outdegree", context(set, set, params(256)), n / local);
  EXPECT_NEAR(c.edges, 2.0 * local * 256, 6 * std::sqrt(2.0 * local * 256));
  EXPECT_LE(c.draws + c.splits, 3 * c.edges);
}

}  // namespace
}  // namespace npl::connect::test_operations
