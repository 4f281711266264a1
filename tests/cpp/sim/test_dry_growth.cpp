// SPDX-License-Identifier: Apache-2.0
// Growth in a dry run: what the other ranks, mirror images of this one, give and take. The numbers are those of any rank of a run.
#include <gtest/gtest.h>

#include "comm/dry_run.hpp"
#include "small.hpp"

namespace npl::sim::test_dry_growth {
namespace {

constexpr int ranks = 8, mine = 3;
constexpr std::int64_t own = 400;

/// A rank of a network whose neurons have 2 axonal elements and 3 spines each.
struct Rank {
  Network net;
  Gid cells = 0;
  std::vector<Gid> gids = {};

  Rank() : net(settings()), cells(net.create("iaf_psc_exp", own * ranks, {})) {
    for (Gid gid = cells; gid < cells + own * ranks; ++gid)
      if ((gid - 1) % ranks == mine) gids.push_back(gid);
    set(2.0, 3.0);
    GrowCall call{"axon", "spine", true, true, {}};
    call.synapses.weight = constant(10.0), call.synapses.delay = constant(1.0), call.synapses.label = 1;
    net.grow(call);
    net.set_updates(10, true);
  }
  static Settings settings() {
    Settings s{0.1, 7, 1, 0};
    s.comm = comm::dry_run(ranks, mine);
    s.slices = 3;
    return s;
  }
  void set(double axons, double spines) {
    const Values still{{"growth_rate", {0.0}}, {"tau_vacant", {0.0}}};
    Values of_axons = still, of_spines = still;
    of_axons.push_back({"z", {axons}}), of_spines.push_back({"z", {spines}});
    net.set_elements(connect::NodeSet({{gids[0], own, ranks}}), {{"axon", "linear", of_axons}, {"spine", "linear", of_spines}});
  }
  /// Connected elements of each neuron.
  std::vector<double> connected(const std::string& name) const {
    std::vector<double> found;
    for (const ElementColumns& e : net.elements(gids))
      for (std::size_t k = 0; e.name == name && k < gids.size(); ++k) found.push_back(e.values[k * element_fields + element_fields - 1]);
    return found;
  }
  static double sum(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }
};

TEST(DryGrowth, AllElementsOfTheFewerEndConnectAndSourcesAreOnAllRanks) {
  for (const double spines : {2.0, 3.0}) {
    Rank r;
    r.set(2.0, spines);
    r.net.run(5, nullptr);
    const auto all = r.net.connections(nullptr, nullptr, "");
    EXPECT_EQ(all.source.size(), 2u * own);
    std::vector<int> from(ranks);
    for (std::size_t k = 0; k < all.source.size(); ++k) {
      ++from[static_cast<std::size_t>((all.source[k] - 1) % ranks)];
      EXPECT_EQ((all.target[k] - 1) % ranks, mine);
    }
    const double expected = 2.0 * own / ranks;
    for (const int n : from) EXPECT_NEAR(n, expected, 5.0 * std::sqrt(expected)) << spines;
    for (const double n : r.connected("axon")) EXPECT_EQ(n, 2.0);
    EXPECT_EQ(Rank::sum(r.connected("spine")), 2.0 * own);
    for (const double n : r.connected("spine")) EXPECT_LE(n, spines);
  }
}

TEST(DryGrowth, NeuronsLoseSynapsesWithElementsOfEitherEnd) {
  Rank r;
  r.net.run(5, nullptr);
  r.set(1.0, 3.0);
  r.net.run(10, nullptr);
  EXPECT_EQ(r.net.connections(nullptr, nullptr, "").source.size(), 1u * own);
  for (const double n : r.connected("axon")) EXPECT_EQ(n, 1.0);
  EXPECT_EQ(Rank::sum(r.connected("spine")), 1.0 * own);
  r.set(1.0, 1.0);
  r.net.run(20, nullptr);
  const double left = Rank::sum(r.connected("spine"));
  for (const double n : r.connected("spine")) EXPECT_LE(n, 1.0);
  EXPECT_EQ(r.net.connections(nullptr, nullptr, "").source.size(), static_cast<std::size_t>(left));
  EXPECT_EQ(Rank::sum(r.connected("axon")), left);
  EXPECT_EQ(left, 1.0 * own);  // who lost a partner finds another
}

}  // namespace
}  // namespace npl::sim::test_dry_growth
