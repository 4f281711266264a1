// SPDX-License-Identifier: Apache-2.0
// Ranks take contiguous gids with about equally many segments, whoever brings the cells.
#include "circuit/turns.hpp"

#include "circuits.hpp"

namespace npl::circuit::test_turns {
namespace {

std::vector<Turn> random_cells(unsigned seed, std::size_t n, Gid largest, std::int64_t most) {
  std::mt19937_64 random(seed);
  std::set<Gid> gids;
  while (gids.size() < n) gids.insert(static_cast<Gid>(random() % static_cast<std::uint64_t>(largest + 1)));
  std::vector<Turn> cells;
  for (const Gid gid : gids) cells.push_back({gid, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1))});
  return cells;
}

/// A cell belongs to the last rank of whose share of the segments enough come before it.
std::size_t expected_rank(const std::vector<Turn>& all, std::size_t cell, std::int64_t ranks) {
  std::int64_t total = 0, before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) total += all[i].segments, before += i < cell ? all[i].segments : 0;
  std::int64_t rank = 0;
  while (rank + 1 < ranks && before * ranks >= total * (rank + 1)) ++rank;
  return static_cast<std::size_t>(rank);
}

void expect_ranks(const std::vector<Turn>& all, int ranks) {
  as_ranks(ranks, [&](const auto& comm) {
    std::vector<Turn> mine;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (static_cast<int>(i * 7 % static_cast<std::size_t>(ranks)) == comm->rank()) mine.insert(mine.begin(), all[i]);
    const Turns turns(*comm, mine);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(turns.rank_of(all[i].gid), expected_rank(all, i, ranks)) << "gid " << all[i].gid << " of " << ranks << " ranks";
  });
}

TEST(Turns, AreContiguousSharesOfTheSegments) {
  for (int ranks : {1, 2, 3, 8})
    for (const auto& [n, largest, most] :
         {std::tuple{50, 60, 9}, std::tuple{40, 1 << 30, 1000}, std::tuple{3, 1000, 1}, std::tuple{200, 199, 1}})
      expect_ranks(random_cells(static_cast<unsigned>(n), static_cast<std::size_t>(n), largest, most), ranks);
}

TEST(Turns, OfNoCellsAndOfCellsWithoutBranches) {
  for (int ranks : {1, 3}) {
    expect_ranks({}, ranks);
    expect_ranks({{5, 0}}, ranks);
    expect_ranks({{0, 4}, {Gid{1} << 40, 4}, {(Gid{1} << 40) + 1, 4}}, ranks);
  }
}

}  // namespace
}  // namespace npl::circuit::test_turns
