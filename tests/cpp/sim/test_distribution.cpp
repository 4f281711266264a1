// SPDX-License-Identifier: Apache-2.0
// Every distribution assigns every node to exactly one slice of one rank, evenly; rank_of and members are consistent.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "sim/distribution.hpp"

namespace npl::sim::test_distribution {
namespace {

struct Cut {
  int ranks;
  SliceId slices;
};
constexpr Cut cuts[] = {{1, 1}, {1, 3}, {2, 1}, {3, 2}, {4, 4}, {7, 1}, {8, 5}};
constexpr std::int64_t sizes[] = {1, 2, 3, 5, 8, 17, 64, 100, 1001};
constexpr Gid firsts[] = {1, 2, 6, 1000, (Gid{1} << 33) + 5};

std::vector<std::int32_t> some_map(int ranks) {
  std::vector<std::int32_t> map;
  for (int i = 0; i < 700; ++i) map.push_back(i * i % 11 % ranks);
  return map;
}

std::unique_ptr<Distribution> made(const std::string& name, int ranks) {
  const DistributionInfo& info = find_distribution(name);
  return info.make(42, info.wants_map ? some_map(ranks) : std::vector<std::int32_t>{}, {{{"V1", 5.0}, {"V2", 1.0}, {"MT", 2.0}}, ranks});
}

std::vector<Members> parts(const Distribution& d, Gid first, std::int64_t n, Cut cut) {
  std::vector<Members> all;
  for (int rank = 0; rank < cut.ranks; ++rank)
    for (SliceId slice = 0; slice < cut.slices; ++slice) all.push_back(d.members(first, n, {rank, cut.ranks, slice, cut.slices}));
  return all;
}

void expect_ascending(const Members& m) {
  for (std::int64_t k = 1; k < m.size(); ++k) ASSERT_LT(m[k - 1], m[k]);
}

std::pair<std::int64_t, std::int64_t> least_and_most(const std::vector<std::int64_t>& sizes) {
  const auto [a, b] = std::minmax_element(sizes.begin(), sizes.end());
  return {*a, *b};
}

/// Nodes per rank and, apart, per slice.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> loads(const std::vector<Members>& all, Cut cut) {
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(cut.ranks)), slices;
  for (std::size_t i = 0; i < all.size(); ++i) ranks[i / cut.slices] += all[i].size(), slices.push_back(all[i].size());
  return {ranks, slices};
}

class EveryDistribution : public testing::TestWithParam<const char*> {};
/// Those that do not list the nodes of a slice.
class DescribedDistribution : public EveryDistribution {};

TEST_P(EveryDistribution, PutsEveryNodeOnOneSliceAndKnowsItsRank) {
  for (const Cut cut : cuts) {
    const auto d = made(GetParam(), cut.ranks);
    for (const std::int64_t n : sizes)
      for (const Gid first : firsts) {
        const auto all = parts(*d, first, n, cut);
        std::vector<char> seen(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < all.size(); ++i) {
          expect_ascending(all[i]);
          for (std::int64_t k = 0; k < all[i].size(); ++k) {
            const Gid gid = all[i][k];
            ASSERT_TRUE(gid >= first && gid < first + n) << gid;
            ASSERT_FALSE(seen[static_cast<std::size_t>(gid - first)]++) << gid;
            ASSERT_EQ(d->rank_of(gid, first, n, cut.ranks), static_cast<int>(i / cut.slices)) << gid;
          }
        }
        ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), n) << cut.ranks << " x " << cut.slices << ", first " << first;
      }
  }
}

/// Sizes of the parts come from their description, so this lists nothing.
TEST_P(DescribedDistribution, CountsHugePopulations) {
  const std::string name = GetParam();
  const Gid first = Gid{1} << 39;
  const std::int64_t n = (std::int64_t{1} << 38) + 12345;
  for (const Cut cut : cuts) {
    const auto d = made(name, cut.ranks);
    std::int64_t total = 0;
    const auto all = parts(*d, first, n, cut);
    for (std::size_t i = 0; i < all.size(); ++i) {
      total += all[i].size();
      ASSERT_GT(all[i].size(), 0);
      for (const Gid gid : {all[i][0], all[i][all[i].size() / 2], all[i].last()}) {
        EXPECT_EQ(d->rank_of(gid, first, n, cut.ranks), static_cast<int>(i / cut.slices));
        for (std::size_t j = 0; j < all.size(); ++j) EXPECT_EQ(all[j].find(gid) >= 0, i == j);
      }
    }
    EXPECT_EQ(total, n);
    const auto [least, most] = least_and_most(loads(all, cut).first);
    EXPECT_LE(most - least, name == "round_robin" ? 1 : cut.ranks);
  }
}

