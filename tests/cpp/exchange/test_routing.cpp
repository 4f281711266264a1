// SPDX-License-Identifier: Apache-2.0
// Routes found over ranks against those that direct bookkeeping gives.
#include <mutex>
#include <set>

#include "exchange/routing.hpp"
#include "harness.hpp"

namespace npl::exchange {
namespace {

/// Sources are dealt in turn: gid g lives on rank g % ranks with index g / ranks.
struct World {
  int ranks;
  std::vector<std::vector<Wanted>> wanted;  ///< of every rank
  std::size_t sources = 40;                 ///< per rank

  /// @param most entries per rank; every third rank of a sparse world wants nothing
  World(int n, unsigned seed, std::size_t most, bool sparse = false) : ranks(n), wanted(static_cast<std::size_t>(n)) {
    std::mt19937 random(seed);
    for (int r = 0; r < n; ++r)
      for (std::size_t k = sparse && r % 3 == 0 ? 0 : most ? random() % (most + 1) : 0; k > 0; --k) {
        const auto owner = static_cast<int>(random() % (sparse ? 2 : n));
        if (owner == r) continue;
        wanted[static_cast<std::size_t>(r)].push_back({owner, static_cast<Gid>(random() % sources) * n + owner, random() % 100000});
      }
  }

  using Route = std::pair<int, std::uint32_t>;  ///< rank, address
  std::vector<std::multiset<Route>> expected(int rank) const {
    std::vector<std::multiset<Route>> routes(sources);
    for (int to = 0; to < ranks; ++to)
      for (const Wanted& w : wanted[static_cast<std::size_t>(to)])
        if (w.owner == rank) routes[static_cast<std::size_t>(w.gid / ranks)].insert({to, static_cast<std::uint32_t>(w.address)});
    return routes;
  }
};

class Listed final : public WantedList {
 public:
  explicit Listed(const std::vector<Wanted>& all) : all_(all) {}
  void restart() override { at_ = 0; }
  void next(std::size_t most, std::vector<Wanted>& out) override {
    for (; most > 0 && at_ < all_.size(); --most) out.push_back(all_[at_++]);
  }

 private:
  const std::vector<Wanted>& all_;
  std::size_t at_ = 0;
};

void expect_routes(const World& world, const Routing& routing, int rank) {
  const auto expected = world.expected(rank);
  const Partners& partners = routing.partners();
  std::uint64_t n = 0;
  for (std::size_t s = 0; s < world.sources; ++s) {
    std::multiset<World::Route> found;
    routing.for_each(s, [&](std::uint32_t d, std::uint32_t address) { found.insert({partners.destinations.at(d), address}); });
    EXPECT_EQ(found, expected[s]) << "rank " << rank << ", source " << s;
    n += found.size();
  }
  EXPECT_EQ(routing.n_routes(), n);
}

/// r sends to d if and only if d hears from r; ascending, without oneself.
void expect_consistent(const std::vector<Partners>& all) {
  for (int r = 0; r < static_cast<int>(all.size()); ++r) {
    const Partners& p = all[static_cast<std::size_t>(r)];
    for (const auto& list : {p.sources, p.destinations}) {
      EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
      EXPECT_EQ(std::set<int>(list.begin(), list.end()).size(), list.size());
      EXPECT_EQ(std::count(list.begin(), list.end(), r), 0);
    }
    for (int d = 0; d < static_cast<int>(all.size()); ++d) {
      const auto& theirs = all[static_cast<std::size_t>(d)].sources;
      EXPECT_EQ(std::count(p.destinations.begin(), p.destinations.end(), d), std::count(theirs.begin(), theirs.end(), r))
          << r << " to " << d;
    }
  }
}

void check(const World& world, std::size_t round_entries) {
  std::vector<Partners> partners(static_cast<std::size_t>(world.ranks));
  as_ranks(world.ranks, 0, [&](comm::Communicator& c) {
    Listed list(world.wanted[static_cast<std::size_t>(c.rank())]);
    const auto index = [&](Gid gid) { return static_cast<std::size_t>(gid / world.ranks); };
    const Routing routing(c, list, world.sources, index, round_entries);
    expect_routes(world, routing, c.rank());
    std::set<int> owners;
    for (const Wanted& w : world.wanted[static_cast<std::size_t>(c.rank())]) owners.insert(w.owner);
    EXPECT_EQ(routing.partners().sources, std::vector<int>(owners.begin(), owners.end()));
    partners[static_cast<std::size_t>(c.rank())] = routing.partners();
  });
  expect_consistent(partners);
}

TEST(Routing, FindsWhatBruteForceFinds) {
  for (int ranks : {2, 3, 5, 8})
    for (unsigned seed : {1u, 2u, 3u})
      for (bool sparse : {false, true}) check(World(ranks, seed, 300, sparse), std::size_t{1} << 20);
}

TEST(Routing, InRoundsOfFewEntries) {
  for (std::size_t round : {1u, 2u, 7u, 30u})
    for (int ranks : {2, 4}) check(World(ranks, 4, 30, round == 2), round);
}

TEST(Routing, RoundsThatAreExactlyFull) {
  World world(3, 5, 0);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 4 * r; ++k) {
      const int owner = (r + 1 + k % 2) % 3;
      world.wanted[static_cast<std::size_t>(r)].push_back({owner, k * 3 + owner, static_cast<std::uint64_t>(k)});
    }
  for (std::size_t round : {1u, 4u, 8u}) check(world, round);
}

TEST(Routing, NothingIsWanted) {
  for (int ranks : {1, 2, 4}) check(World(ranks, 6, 0), 1);
  World nobody(3, 7, 0);
  nobody.sources = 0;
  check(nobody, 10);
}

TEST(Routing, OneWithoutRanksHasNoRoutes) {
  const Routing none;
  none.for_each(5, [](std::uint32_t, std::uint32_t) { FAIL(); });
  EXPECT_EQ(none.n_routes(), 0u);
}

}  // namespace
}  // namespace npl::exchange
