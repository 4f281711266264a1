// SPDX-License-Identifier: Apache-2.0
// Sets of nodes against what listing them says: strides and lists, empty ones, gids outside.
#include <gtest/gtest.h>

#include <random>

#include "base/members.hpp"

namespace npl::test_members {
namespace {

std::vector<Gid> listed(const Members& m) {
  std::vector<Gid> gids;
  for (std::int64_t k = 0; k < m.size(); ++k) gids.push_back(m[k]);
  return gids;
}

/// below() and find() of all gids around against a linear search.
void expect_consistent(const Members& m) {
  const auto gids = listed(m);
  EXPECT_TRUE(std::is_sorted(gids.begin(), gids.end()));
  const Gid low = gids.empty() ? 1 : gids.front() - 5, high = gids.empty() ? 20 : gids.back() + 5;
  for (Gid gid = low; gid <= high; ++gid) {
    std::int64_t below = 0, at = -1;
    for (std::size_t k = 0; k < gids.size(); ++k) {
      below += gids[k] < gid;
      if (gids[k] == gid) at = static_cast<std::int64_t>(k);
    }
    ASSERT_EQ(m.below(gid), below) << gid;
    ASSERT_EQ(m.find(gid), at) << gid;
  }
  if (!gids.empty()) {
    EXPECT_EQ(m.last(), gids.back());
  }
}

TEST(Members, StridesAreLikeLists) {
  for (Gid first : {1, 2, 17})
    for (Gid stride : {1, 2, 3, 7, 64})
      for (std::int64_t n : {1, 2, 3, 10}) {
        const Members m(first, stride, n);
        expect_consistent(m);
        const Members list(listed(m));
        expect_consistent(list);
        EXPECT_EQ(listed(list), listed(m));
      }
}

TEST(Members, Lists) {
  expect_consistent(Members(std::vector<Gid>{3, 4, 9, 100}));
  expect_consistent(Members(std::vector<Gid>{8}));
}

TEST(Members, EmptyOnes) {
  for (const Members& m : {Members(), Members(std::vector<Gid>{}), Members(5, 3, 0)}) {
    EXPECT_EQ(m.size(), 0);
    for (Gid gid : {0, 1, 5, 6, 1000}) {
      EXPECT_EQ(m.find(gid), -1);
      EXPECT_EQ(m.below(gid), 0);
    }
  }
}

TEST(Members, LargeGids) {
  const Gid first = (Gid{1} << 39) + 3;
  const Members m(first, 8, std::int64_t{1} << 35);
  EXPECT_EQ(m.find(first + 8 * 12345678901), 12345678901);
  EXPECT_EQ(m.find(first + 8 * 12345678901 + 1), -1);
  EXPECT_EQ(m.below(m.last() + 1), m.size());
  EXPECT_EQ(m.find(m.last() + 8), -1);
}

// --- Residents

/// Populations one after the other; of each some nodes, none or all live here, as a stride or a list.
struct Random {
  Residents residents;
  std::vector<Gid> here;
  Gid next = 1;

  explicit Random(unsigned seed, int populations) {
    std::mt19937 random(seed);
    for (int p = 0; p < populations; ++p) {
      const auto n = static_cast<std::int64_t>(1 + random() % 12);
      const Members m = draw(random, n);
      for (Gid gid : listed(m)) here.push_back(gid);
      residents.add(next, m);
      next += n;
    }
  }
  Members draw(std::mt19937& random, std::int64_t n) const {
    const auto kind = random() % 4;
    if (kind == 0) return {};
    if (kind == 1) return {next, 1, n};
    if (kind == 2) return {next + n % 2 * (n > 1), 3, 1 + (n - 1 - n % 2 * (n > 1)) / 3};
    std::vector<Gid> gids;
    for (Gid gid = next; gid < next + n; ++gid)
      if (random() % 2) gids.push_back(gid);
    return Members(gids);
  }
};

TEST(Residents, AgreeWithAList) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Random r(seed, static_cast<int>(1 + seed % 9));
    ASSERT_EQ(r.residents.size(), r.here.size());
    for (Gid gid = 0; gid < r.next + 5; ++gid) {
      const auto at = std::lower_bound(r.here.begin(), r.here.end(), gid);
      const bool found = at != r.here.end() && *at == gid;
      ASSERT_EQ(r.residents.local(gid), found ? static_cast<Local>(at - r.here.begin()) : Residents::none)
          << "seed " << seed << ", gid " << gid;
    }
    for (Local l = 0; l < r.residents.size(); ++l) ASSERT_EQ(r.residents.gid(l), r.here[l]);
  }
}

TEST(Residents, BlocksOfGids) {
  Residents r;
  EXPECT_EQ(r.local(1), Residents::none);
  r.add(1, {});
  r.add(4, Members(5, 2, 2));
  r.add(10, {});
  r.add(11, Members(std::vector<Gid>{11, 13}));
  r.add(20, {});
  for (const auto& [gid, block] : {std::pair<Gid, std::size_t>{1, 0}, {3, 0}, {4, 1}, {9, 1}, {10, 2}, {11, 3}, {19, 3}, {20, 4}, {99, 4}})
    EXPECT_EQ(r.block_of(gid), block) << gid;
  EXPECT_EQ(r.size(), 4u);
  EXPECT_EQ(r.gid(0), 5);
  EXPECT_EQ(r.gid(2), 11);
  EXPECT_EQ(r.blocks()[4].first_local, 4u);
}

TEST(Residents, DroppingTheLastRestoresTheRest) {
  Random r(3, 6);
  const Local n = r.residents.size();
  r.residents.add(r.next, Members(r.next, 1, 7));
  EXPECT_EQ(r.residents.local(r.next + 6), n + 6);
  r.residents.drop_last();
  EXPECT_EQ(r.residents.size(), n);
  EXPECT_EQ(r.residents.local(r.next), Residents::none);
  r.residents.add(r.next, {});
  r.residents.drop_last();
  EXPECT_EQ(r.residents.size(), n);
}

TEST(Residents, LocalIndicesInAnotherOrder) {
  Residents r;
  r.add(1, Members(1, 1, 3));
  r.add(4, Members(4, 1, 2));
  r.add(6, {});
  r.add(7, Members(7, 2, 2));
  r.add(10, Members(10, 1, 1));
  r.reorder(std::vector<std::size_t>{3, 4, 2, 1});
  r.add(11, Members(11, 1, 2));
  std::vector<Gid> here;
  for (Local l = 0; l < r.size(); ++l) here.push_back(r.gid(l));
  EXPECT_EQ(here, (std::vector<Gid>{1, 2, 3, 7, 9, 10, 4, 5, 11, 12}));
  for (Local l = 0; l < r.size(); ++l) EXPECT_EQ(r.local(here[l]), l);
  EXPECT_EQ(r.local(8), Residents::none);
  EXPECT_EQ(r.local(6), Residents::none);
  r.drop_last();
  EXPECT_EQ(r.size(), 8u);
}

TEST(Members, EvenlySpacedGidsNeedNoList) {
  EXPECT_EQ(listed(Members::spaced({})), std::vector<Gid>{});
  for (const std::vector<Gid>& gids : {std::vector<Gid>{4}, {4, 9}, {4, 9, 14}, {4, 9, 15}, {1, 2, 3, 4}, {1, 2, 3, 5}}) {
    const Members m = Members::spaced(gids);
    EXPECT_EQ(listed(m), gids);
    expect_consistent(m);
  }
}

}  // namespace
}  // namespace npl::test_members
