// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "connect/node_set.hpp"
#include "connect/subset.hpp"
#include "rng/philox.hpp"

namespace npl::connect::test_node_set {
namespace {

std::vector<Gid> listed(const std::vector<Range>& ranges) {
  std::vector<Gid> all;
  for (const Range& r : ranges)
    for (std::int64_t k = 0; k < r.count; ++k) all.push_back(r.first + k * r.stride);
  return all;
}

/// Random ranges without a common node, some of them interleaved and out of order.
std::vector<Range> random_ranges(std::uint64_t number) {
  std::vector<Range> ranges;
  std::vector<Gid> taken;
  for (std::uint64_t k = 0; ranges.size() < 1 + number % 12; ++k) {
    const rng::Words w = rng::draw({1, 2}, number, k);
    const Range r{1 + w[0] % 300, 1 + w[1] % 20, 1 + w[2] % 5};
    const auto members = listed({r});
    if (std::any_of(members.begin(), members.end(), [&](Gid g) { return std::find(taken.begin(), taken.end(), g) != taken.end(); }))
      continue;
    taken.insert(taken.end(), members.begin(), members.end());
    ranges.push_back(r);
  }
  return ranges;
}

TEST(NodeSet, AgreesWithTheList) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    const auto ranges = random_ranges(number);
    const auto all = listed(ranges);
    const NodeSet set(ranges);
    ASSERT_EQ(set.size(), static_cast<std::int64_t>(all.size()));
    EXPECT_EQ(set.lowest(), *std::min_element(all.begin(), all.end()));
    EXPECT_EQ(set.highest(), *std::max_element(all.begin(), all.end()));
    std::vector<std::uint64_t> positions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(set[static_cast<std::int64_t>(i)], all[i]);
      positions.push_back(all.size() - 1 - i);
    }
    std::vector<Gid> gids(all.size());
    set.gids(positions, gids.data());
    EXPECT_TRUE(std::equal(gids.rbegin(), gids.rend(), all.begin()));
    for (Gid g = -3; g < 420; ++g) {
      const auto at = std::find(all.begin(), all.end(), g);
      EXPECT_EQ(set.position(g), at == all.end() ? -1 : at - all.begin()) << g;
    }
  }
}

TEST(NodeSet, ComparesPositions) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    auto a = random_ranges(number), b = random_ranges(number + 1000);
    if (number % 2) b.front() = a.front(), b.erase(b.begin() + 1, b.end());
    const auto members = listed(a), others = listed(b);
    const std::size_t n = std::min(members.size(), others.size());
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += members[i] == others[i];
    EXPECT_EQ(same_at_same_position(NodeSet(a), NodeSet(b)), expected);
  }
  EXPECT_EQ(same_at_same_position(NodeSet({{1, 1ll << 44, 3}}), NodeSet({{8, 1ll << 44, 1}})), 0);
  EXPECT_EQ(same_at_same_position(NodeSet({{1, 1ll << 44, 3}}), NodeSet({{7, 1ll << 44, 2}})), 1);
}

TEST(Subset, AgreesWithTheLists) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    const auto a = random_ranges(number), b = random_ranges(number + 1000);
    const auto members = listed(a), others = listed(b);
    const NodeSet set(a), other(b);
    const Subset subset(set, other);
    std::int64_t inside = 0, outside = 0;
    for (std::int64_t i = 0; i < set.size(); ++i) {
      ASSERT_EQ(subset.before(i), inside);
      const bool both = std::find(others.begin(), others.end(), members[static_cast<std::size_t>(i)]) != others.end();
      ASSERT_EQ(both ? subset.member(inside++) : subset.outsider(outside++), i);
    }
    EXPECT_EQ(subset.before(set.size()), inside);
    EXPECT_EQ(subset.size(), inside);
  }
}

