// SPDX-License-Identifier: Apache-2.0
// Numbers of edges in networks beyond any machine: a dry run of one of 10^7 ranks, with gids up to 2^40.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "comm/dry_run.hpp"
#include "small.hpp"

namespace npl::sim::test_extreme {
namespace {

constexpr int ranks = 10000000, rank = 1234567;
constexpr std::int64_t many = std::int64_t{1} << 39, n_post = 100000000000;  // 55 thousand and 10 thousand of them are on this rank

Settings emulated() {
  Settings s{0.1, 7, 1, 0};
  s.comm = comm::dry_run(ranks, rank);
  s.slices = 2;
  s.exchange.strategy = "nbx";
  return s;
}

struct Edges {
  std::vector<Gid> source, target;
  std::int64_t own;  ///< targets on this rank
};

Edges edges(const std::string& rule, const connect::RuleParams& parameters, std::int64_t n_pre = many) {
  Network net(emulated());
  const Gid pre = net.create("iaf_psc_exp", many, {}), post = net.create("iaf_psc_alpha", n_post, {});
  ConnectCall c = call(nodes(pre + many - n_pre, n_pre), nodes(post, n_post), rule, 1.0, 1.5);
  c.rule_params = parameters;
  net.connect(c);
  net.build(nullptr);
  ConnectionColumns found = net.connections(nullptr, nullptr, "");
  const std::set<Gid> targets(found.target.begin(), found.target.end());
  for (Gid gid : targets) EXPECT_EQ(net.rank_of(gid), rank);
  for (std::size_t i = 0; i < found.source.size(); ++i) {
    EXPECT_TRUE(found.source[i] > many - n_pre && found.source[i] <= many);
    EXPECT_TRUE(found.target[i] >= post && found.target[i] < post + n_post);
  }
  return {std::move(found.source), std::move(found.target), n_post / ranks};
}

/// Sources are uniform over all of 2^39 nodes: mean and spread of a uniform distribution, and none above 2^32 is cut.
void expect_uniform(const std::vector<Gid>& sources) {
  const auto n = static_cast<double>(sources.size());
  double sum = 0, squares = 0;
  for (Gid g : sources) {
    const double u = static_cast<double>(g) / static_cast<double>(many);
    sum += u, squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  EXPECT_GT(std::set<Gid>(sources.begin(), sources.end()).size(), sources.size() - 10);
}

TEST(Extreme, FixedIndegree) {
  for (bool multapses : {true, false}) {
    const Edges e = edges("fixed_indegree", {{"indegree", 3}, {"allow_multapses", multapses}});
    EXPECT_EQ(e.source.size(), static_cast<std::size_t>(3 * e.own));
    expect_uniform(e.source);
  }
}

TEST(Extreme, FixedTotalNumber) {
  const Edges e = edges("fixed_total_number", {{"N", std::int64_t{300} * 1000000000}});
  EXPECT_NEAR(static_cast<double>(e.source.size()), 3.0 * static_cast<double>(e.own), 6 * std::sqrt(3.0 * static_cast<double>(e.own)));
  expect_uniform(e.source);
}

TEST(Extreme, FixedOutdegree) {
  const Edges e = edges("fixed_outdegree", {{"outdegree", 1}});
  const double expected = static_cast<double>(many) / ranks;
  EXPECT_NEAR(static_cast<double>(e.source.size()), expected, 6 * std::sqrt(expected));
  expect_uniform(e.source);
}

TEST(Extreme, PairwiseBernoulli) {
  const Edges e = edges("pairwise_bernoulli", {{"p", 4.0 / static_cast<double>(many)}});
  EXPECT_NEAR(static_cast<double>(e.source.size()), 4.0 * static_cast<double>(e.own), 6 * std::sqrt(4.0 * static_cast<double>(e.own)));
  expect_uniform(e.source);
}

TEST(Extreme, OneToOne) {
  const Edges e = edges("one_to_one", {}, n_post);
  ASSERT_EQ(e.source.size(), static_cast<std::size_t>(e.own));
  for (std::size_t i = 0; i < e.source.size(); ++i) EXPECT_EQ(e.target[i] - e.source[i], n_post);
}

TEST(Extreme, MoreGidsThanFitAreRefused) {
  Network net(emulated());
  net.create("iaf_psc_exp", many, {});
  EXPECT_THROW(net.create("iaf_psc_exp", many, {}), BadParameter);
  EXPECT_EQ(net.n_nodes(), many);
}

TEST(Extreme, WhatCannotFitIsRefusedAndNothingHasChanged) {
  Network net(emulated());
  const Gid pre = net.create("iaf_psc_exp", many, {});
  ConnectCall c = call(nodes(pre, many), nodes(pre, many), "fixed_indegree", 1.0, 1.5);
  c.rule_params = {{"indegree", 1000000000}};
  EXPECT_THROW(net.connect(c), TooLarge);
  EXPECT_EQ(net.connection_count(), 0u);
  net.build(nullptr);
  EXPECT_EQ(net.counters().at("synapses"), 0u);
}

}  // namespace
}  // namespace npl::sim::test_extreme
