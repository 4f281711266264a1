// SPDX-License-Identifier: Apache-2.0
// Routes found over ranks against those that direct bookkeeping gives.
#include <map>
#include <set>

#include "exchange/routing.hpp"
#include "harness.hpp"

namespace npl::exchange::test_routing {
namespace {

/// Sources are dealt in turn: gid g lives on rank g % ranks with index g / ranks.
struct World {
  using Lists = std::vector<std::vector<std::uint64_t>>;
  int ranks;
  std::vector<std::map<int, Lists>> wanted;  ///< of every rank, by owner: lists of indices there, ascending
  std::size_t sources = 40;                  ///< per rank

  /// @param most entries per rank; every third rank of a sparse world wants nothing
  World(int n, unsigned seed, std::size_t most, bool sparse = false) : ranks(n), wanted(static_cast<std::size_t>(n)) {
    std::mt19937 random(seed);
    for (int r = 0; r < n; ++r) {
      std::map<int, std::map<std::size_t, std::set<std::uint64_t>>> drawn;
      for (std::size_t k = sparse && r % 3 == 0 ? 0 : most ? random() % (most + 1) : 0; k > 0; --k) {
        const auto owner = static_cast<int>(random() % (sparse ? 2 : n));
        if (owner != r) drawn[owner][random() % 3].insert(random() % sources);
      }
      for (const auto& [owner, lists] : drawn) {
        Lists& to = wanted[static_cast<std::size_t>(r)][owner];
        for (std::size_t part = 0; part < 3; ++part)
          lists.contains(part) ? to.emplace_back(lists.at(part).begin(), lists.at(part).end()) : to.emplace_back();
      }
    }
  }

  using Route = std::pair<int, std::uint64_t>;  ///< rank, address
  std::vector<std::multiset<Route>> expected(int rank) const {
    std::vector<std::multiset<Route>> routes(sources);
    for (int to = 0; to < ranks; ++to) {
      const auto& lists = wanted[static_cast<std::size_t>(to)];
      if (!lists.contains(rank)) continue;
      std::uint64_t address = 0;
      for (const auto& list : lists.at(rank))
        for (std::uint64_t source : list) routes[source].insert({to, address++});
    }
    return routes;
  }
};

class Listed final : public WantedList {
 public:
  explicit Listed(const std::map<int, World::Lists>& all) : at_(all.begin()), end_(all.end()) {}
  int next(World::Lists& lists) override {
    if (at_ == end_) return -1;
    lists = at_->second;
    return at_++->first;
  }

 private:
  std::map<int, World::Lists>::const_iterator at_, end_;
};

void expect_routes(const World& world, const Routing& routing, int rank) {
  const auto expected = world.expected(rank);
  const Partners& partners = routing.partners();
  std::uint64_t n = 0;
  for (std::size_t s = 0; s < world.sources; ++s) {
    std::multiset<World::Route> found;
    routing.for_each(s, [&](std::uint32_t d, std::uint64_t address) { found.insert({partners.destinations.at(d), address}); });
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

void check(const World& world, std::size_t round_bytes) {
  std::vector<Partners> partners(static_cast<std::size_t>(world.ranks));
  as_ranks(world.ranks, 0, [&](comm::Communicator& c) {
    const auto& wanted = world.wanted[static_cast<std::size_t>(c.rank())];
    Listed list(wanted);
    const auto same = [](std::span<const std::uint64_t> names, std::uint32_t* numbers) { std::copy(names.begin(), names.end(), numbers); };
    SlabPool pool;
    Team team(1 + c.rank() % 3);
    const Routing routing(c, list, world.sources, same, {team, pool, round_bytes});
    expect_routes(world, routing, c.rank());
    std::vector<int> owners;
    for (const auto& [owner, lists] : wanted) owners.push_back(owner);
    EXPECT_EQ(routing.partners().sources, owners);
    partners[static_cast<std::size_t>(c.rank())] = routing.partners();
  });
  expect_consistent(partners);
}

TEST(Routing, FindsWhatBruteForceFinds) {
  for (int ranks : {2, 3, 5, 8})
    for (unsigned seed : {1u, 2u, 3u})
      for (bool sparse : {false, true}) check(World(ranks, seed, 300, sparse), std::size_t{1} << 20);
}

TEST(Routing, InRoundsOfFewBytes) {
  for (std::size_t round : {1u, 2u, 7u, 30u})
    for (int ranks : {2, 4}) check(World(ranks, 4, 30, round == 2), round);
}

TEST(Routing, NothingIsWanted) {
  for (int ranks : {1, 2, 4}) check(World(ranks, 6, 0), 1);
  World nobody(3, 7, 0);
  nobody.sources = 0;
  check(nobody, 10);
}

TEST(Routing, OneWithoutRanksHasNoRoutes) {
  const Routing none;
  none.for_each(5, [](std::uint32_t, std::uint64_t) { FAIL(); });
  EXPECT_EQ(none.n_routes(), 0u);
}

}  // namespace
}  // namespace npl::exchange::test_routing