TEST(NodeSet, CommonMembersOfWideStrides) {
  constexpr std::int64_t p = 1'000'003, q = 999'983;  // primes
  const Range a{5, 1ll << 40, p}, b{7, 1ll << 40, q};
  const Range c = common_nodes(a, b);
  EXPECT_EQ((c.first - 5) % p, 0);
  EXPECT_EQ((c.first - 7) % q, 0);
  EXPECT_LT(c.first, 7 + p * q);
  EXPECT_EQ(c.stride, p * q);
  EXPECT_EQ(c.count, (last_gid(b) - c.first) / (p * q) + 1);
  const std::int64_t far = std::int64_t{1} << 61;  // a period past 64 bits: one node at most
  EXPECT_EQ(common_nodes({1, 3, far - 1}, {1, 3, far - 3}).count, 1);
  EXPECT_EQ(common_nodes({1, 2, far}, {2, 2, far}).count, 0);
  EXPECT_EQ(NodeSet({{1, 1ll << 44, 1}}).common(NodeSet({{1, 1ll << 43, 2}})), 1ll << 43);
}

TEST(NodeSet, CountsCommonMembers) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    const auto a = random_ranges(number), b = random_ranges(number + 1000);
    const auto members = listed(a), others = listed(b);
    const auto expected =
        std::count_if(members.begin(), members.end(), [&](Gid g) { return std::find(others.begin(), others.end(), g) != others.end(); });
    EXPECT_EQ(NodeSet(a).common(NodeSet(b)), expected);
  }
  const NodeSet huge({{1, 1'000'000'000, 6}});
  EXPECT_EQ(huge.common(NodeSet({{3, 1'000'000'000, 15}})), 0);            // remainders 1 and 0 mod 3
  EXPECT_EQ(huge.common(NodeSet({{1, 1'000'000'000, 15}})), 200'000'000);  // every 30th
}

/// Three populations with gids up to 4000, distributed round robin or by an irregular list; the first has no member in some slices.
std::vector<Residents> dealt(Gid slices, bool listed) {
  std::vector<Residents> all(static_cast<std::size_t>(slices));
  for (auto [first, n] : {std::pair<Gid, Gid>{1, 2}, {3, 500}, {503, 3498}})
    for (Gid s = 0; s < slices; ++s) {
      const auto owner = [&](Gid gid) { return listed ? gid * gid % 7 % slices : (gid - 1) % slices; };
      std::vector<Gid> mine;
      for (Gid gid = first; gid < first + n; ++gid)
        if (owner(gid) == s) mine.push_back(gid);
      Members members(mine);
      if (!listed) members = mine.empty() ? Members() : Members(mine[0], slices, static_cast<std::int64_t>(mine.size()));
      all[static_cast<std::size_t>(s)].add(first, std::move(members));
    }
  return all;
}

TEST(NodeSet, IsDealtToSlices) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const auto ranges = random_ranges(number);
    const auto all = listed(ranges);
    const NodeSet set(ranges);
    ASSERT_LE(set.highest(), 4000);
    for (Gid slices : {1, 2, 3, 7}) {
      std::vector<bool> seen(all.size());
      for (const Residents& slice : dealt(slices, number % 2)) {
        std::int64_t last = -1, n = 0;
        set.for_each_in(slice, [&](std::int64_t position, Gid gid, Local local) {
          EXPECT_EQ(all[static_cast<std::size_t>(position)], gid);
          EXPECT_EQ(slice.gid(local), gid);
          EXPECT_EQ(slice.local(gid), local);
          EXPECT_GT(position, last);
          seen[static_cast<std::size_t>(last = position)] = true;
          ++n;
        });
        EXPECT_EQ(set.count_in(slice), n);
      }
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool b) { return b; }));
    }
  }
}

TEST(NodeSet, Empty) {
  for (const NodeSet& set : {NodeSet(), NodeSet({{5, 0, 1}})}) {
    EXPECT_EQ(set.size(), 0);
    EXPECT_EQ(set.position(5), -1);
    EXPECT_TRUE(set.ranges().empty());
  }
}

}  // namespace
}  // namespace npl::connect::test_node_set
