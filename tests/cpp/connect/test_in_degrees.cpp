// SPDX-License-Identifier: Apache-2.0
/// InDegrees draws the in-degrees that the rule draws for one target after the other, on any number of threads and slices.
#include "connect/in_degrees.hpp"

#include <gtest/gtest.h>

#include "base/team.hpp"
#include "rule_tester.hpp"

namespace npl::connect::test_in_degrees {
namespace {

constexpr int n_projections = 100;

std::vector<std::unique_ptr<Projection>> some_projections() {
  std::vector<std::unique_ptr<Projection>> all;
  for (int k = 0; k < n_projections; ++k) {
    auto p = std::make_unique<Projection>();
    p->pre = nodes(1, 40), p->post = nodes(1 + k, 10 + 3 * k);
    const char* rule = k % 5 == 3 ? "fixed_indegree" : "fixed_total_number";
    p->rule = make(rule, context(p->pre, p->post, params(k % 5 == 3 ? 3 : 20 + 5 * k), static_cast<std::uint64_t>(k)));
    all.push_back(std::move(p));
  }
  return all;
}

std::size_t in_degree(const Projection& p, std::int64_t position) { return edges_of(*p.rule, {position}).size(); }

TEST(InDegrees, AreThoseOfTheRules) {
  const auto projections = some_projections();
  for (const int threads : {1, 3}) {
    InDegrees drawn(projections, {});
    Team(threads).run([&](int) { drawn.draw(); });
    for (std::size_t k = 0; k < projections.size(); ++k) {
      const Projection& p = *projections[k];
      ASSERT_EQ(drawn.of(k) == nullptr, k % 5 == 3);
      for (std::int64_t i = 0; drawn.of(k) && i < p.post.size(); ++i) ASSERT_EQ(drawn.of(k)[i], in_degree(p, i));
    }
  }
}

TEST(InDegrees, OfTheNodesOfThisRankAlone) {
  const auto projections = some_projections();
  std::vector<Residents> slices(2);
  for (int s = 0; s < 2; ++s) slices[static_cast<std::size_t>(s)].add(1, Members(2 + 4 * s, 4 * 2, 60));
  InDegrees drawn(projections, {&slices[0], &slices[1]});
  drawn.draw();
  for (std::size_t k = 0; k < projections.size(); ++k)
    for (const Residents& slice : slices)
      projections[k]->post.for_each_in(slice, [&](std::int64_t position, Gid, Local) {
        if (drawn.of(k)) {
          ASSERT_EQ(drawn.of(k)[position], in_degree(*projections[k], position));
        }
      });
}

TEST(InDegrees, AreNotKeptWhereTheyTakeTooMuch) {
  std::vector<std::unique_ptr<Projection>> projections = some_projections();
  for (const std::size_t k : {0, 1}) {
    projections[k]->post = nodes(1, 10 << 20);
    projections[k]->rule = make("fixed_total_number", context(projections[k]->pre, projections[k]->post, params(10)));
  }
  const InDegrees drawn(projections, {});
  EXPECT_NE(drawn.of(0), nullptr);
  EXPECT_EQ(drawn.of(1), nullptr);
  EXPECT_NE(drawn.of(2), nullptr);
}

TEST(InDegrees, NoneForRulesThatDrawNone) {
  std::vector<std::unique_ptr<Projection>> projections = some_projections();
  const std::span all(projections);
  EXPECT_TRUE(InDegrees(all.subspan(3, 1), {}).empty());
  EXPECT_TRUE(InDegrees(all.first(0), {}).empty());
}

}  // namespace
}  // namespace npl::connect::test_in_degrees
