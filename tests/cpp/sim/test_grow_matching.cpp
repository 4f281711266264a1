// SPDX-License-Identifier: Apache-2.0
/// Matching over ranks: who takes part, that every pair is as likely as any other, and the same pairs on any ranks.
#include "sim/grow_matching.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

namespace npl::sim::test_grow_matching {
namespace {

using growth::Vacant;
using Elements = std::vector<Vacant>;

Vacancies vacancies(Elements sources, Elements targets, Step update) {
  return {std::move(sources), std::move(targets), growth::key_of(1, update, growth::Draw::sources, 0),
          growth::key_of(1, update, growth::Draw::targets, 0)};
}

std::vector<Pair> alone(const Elements& sources, const Elements& targets, Step update) {
  const auto comm = comm::single();
  exchange::Post post(*comm);
  return matched(*comm, post, vacancies(sources, targets, update), {[](Gid) { return 0; }, {}});
}

TEST(Matching, joins_as_many_as_the_fewer_and_no_element_twice) {
  for (Step update = 0; update < 50; ++update) {
    std::map<Gid, int> from, to;
    const auto pairs = alone({{1, 3}, {2, 1}, {9, 2}}, {{3, 4}, {4, 5}}, update);
    ASSERT_EQ(pairs.size(), 6U);
    for (const Pair& p : pairs) ++from[p.source], ++to[p.target];
    EXPECT_EQ(from, (std::map<Gid, int>{{1, 3}, {2, 1}, {9, 2}}));
    EXPECT_LE(to[3], 4);
    EXPECT_LE(to[4], 5);
  }
  EXPECT_TRUE(alone({}, {{1, 5}}, 0).empty());
  EXPECT_TRUE(alone({{1, 5}}, {}, 0).empty());
}

TEST(Matching, all_pairs_are_equally_likely) {
  constexpr int trials = 30000;
  std::map<std::pair<Gid, Gid>, int> seen;
  for (Step update = 0; update < trials; ++update)
    for (const Pair& p : alone({{1, 1}, {2, 1}, {3, 1}}, {{4, 1}, {5, 1}, {6, 1}, {7, 1}}, update)) ++seen[{p.source, p.target}];
  ASSERT_EQ(seen.size(), 12U);
  for (const auto& [pair, n] : seen) EXPECT_NEAR(n, trials / 4.0, 5 * std::sqrt(trials * 0.25 * 0.75));
}

TEST(Matching, elements_of_a_neuron_are_drawn_one_by_one) {
  constexpr int trials = 20000;
  int both = 0;  // of two targets with one element each: a source of three elements, beside one of one, gets both in half of the cases
  for (Step update = 0; update < trials; ++update) {
    const auto pairs = alone({{1, 3}, {2, 1}}, {{4, 1}, {5, 1}}, update);
    both += pairs[0].source == 1 && pairs[1].source == 1;
  }
  EXPECT_NEAR(both, trials / 2.0, 5 * std::sqrt(trials / 4.0));
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, find_the_same_pairs) {
  const int ranks = GetParam();
  for (const auto& [n_sources, n_targets] : {std::pair(300, 200), {1, 90}, {90, 1}, {0, 10}, {2, 2}}) {
    Elements sources, targets;
    for (Gid gid = 1; gid <= n_sources; ++gid) sources.push_back({gid, 1 + gid % 4});
    for (Gid gid = 1; gid <= n_targets; ++gid) targets.push_back({gid * 2, 1 + gid % 6});
    const std::vector<Pair> expected = alone(sources, targets, 7);
    const auto rank_of = [&](Gid gid) { return static_cast<int>(gid * gid % ranks); };
    std::vector<std::vector<Pair>> found(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (auto& comm : comm::threads(ranks))
      threads.emplace_back([&, comm] {
        const auto own = [&](Elements all) {
          std::erase_if(all, [&](const Vacant& v) { return rank_of(v.gid) != comm->rank(); });
          return all;
        };
        exchange::Post post(*comm);
        found[static_cast<std::size_t>(comm->rank())] = matched(*comm, post, vacancies(own(sources), own(targets), 7), {rank_of, {}});
      });
    for (auto& t : threads) t.join();
    std::vector<Pair> all(expected.size());
    std::size_t n = 0;
    for (int r = 0; r < ranks; ++r)
      for (const Pair& p : found[static_cast<std::size_t>(r)]) {
        EXPECT_EQ(rank_of(p.target), r);
        all.at(static_cast<std::size_t>(p.number)) = p, ++n;
      }
    EXPECT_EQ(n, expected.size());
    for (std::size_t k = 0; k < n; ++k) EXPECT_TRUE(all[k].source == expected[k].source && all[k].target == expected[k].target);
  }
}

INSTANTIATE_TEST_SUITE_P(Matching, Ranks, testing::Values(1, 2, 3, 5, 16));

}  // namespace
}  // namespace npl::sim::test_grow_matching
