// SPDX-License-Identifier: Apache-2.0
// Dry run of one rank: its tables equal those of the real rank, its traffic does so on average.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "comm/dry_run.hpp"
#include "small.hpp"

namespace npl::sim::test_dry_run {
namespace {

using Ranks = std::vector<std::shared_ptr<comm::Communicator>>;

void on_ranks(int n, const std::function<void(std::shared_ptr<comm::Communicator>)>& body) {
  const Ranks group = comm::threads(n);
  std::vector<std::thread> threads;
  for (const auto& c : group) threads.emplace_back([&body, &c] { body(c); });
  for (auto& t : threads) t.join();
}

Settings on(std::shared_ptr<comm::Communicator> comm, const std::string& distribution = "round_robin") {
  Settings s{0.1, 7, 1, 0};
  s.comm = std::move(comm);
  s.slices = 3;
  s.distribution = distribution;
  if (distribution == "by_map")
    s.exchange.regime = "dense";  // ranks that hear of more sources than others decide, which no rank alone knows
  if (distribution == "by_map")
    for (int i = 0; i < 600; ++i) s.rank_map.push_back((i * i % 7 + i / 3) % s.comm->size());
  return s;
}

/// A network of all rules with plastic and static synapses and drawn node values.
struct Many {
  Network net;
  Gid first, more;
  explicit Many(Settings settings) : net(std::move(settings)) {
    rng::ValueSpec start = clipped_normal(-60.0, 4.0, -70.0, -56.0);
    first = net.create("iaf_psc_exp", 300, {{"I_e", {380.0}}}, {{"V_m", start, 1}});
    const Gid poisson = net.create("poisson_generator", 1, {{"rate", {5000.0}}});
    more = net.create("iaf_psc_alpha", 170, {}, {{"V_m", start, 2}, {"I_e", clipped_normal(400.0, 50.0, 0.0, 900.0), 3}});
    net.connect(call(nodes(poisson, 1), nodes(first, 300), "all_to_all", 40.0, 0.2));
    int k = 0;
    const std::pair<const char*, connect::RuleParams> rules[] = {{"fixed_indegree", {{"indegree", 9}}},
                                                                 {"fixed_outdegree", {{"outdegree", 9}}},
                                                                 {"fixed_total_number", {{"N", 2000}}},
                                                                 {"pairwise_bernoulli", {{"p", 0.05}}}};
    for (const auto& [rule, parameters] : rules) {
      ConnectCall c = call(nodes(first, 300), k % 2 ? nodes(first, 300) : nodes(more, 170), rule, 0, 0);
      c.rule_params = parameters;
      c.weight = clipped_normal(0.0, 40.0, -100.0, 100.0);
      c.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
      if (k++ == 1) c.weight = constant(30.0), c.synapse = "stdp_synapse";
      net.connect(c);
    }
    net.connect(call(nodes(first, 170), nodes(more, 170), "one_to_one", 5.0, 0.7));
  }
};

/// Contents and traffic of a rank.
struct Held {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::uint64_t, std::uint64_t>> tables;
  std::map<std::string, std::uint64_t> memory;
  std::vector<double> values;  ///< of its own nodes
  double routes = 0;
};

Held held(Settings settings) {
  Many m(std::move(settings));
  m.net.build(nullptr);
  Held h;
  for (const TableHash& t : m.net.table_hashes()) h.tables.emplace_back(t.slice, t.order, t.synapses, t.hash);
  h.memory = m.net.memory();
  h.routes = static_cast<double>(m.net.exchanger().n_routes());
  std::vector<Gid> gids;
  for (Gid g = m.first; g < m.first + 300; ++g) gids.push_back(g);
  const auto v = m.net.get(gids, "V_m");
  for (std::size_t i = 0; i < v.size(); ++i)
    if (m.net.rank_of(gids[i]) == m.net.rank()) h.values.push_back(v[i]);
  return h;
}

class Tables : public testing::TestWithParam<const char*> {};

TEST_P(Tables, AreThoseOfTheRealRank) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    std::vector<Held> real(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](auto comm) {
      const auto r = static_cast<std::size_t>(comm->rank());
      real[r] = held(on(comm, GetParam()));
    });
    double routes = 0, emulated_routes = 0;
    for (int r = 0; r < ranks; ++r) {
      const Held& a = real[static_cast<std::size_t>(r)];
      const Held b = held(on(comm::dry_run(ranks, r), GetParam()));
      EXPECT_EQ(a.tables, b.tables) << "rank " << r << " of " << ranks;
      EXPECT_FALSE(b.tables.empty());
      EXPECT_EQ(a.values, b.values);
      for (const char* term : {"neurons", "synapses", "index", "traces", "devices", "input"})
        EXPECT_EQ(a.memory.at(term), b.memory.at(term)) << term;
      routes += a.routes, emulated_routes += b.routes;
    }
    EXPECT_EQ(routes, emulated_routes);  // every requested source has one requester: the sums over ranks are equal
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, Tables, testing::Values("round_robin", "consecutive", "shuffled", "by_map"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DryRunNetwork, RoutesOfARankAreAsMany) {
  std::vector<double> real(8);
  on_ranks(8, [&](auto comm) {
    const auto r = static_cast<std::size_t>(comm->rank());
    real[r] = held(on(comm)).routes;
  });
  for (int r = 0; r < 8; ++r) {
    const double emulated = held(on(comm::dry_run(8, r))).routes, sd = std::sqrt(real[static_cast<std::size_t>(r)]);
    EXPECT_NEAR(emulated, real[static_cast<std::size_t>(r)], 6 * sd + 0.1 * real[static_cast<std::size_t>(r)]) << "rank " << r;
  }
}

struct Exchanged {
  double spikes, words;
  std::vector<Spike> recorded;
};

Exchanged exchanged(Settings settings, int steps = 400) {
  Many m(std::move(settings));
  const int recorder = m.net.record_spikes(nodes(m.first, 300), 0, 1 << 30);
  m.net.run(steps, nullptr);
  const auto n = m.net.counters();
  return {static_cast<double>(n.at("spikes")), static_cast<double>(n.at("words_sent")), m.net.spikes(recorder)};
}

TEST(DryRunNetwork, SendsAsMuchAsTheRealOne) {
  Exchanged real{};
  on_ranks(4, [&](auto comm) {
    const Exchanged e = exchanged(on(comm));
    if (comm->rank() == 0) real = e;
  });
  ASSERT_GT(real.spikes, 200.0);
  double spikes = 0, words = 0;
  for (int r = 0; r < 4; ++r) {
    const Exchanged e = exchanged(on(comm::dry_run(4, r)));  // counted as if all ranks were like this one
    spikes += e.spikes / 4, words += e.words / 4;
  }
  EXPECT_NEAR(spikes, real.spikes, 0.15 * real.spikes);
  EXPECT_NEAR(words, real.words, 0.2 * real.words);
}

TEST(DryRunNetwork, IsTheSameEveryTime) {
  for (bool rate : {false, true}) {
    const auto run = [&] {
      Settings s = on(comm::dry_run(1000, 3));
      if (rate) s.exchange.emulated.emplace(7, 0.002);
      return exchanged(std::move(s));
    };
    const Exchanged a = run(), b = run();
    EXPECT_EQ(a.recorded, b.recorded);
    EXPECT_EQ(a.words, b.words);
  }
}

TEST(DryRunNetwork, EveryStrategyRunsAndGivesTheSame) {
  std::map<std::pair<bool, bool>, std::vector<Spike>> first;  // spikes are drawn per part of an interval
  for (const auto* strategy : exchange::strategies()) {
    if (strategy->name == "shared") continue;
    for (bool halves : {false, true})
      for (const char* regime : {"dense", "sparse"}) {
        Settings s = on(comm::dry_run(30, 3));
        s.exchange.strategy = strategy->name;
        s.exchange.halves = halves;
        s.exchange.regime = regime;
        s.exchange.round_bytes = 200;
        s.exchange.emulated.emplace(7, 0.002);
        const Exchanged e = exchanged(std::move(s), 120);
        auto& expected = first[{strategy->is.directed, halves}];
        if (expected.empty()) expected = e.recorded;
        EXPECT_EQ(e.recorded, expected) << strategy->name << " " << regime << " " << halves;
        EXPECT_GT(e.words, 0.0);
      }
  }
}

TEST(DryRunNetwork, RefusesWhatHasNoMirror) {
  Settings s = on(comm::dry_run(10, 3));
  s.exchange.strategy = "shared";
  EXPECT_THROW(Network{s}, BadParameter);
  s.exchange.strategy = "multisend";
  s.exchange.phases = 2;
  EXPECT_THROW(Network{s}, BadParameter);
  s.exchange.phases = 1;
  EXPECT_NO_THROW(Network{s});
}

TEST(DryRunNetwork, SpikesAtAGivenRateArePoisson) {
  const PoissonSpikes source(3, 0.05);
  std::vector<Spike> spikes;
  double sum = 0, squares = 0;
  std::vector<int> at(20);
  constexpr int trials = 20000;
  for (int k = 0; k < trials; ++k) {
    spikes.clear();
    source.draw(k % 100 + 1, 20 * (k / 100), 20 * (k / 100) + 20, spikes);
    sum += static_cast<double>(spikes.size()), squares += static_cast<double>(spikes.size() * spikes.size());
    for (const Spike& s : spikes) {
      EXPECT_EQ(s.gid, k % 100 + 1);
      ++at[static_cast<std::size_t>(s.step - 20 * (k / 100))];
    }
  }
  const double mean = sum / trials;
  EXPECT_NEAR(mean, 1.0, 5 / std::sqrt(trials));
  EXPECT_NEAR(squares / trials - mean * mean, 1.0, 0.06);
  for (int n : at) EXPECT_NEAR(n, trials / 20, 5 * std::sqrt(trials / 20.0));
}

TEST(DryRunNetwork, NothingGrowsWithTheWhole) {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (int ranks : {100000, 10000000}) {  // nearly every source is on a rank of its own
    Settings s = on(comm::dry_run(ranks, 17));
    s.exchange.strategy = "nbx";  // other strategies store counts per rank
    Network net(s);
    const std::int64_t n = std::int64_t{200} * ranks;
    const Gid first = net.create("iaf_psc_exp", n, {}, {{"V_m", clipped_normal(-60, 4, -70, -56), 1}});
    ConnectCall c = call(nodes(first, n), nodes(first, n), "fixed_indegree", 3.0, 1.0);
    c.rule_params = {{"indegree", 100}};
    net.connect(c);
    net.run(20, nullptr);
    EXPECT_EQ(net.counters().at("synapses"), static_cast<std::uint64_t>(n) * 100);
    const std::uint64_t total = net.memory().at("total");
    least = std::min(least, total), most = std::max(most, total);
  }
  EXPECT_LT(static_cast<double>(most), 1.15 * static_cast<double>(least));
}

}  // namespace
}  // namespace npl::sim::test_dry_run
