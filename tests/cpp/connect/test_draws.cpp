// SPDX-License-Identifier: Apache-2.0
/// Random building blocks of the rules: permutations, in-degree trees, distinct targets.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "../levels.hpp"
#include "../rng/statistics.hpp"
#include "connect/count_tree.hpp"
#include "connect/distinct_targets.hpp"
#include "connect/operations.hpp"
#include "connect/seen_set.hpp"
#include "connect/shuffle.hpp"
#include "rule_tester.hpp"

namespace npl::connect::test_draws {
namespace {

rng::Key key(std::uint64_t seed) { return rng::Key::of(seed, rng::Purpose::connect, 0); }

std::uint64_t image(const Shuffle& shuffle, std::uint64_t i) {
  std::uint64_t x;
  shuffle.images(i, 1, &x);
  return x;
}

std::vector<std::uint64_t> images(const Shuffle& shuffle, std::uint64_t first, std::size_t n) {
  std::vector<std::uint64_t> all(n);
  for (std::size_t i = 0; i < n; i += Shuffle::most_at_once)
    shuffle.images(first + i, std::min(Shuffle::most_at_once, n - i), all.data() + i);
  return all;
}

TEST(Shuffle, IsAPermutation) {
  for (std::uint64_t n : {1, 2, 3, 5, 10, 1000, 65536, 65537, 65792, 66049, 70001, 1000000}) {  // 65792 = 256 * 257, 66049 = 257^2
    std::vector<bool> seen(n);
    for (const std::uint64_t x : images(Shuffle(key(n), n), 0, n)) {
      ASSERT_LT(x, n);
      ASSERT_FALSE(seen[x]);
      seen[x] = true;
    }
  }
  const auto values = images(Shuffle(key(1), std::uint64_t{1} << 52), (std::uint64_t{1} << 51) - 9, 10000);
  EXPECT_EQ(std::set(values.begin(), values.end()).size(), 10000u);
}

TEST(Shuffle, SameAtEveryLevelAndInAnyPartition) {
  for (std::uint64_t n : {1000ull, 100003ull, 1ull << 40}) {
    const Shuffle shuffle(key(7), n);
    const auto expected = images(shuffle, n - 700, 700);
    for (std::size_t i = 0; i < 700; ++i) EXPECT_EQ(image(shuffle, n - 700 + i), expected[i]);
    at_every_level([&](Isa) { EXPECT_EQ(images(Shuffle(key(7), n), n - 700, 700), expected); });
  }
}

TEST(Shuffle, SmallOnesAreExactlyUniform) {
  std::map<std::vector<std::uint64_t>, double> count;
  for (std::uint64_t seed = 0; seed < 200000; ++seed) ++count[images(Shuffle(key(seed), 5), 0, 5)];
  std::vector<double> observed;
  for (const auto& [permutation, c] : count) observed.push_back(c);
  EXPECT_EQ(observed.size(), 120u);
  EXPECT_GT(statistics::chi_square_uniform(observed), 1e-4);
}

/// Images of two places over many keys: each is uniform, and they are independent.
TEST(Shuffle, PairsOfPlacesAreUniform) {
  const std::uint64_t n = 70001, bins = 16;
  for (const auto& [i, j] : {std::pair{0ull, 1ull}, {0ull, 265ull}, {5ull, 70000ull}, {264ull, 265ull}}) {
    std::vector<double> count(bins * bins);
    for (std::uint64_t seed = 0; seed < 50000; ++seed) {
      const Shuffle shuffle(key(seed), n);
      ++count[image(shuffle, i) * bins / n * bins + image(shuffle, j) * bins / n];
    }
    EXPECT_GT(statistics::chi_square_uniform(count), 1e-4) << i << " " << j;
  }
}

TEST(Shuffle, NeighboursAreIndependent) {
  for (const std::uint64_t n : {66000ull, 1000000ull, 1000000000ull}) {
    const auto values = images(Shuffle(key(5), n), 0, 60000);
    for (const std::size_t lag : {1, 2, 257, 258, 999, 1000, 1001}) {
      const std::uint64_t bins = 32;
      std::vector<double> count(bins * bins);
      for (std::size_t i = 0; i + lag < values.size(); ++i) ++count[values[i] * bins / n * bins + values[i + lag] * bins / n];
      EXPECT_GT(statistics::chi_square_uniform(count), 1e-4) << n << " " << lag;
    }
  }
}

TEST(CountTree, AddsUpAndDoesNotDependOnTheOrder) {
  for (const auto split : {CountTree::Split::with_replacement, CountTree::Split::without_replacement})
    for (std::uint64_t positions : {1, 2, 255, 256, 257, 1000}) {
      const std::uint64_t n = positions * 30;
      const CountTree forward(key(3), n, split, positions, 50), backward(key(3), n, split, positions, 50);
      std::vector<std::uint64_t> counts(positions);
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < positions; ++i) {
        EXPECT_EQ(forward.at(i).offset, sum);
        sum += counts[i] = forward.at(i).count;
        if (split == CountTree::Split::without_replacement) {
          EXPECT_LE(counts[i], 50u);
        }
      }
      EXPECT_EQ(sum, n);
      for (std::uint64_t i = positions; i-- > 0;) EXPECT_EQ(backward.at(i).count, counts[i]);
    }
}

/// One walk for many positions gives what a descent for each gives: dense, with gaps, in parts, one at a time.
TEST(CountTree, WalkGivesTheSameAsSingleDescents) {
  const std::optional<Subset> subsets[] = {std::nullopt, Subset(nodes(1, 5000), nodes(7, 900, 3))};
  for (const auto split : {CountTree::Split::with_replacement, CountTree::Split::without_replacement})
    for (const auto& reduced : subsets)
      for (const std::int64_t positions : {1, 2, 80, 128, 255, 256, 257, 1000, 5000})
        for (const std::uint64_t n :
             {std::uint64_t{0}, std::uint64_t{1}, static_cast<std::uint64_t>(positions) * 2, static_cast<std::uint64_t>(positions) * 40}) {
          if (reduced && positions < 5000) continue;
          const CountTree tree(key(9), n, split, static_cast<std::uint64_t>(positions), 50, reduced);
          for (const std::int64_t step : {1, 2, 3, 8, 0}) {  // 0: irregular
            std::vector<std::int64_t> wanted;
            for (std::int64_t p = 0; p < positions; p += step ? step : 1 + p * p % 7) wanted.push_back(p);
            std::vector<CountTree::Share> shares(wanted.size());
            for (const std::size_t part : {CountTree::most_at_once, std::size_t{5}, std::size_t{1}})
              for (std::size_t i = 0; i < wanted.size(); i += part) {
                const std::size_t m = std::min(part, wanted.size() - i);
                tree.at_each({wanted.data() + i, m}, shares.data() + i);
                for (std::size_t k = i; k < i + m; ++k) {
                  const CountTree::Share expected = tree.at(static_cast<std::uint64_t>(wanted[k]));
                  ASSERT_EQ(shares[k].count, expected.count);
                  if (expected.count) {
                    ASSERT_EQ(shares[k].offset, expected.offset);
                  }
                }
              }
          }
        }
}

TEST(CountTree, WalkSplitsEachNodeOnce) {
  const CountTree tree(key(9), 100000, CountTree::Split::with_replacement, 128, 50);
  std::vector<std::int64_t> wanted(128);
  std::iota(wanted.begin(), wanted.end(), 0);
  CountTree::Share shares[128];
  const std::uint64_t before = operations.splits;
  tree.at_each(wanted, shares);
  EXPECT_EQ(operations.splits - before, 127u);
}

TEST(CountTree, FillsEverythingWhenFull) {
  const CountTree tree(key(4), 3 * 600 - 2, CountTree::Split::without_replacement, 600, 3, Subset(nodes(1, 600), nodes(1, 2, 599)));
  for (std::uint64_t i = 0; i < 600; ++i) EXPECT_EQ(tree.at(i).count, i == 0 || i == 599 ? 2u : 3u);
}

TEST(CountTree, ReducedPositionsGetLess) {
  const CountTree tree(key(4), 300000, CountTree::Split::with_replacement, 2000, 3, Subset(nodes(1, 2000), nodes(1, 1000, 2)));
  double even = 0;
  for (std::uint64_t i = 0; i < 2000; i += 2) even += static_cast<double>(tree.at(i).count);
  EXPECT_GT(statistics::normal_p((even - 120000) / std::sqrt(300000 * 0.4 * 0.6)), 1e-4);
}

std::map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> listed(const DistinctTargets& d, std::uint64_t n,
                                                                                     std::uint64_t step) {
  std::map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> all;
  for (std::uint64_t start = 0; start < step; ++start)
    for (std::uint64_t t = start; t < n; t += step)
      for (const auto& e : d.of(t)) all[t].emplace_back(e.source, e.rank);
  return all;
}

TEST(DistinctTargets, PartsGiveTheSameAsTheWhole) {
  const std::uint64_t n = 3000;  // three blocks
  const NodeSet pre({{1, 60, 1}}), post({{31, n, 1}});
  for (const std::uint64_t k : {3, 500}) {
    const DistinctTargets whole(key(1), pre, post, k, {.autapses = false});
    const DistinctTargets parts(key(1), pre, post, k, {.autapses = false, .whole_index = 1, .part_index = 1});
    const auto expected = listed(whole, n, 1);
    EXPECT_EQ(listed(parts, n, 1), expected);
    EXPECT_EQ(listed(parts, n, 1000), expected);
    std::map<std::uint32_t, std::set<std::uint32_t>> ranks;
    for (const auto& [target, edges] : expected)
      for (const auto& [source, rank] : edges) {
        EXPECT_TRUE(ranks[source].insert(rank).second);
        EXPECT_NE(pre[source], post[static_cast<std::int64_t>(target)]);
      }
    EXPECT_EQ(ranks.size(), 60u);
    for (const auto& [source, seen] : ranks) {
      EXPECT_EQ(seen.size(), k);
      EXPECT_EQ(*seen.rbegin(), k - 1);
    }
  }
}

TEST(DistinctTargets, BlocksAreUniform) {
  const NodeSet pre({{1, 300, 1}}), post({{1001, 8000, 1}});
  const DistinctTargets d(key(2), pre, post, 1000, {.autapses = true});
  std::vector<double> per_target(80);
  for (std::uint64_t t = 0; t < 8000; ++t) per_target[t / 100] += static_cast<double>(d.of(t).size());
  EXPECT_GT(statistics::chi_square_uniform(per_target), 1e-4);
}

TEST(SeenSet, IsASetWithBitsAndWithHashes) {
  SeenSet seen;
  for (std::uint32_t round = 0; round < 40; ++round) {
    const std::uint64_t n = 1000u >> (round % 5);
    const std::uint32_t range = round % 2 ? 700 : 4'000'000'000u, step = round % 2 ? 1 : 5'000'000;
    seen.start(n, range);
    std::set<std::uint32_t> expected;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t x = rng::draw({1, round}, 0, i)[0] % 700 * step;
      EXPECT_EQ(seen.insert(x), expected.insert(x).second);
    }
  }
}

TEST(SeenSet, KeepsLargeNumbersApartAndForgetsWhenRoundsRunOut) {
  SeenSet seen;
  const std::uint64_t top = (std::uint64_t{1} << SeenSet::number_bits) - 1;
  for (std::uint64_t round = 0; round < (std::uint64_t{1} << 20) + 3; ++round) {
    seen.start(2, top);
    ASSERT_TRUE(seen.insert(top - 1 - round % 2));
    ASSERT_TRUE(seen.insert((top - 1 - round % 2) & 0xffffffffu));
    ASSERT_FALSE(seen.insert(top - 1 - round % 2));
  }
}

}  // namespace
}  // namespace npl::connect::test_draws