TEST_P(EveryDistribution, IsTheSameWhateverTheSlices) {
  for (const Cut cut : cuts) {
    const auto d = made(GetParam(), cut.ranks);
    for (int rank = 0; rank < cut.ranks; ++rank) {
      const Members whole = d->members(6, 1001, {rank, cut.ranks, 0, 1});
      std::int64_t split = 0;
      for (SliceId s = 0; s < cut.slices; ++s) {
        const Members part = d->members(6, 1001, {rank, cut.ranks, s, cut.slices});
        for (std::int64_t k = 0; k < part.size(); ++k) EXPECT_GE(whole.find(part[k]), 0);
        split += part.size();
      }
      EXPECT_EQ(split, whole.size());
    }
  }
}

/// Many small populations, one by one: whatever their ranks are, the slices of a rank differ by one node at most.
TEST_P(EveryDistribution, SeveralPopulationsBalanceTheSlicesOfARankTogether) {
  for (const Cut cut : cuts) {
    const auto d = made(GetParam(), cut.ranks);
    std::vector<std::int64_t> before(static_cast<std::size_t>(cut.ranks)), slices(before.size() * cut.slices);
    Gid first = 1;
    for (const std::int64_t n : {1, 1, 1, 1, 1, 3, 1, 5, 2, 7, 1, 1, 17, 1, 1}) {
      d->place(first, static_cast<int>(first % 4) - 1);
      for (int rank = 0; rank < cut.ranks; ++rank) {
        std::int64_t& had = before[static_cast<std::size_t>(rank)];
        const std::int64_t all = had;
        std::vector<std::int64_t> here;
        for (SliceId s = 0; s < cut.slices; ++s) {
          const std::int64_t more = d->members(first, n, {rank, cut.ranks, s, cut.slices, all}).size();
          here.push_back(slices[static_cast<std::size_t>(rank) * cut.slices + s] += more);
          had += more;
        }
        const auto [least, most] = least_and_most(here);
        ASSERT_LE(most - least, 1) << "rank " << rank << " of " << cut.ranks << ", first " << first;
      }
      first += n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DescribedDistribution, testing::Values("round_robin", "consecutive", "by_area"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, EveryDistribution, testing::Values("round_robin", "consecutive", "shuffled", "by_map", "by_area"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Distribution, AllAreTested) {
  for (const auto* info : distributions())
    EXPECT_TRUE(std::set<std::string>({"round_robin", "consecutive", "shuffled", "by_map", "by_area"}).contains(info->name)) << info->name;
}

TEST(Distribution, InTurnAndAtRandomBalanceEveryPopulationWithinOne) {
  for (const char* name : {"round_robin", "shuffled"})
    for (const Cut cut : cuts)
      for (const std::int64_t n : sizes)
        for (const Gid first : firsts) {
          const auto [ranks, slices] = loads(parts(*made(name, cut.ranks), first, n, cut), cut);
          for (const auto& load : {ranks, slices}) {
            const auto [least, most] = least_and_most(load);
            EXPECT_LE(most - least, 1) << name << " " << n;
          }
        }
}

TEST(Distribution, SeveralPopulationsInTurnBalanceTogether) {
  const Cut cut{4, 2};
  std::vector<std::int64_t> total(4);
  Gid first = 1;
  for (std::int64_t n : {1, 3, 1, 5, 2, 7, 1, 1, 1}) {
    const auto ranks = loads(parts(*made("round_robin", 4), first, n, cut), cut).first;
    for (std::size_t r = 0; r < 4; ++r) total[r] += ranks[r];
    first += n;
  }
  const auto [least, most] = least_and_most(total);
  EXPECT_LE(most - least, 1);
}

TEST(Distribution, ConsecutiveGivesNeighboursAndAtMostTheCeiling) {
  for (const Cut cut : cuts)
    for (const std::int64_t n : sizes) {
      const auto d = made("consecutive", cut.ranks);
      const std::int64_t share = (n + cut.ranks - 1) / cut.ranks;
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(d->rank_of(6 + i, 6, n, cut.ranks), static_cast<int>(i / share));
      const auto [ranks, slices] = loads(parts(*d, 6, n, cut), cut);
      EXPECT_EQ(*std::max_element(ranks.begin(), ranks.end()), share);
    }
}

TEST(Distribution, ShuffledDependsOnSeedAndPopulationAndMixes) {
  const auto order = [](std::uint64_t seed, Gid first) {
    std::vector<int> ranks;
    for (Gid gid = first; gid < first + 1000; ++gid)
      ranks.push_back(find_distribution("shuffled").make(seed, {}, {})->rank_of(gid, first, 1000, 4));
    return ranks;
  };
  const auto ranks = order(1, 1);
  EXPECT_EQ(ranks, order(1, 1));
  EXPECT_NE(ranks, order(2, 1));
  EXPECT_NE(ranks, order(1, 1001));
  int neighbours = 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) neighbours += ranks[i] == ranks[i - 1];
  EXPECT_NEAR(neighbours, 250, 70);  // 5 standard deviations
}

TEST(Distribution, AMapIsFollowedAndGoesOnInTurn) {
  const auto d = find_distribution("by_map").make(1, {1, 1, 0, 2}, {});
  for (const auto& [gid, rank] : std::map<Gid, int>{{1, 1}, {2, 1}, {3, 0}, {4, 2}, {5, 1}, {6, 2}, {7, 0}})
    EXPECT_EQ(d->rank_of(gid, 1, 7, 3), rank);
}

// --- areas

std::unique_ptr<Distribution> dealt(const std::vector<double>& shares, int ranks) {
  Areas areas{{}, ranks};
  for (std::size_t a = 0; a < shares.size(); ++a) areas.shares.emplace_back("area " + std::to_string(a), shares[a]);
  auto d = find_distribution("by_area").make(1, {}, areas);
  for (std::size_t a = 0; a < shares.size(); ++a) d->place(1 + 1000 * static_cast<Gid>(a), static_cast<int>(a));
  return d;
}

/// Ranks of an area, derived from the ranks of its nodes.
RankRange ranks_of(const Distribution& d, std::size_t area, int ranks) {
  const Gid first = 1 + 1000 * static_cast<Gid>(area);
  RankRange found{ranks, 0};
  std::int64_t total = 0;
  for (int r = 0; r < ranks; ++r)
    if (const auto n = d.members(first, 1000, {r, ranks, 0, 1}).size()) {
      found = {std::min(found.first, r), std::max(found.last, r + 1)};
      total += n;
    }
  EXPECT_EQ(total, 1000);
  for (Gid gid = first; gid < first + 1000; ++gid)
    EXPECT_TRUE(d.members(first, 1000, {d.rank_of(gid, first, 1000, ranks), ranks, 0, 1}).find(gid) >= 0);
  return found;
}

/// Smallest possible largest share per rank: tries all numbers of ranks.
double best(const std::vector<double>& shares, std::size_t area, int ranks) {
  const int others = static_cast<int>(shares.size() - area) - 1;
  if (others == 0) return shares[area] / ranks;
  double least = 1e300;
  for (int mine = 1; mine <= ranks - others; ++mine)
    least = std::min(least, std::max(shares[area] / mine, best(shares, area + 1, ranks - mine)));
  return least;
}

TEST(ByArea, RanksAreDealtSoThatTheLargestLoadIsLeast) {
  const std::vector<std::vector<double>> cases{{1}, {1, 1}, {9, 1}, {5, 3, 2}, {0.1, 0.1, 7, 2}, {1, 2, 3, 4}};
  for (const auto& shares : cases)
    for (int ranks = static_cast<int>(shares.size()); ranks < 12; ++ranks) {
      const auto d = dealt(shares, ranks);
      double most = 0;
      int used = 0;
      for (std::size_t a = 0; a < shares.size(); ++a) {
        const RankRange home = ranks_of(*d, a, ranks);
        EXPECT_EQ(home.first, used);
        used = home.last;
        most = std::max(most, shares[a] / home.size());
        for (int r = home.first; r < home.last; ++r) {
          EXPECT_EQ(d->group(r, ranks).first, home.first);
          EXPECT_EQ(d->group(r, ranks).last, home.last);
        }
      }
      EXPECT_EQ(used, ranks);
      EXPECT_DOUBLE_EQ(most, best(shares, 0, ranks));
    }
}

TEST(ByArea, RanksHaveSeveralAreasWhereThereAreMore) {
  const std::vector<double> shares{4, 1, 3, 2, 2};
  for (int ranks : {1, 2, 3, 4}) {
    const auto d = dealt(shares, ranks);
    std::vector<double> loads(static_cast<std::size_t>(ranks));
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const RankRange home = ranks_of(*d, a, ranks);
      ASSERT_EQ(home.size(), 1);
      loads[static_cast<std::size_t>(home.first)] += shares[a];
    }
    EXPECT_EQ(*std::max_element(loads.begin(), loads.end()), ranks == 1 ? 12 : ranks == 2 ? 6 : 4) << ranks;
    for (int r = 0; r < ranks; ++r) {
      EXPECT_EQ(d->group(r, ranks).first, r);
      EXPECT_EQ(d->group(r, ranks).size(), 1);
    }
  }
}

TEST(Distribution, UnknownNamesAreRefused) { EXPECT_THROW(find_distribution("round robin"), UnknownName); }

}  // namespace
}  // namespace npl::sim::test_distribution
