// SPDX-License-Identifier: Apache-2.0
/// Matching: who takes part, and that every pair is as likely as any other.
#include "growth/matching.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace npl::growth {
namespace {

using Pairs = std::vector<std::pair<Gid, Gid>>;

Pairs matched(const std::vector<Vacant>& sources, const std::vector<Vacant>& targets, Step update) {
  return match(sources, targets, key_of(1, update, Draw::sources, 0), key_of(1, update, Draw::targets, 0));
}

TEST(Matching, joins_as_many_as_the_fewer_and_no_element_twice) {
  for (Step update = 0; update < 50; ++update) {
    const std::vector<Vacant> sources{{1, 3}, {2, 1}, {9, 2}}, targets{{3, 4}, {4, 5}};
    std::map<Gid, int> from, to;
    const Pairs pairs = matched(sources, targets, update);
    ASSERT_EQ(pairs.size(), 6U);
    for (const auto& [s, t] : pairs) ++from[s], ++to[t];
    EXPECT_EQ(from, (std::map<Gid, int>{{1, 3}, {2, 1}, {9, 2}}));
    EXPECT_LE(to[3], 4);
    EXPECT_LE(to[4], 5);
  }
  EXPECT_TRUE(matched({}, {{1, 5}}, 0).empty());
}

TEST(Matching, all_pairs_are_equally_likely) {
  constexpr int trials = 30000;
  std::map<std::pair<Gid, Gid>, int> seen;
  for (Step update = 0; update < trials; ++update)
    for (const auto& pair : matched({{1, 1}, {2, 1}, {3, 1}}, {{4, 1}, {5, 1}, {6, 1}, {7, 1}}, update)) ++seen[pair];
  ASSERT_EQ(seen.size(), 12U);
  for (const auto& [pair, n] : seen) EXPECT_NEAR(n, trials / 4.0, 5 * std::sqrt(trials * 0.25 * 0.75));
}

TEST(Matching, priorities_are_uniform_and_differ) {
  const rng::Key key = key_of(3, 5, Draw::axons, 1);
  double sum = 0;
  for (Gid source = 1; source <= 100; ++source)
    for (Gid target = 1; target <= 10; ++target)
      for (std::uint32_t nth = 0; nth < 10; ++nth) sum += static_cast<double>(priority(key, source, target, nth)) * 0x1p-64;
  EXPECT_NEAR(sum / 1e4, 0.5, 5 / std::sqrt(12 * 1e4));
  EXPECT_NE(priority(key, 1, 2, 0), priority(key, 2, 1, 0));
}

}  // namespace
}  // namespace npl::growth
