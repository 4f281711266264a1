// SPDX-License-Identifier: Apache-2.0
// Whole networks, small and with several threads, so that the thread sanitizer sees building, exchange, recording and errors at work.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "small.hpp"

namespace npl::sim::test_network {
namespace {

TEST(Network, FourThreadsGiveTheResultOfOne) {
  Small one({0.1, 7, 1, 0}), four({0.1, 7, 4, 0}), many({0.1, 7, 4, 5});
  one.net.run(600, nullptr);
  four.net.run(600, nullptr);
  for (int piece : {100, 1, 299, 200}) many.net.run(piece, nullptr);
  EXPECT_GT(one.net.spikes(one.spikes).size(), 300u);
  EXPECT_EQ(one.result(), four.result());
  EXPECT_EQ(one.result(), many.result());
  EXPECT_GT(many.net.n_slices(), 4u);
  EXPECT_EQ(one.net.counters().at("events"), many.net.counters().at("events"));
}

TEST(NetworkDeathTest, WhatFailsInTheTimeLoopEndsTheProcessAndLeavesNoThreadWaiting) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    Small s({0.1, 7, 2, 0});
    s.net.run(100'000'000, [](const char* phase, std::uint64_t, std::uint64_t) -> bool {
      if (std::string_view(phase) == "simulating") throw std::runtime_error("no memory");
      return true;
    });
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), "in the time loop: no memory");
}

TEST(Network, ConnectionsAddedBetweenRunsWithThreads) {
  const auto run = [](int threads) {
    Small s({0.1, 3, threads, 0});
    s.net.run(100, nullptr);
    const Gid late = s.net.create("iaf_psc_alpha", 9, {});
    s.net.connect(call(nodes(s.first, 60), nodes(late, 9), "all_to_all", 50.0, 0.1));
    const int recorder = s.net.record_spikes(nodes(late, 9), 0, 1 << 30);
    s.net.run(200, nullptr);
    return std::tuple(s.result(), s.net.spikes(recorder));
  };
  const auto one = run(1);
  EXPECT_FALSE(std::get<1>(one).empty());
  EXPECT_EQ(one, run(3));
}

/// Each of two spikes of a source in one step has its own chance, whatever the slices.
TEST(Network, SpikesOfOneStepArePassedOnIndependently) {
  const auto passed = [](int threads) {
    Settings settings;
    settings.seed = 5, settings.threads = threads;
    Network net(settings);
    std::vector<double> times;
    for (int k = 1; k <= 2000; ++k) times.insert(times.end(), 2, 0.1 * k);
    const Gid source = net.create("spike_generator", 1, {}), target = net.create("parrot_neuron", 2, {});
    net.set({source}, {}, {{"spike_times", times}});
    ConnectCall c = call(nodes(source, 1), nodes(target, 2), "all_to_all", 1.0, 1.0);
    c.synapse = "bernoulli_synapse", c.synapse_params = {{"p_transmit", 0.5}};
    c.recorder = net.record_weights(nullptr, nullptr);
    net.connect(c);
    net.run(2100, nullptr);
    const SentWeights sent = net.sent_weights(c.recorder);
    std::map<std::pair<std::int64_t, Gid>, int> of;
    for (std::size_t i = 0; i < sent.stamp.size(); ++i) ++of[{sent.stamp[i], sent.target[i]}];
    return of;
  };
  const auto of = passed(1);
  const auto ones = std::count_if(of.begin(), of.end(), [](const auto& each) { return each.second == 1; });
  EXPECT_NEAR(static_cast<double>(ones), 2000.0, 160.0);                                   // of 4000 pairs, half: 5 standard deviations
  EXPECT_NEAR(static_cast<double>(of.size()) - static_cast<double>(ones), 1000.0, 140.0);  // a quarter both
  EXPECT_EQ(passed(2), of);
}

/// Synapses with state and random numbers of their own, and recorded ones, on threads that deliver at the same time.
TEST(Network, SynapsesOneByOneWithThreads) {
  const auto run = [](int threads, int block) {
    Small s({0.1, 3, threads, block});
    const int recorder = s.net.record_weights(nullptr, nullptr);
    for (const char* synapse :
         {"bernoulli_synapse", "quantal_stp_synapse", "stdp_triplet_synapse", "stdp_nn_pre_centered_synapse", "static_synapse"}) {
      ConnectCall c = call(nodes(s.first, 60), nodes(s.first, 20), "fixed_indegree", 10.0, 0);
      c.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
      c.rule_params = {{"indegree", 5}};
      c.synapse = synapse;
      c.recorder = recorder;
      if (c.synapse == "bernoulli_synapse") c.synapse_params = {{"p_transmit", 0.5}};
      s.net.connect(c);
    }
    s.net.run(300, nullptr);
    SentWeights w = s.net.sent_weights(recorder);
    EXPECT_GT(w.weight.size(), 1000u);
    return std::tuple(s.result(), w.stamp, w.source, w.target, w.weight);
  };
  const auto one = run(1, 0);
  EXPECT_EQ(one, run(3, 7));
}

/// Edges of the same pair, synapse and delay from two builds come in the order of the builds, whatever the slices.
TEST(Network, ConnectionsOfSeveralBuildsHaveOneOrder) {
  const auto weights = [](int threads, int block) {
    Network net({0.1, 3, threads, block});
    net.create("iaf_psc_exp", 40, {});
    for (std::int64_t n : {30, 5, 17}) {
      ConnectCall c = call(nodes(41 - n, n), nodes(1, 40), "all_to_all", 0, 1.0);
      c.weight = clipped_normal(20.0, 5.0, 1.0, 90.0);
      net.connect(c);
      net.run(3, nullptr);
    }
    return net.connections(nullptr, nullptr, "").weight;
  };
  const auto one = weights(1, 0);
  EXPECT_EQ(one.size(), 52u * 40u);
  EXPECT_EQ(one, weights(3, 0));
  EXPECT_EQ(one, weights(2, 3));
}

TEST(Network, ReceptorsOfNodesThatComeAfterTheFirstBuild) {
  Network net({0.1, 1, 2, 0});
  net.create("parrot_neuron", 3, {});  // one receptor; 2 nodes in the larger slice
  net.run(1, nullptr);
  const Gid last = net.create("iaf_psc_exp", 1, {{"I_e", {500.0}}});  // two receptors, no more nodes per slice
  net.connect(call(nodes(last, 1), nodes(last, 1), "all_to_all", -100.0, 1.0));
  const int trace = net.record_state({last}, {"I_syn_in"}, {1, 0});
  net.run(300, nullptr);
  const auto values = net.samples(trace).values;
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -99.0);
}

TEST(Network, ParrotsCountPlasticAndWeightedSpikes) {
  for (const char* synapse : {"static_synapse", "stdp_synapse", "stdp_pl_synapse_hom"})
    for (bool doubles : {false, true}) {
      Network net({0.1, 1, 1, 0});
      const Gid source = net.create("spike_generator", 1, {}), parrot = net.create("parrot_neuron", 1, {});
      net.set({source}, {}, {{"spike_times", {1.0, 2.0, 2.0}}});
      ConnectCall c = call(nodes(source, 1), nodes(parrot, 1), "all_to_all", 0, 1.0);
      c.weight = clipped_normal(20.0, 5.0, 1.0, 90.0);
      c.synapse = synapse;
      c.double_weights = doubles;
      net.connect(c);
      const int spikes = net.record_spikes(nodes(parrot, 1), 0, 1000);
      net.run(50, nullptr);
      EXPECT_EQ(net.spikes(spikes), (std::vector<Spike>{{2, 19}, {2, 29}, {2, 29}})) << synapse << doubles;
    }
}

TEST(Network, TinyWeightsOfBothSignsFindTheirTables) {
  for (bool doubles : {false, true}) {
    Network net({0.1, 1, 1, 0});
    const Gid a = net.create("iaf_psc_exp", 50, {});
    ConnectCall c = call(nodes(a, 50), nodes(a, 50), "all_to_all", 0, 1.0);
    c.weight = {};
    c.weight.kind = rng::Kind::normal;
    c.weight.b = 1e-44;  // as float32: 0 or a few subnormal values
    c.double_weights = doubles;
    net.connect(c);
    net.build(nullptr);
    const ConnectionColumns all = net.connections(nullptr, nullptr, "");
    ASSERT_EQ(all.weight.size(), 2500u);
    for (std::size_t i = 0; i < all.weight.size(); ++i) {
      EXPECT_EQ(all.source[i], 1 + static_cast<Gid>(i / 50));
      EXPECT_EQ(all.target[i], 1 + static_cast<Gid>(i % 50));
      EXPECT_EQ(all.receptor[i], all.weight[i] < 0);
    }
  }
}

TEST(Network, PollStopsARunAfterItsInterval) {
  Small s({0.1, 7, 3, 0});
  int polls = 0;
  const Step done = s.net.run(
      1 << 30, [&](const char* phase, std::uint64_t, std::uint64_t) { return std::string(phase) != "simulating" || ++polls < 2; });
  EXPECT_EQ(polls, 2);
  EXPECT_LT(done, 1 << 30);
  EXPECT_EQ(s.net.step(), done);
  Small whole({0.1, 7, 1, 0});
  whole.net.run(done, nullptr);
  EXPECT_EQ(whole.result(), s.result());
}

TEST(Network, RefusedCallsChangeNothing) {
  Small s({0.1, 7, 2, 0}), untouched({0.1, 7, 1, 0});
  Network& net = s.net;
  EXPECT_THROW(net.create("iaf_psc_expp", 1, {}), UnknownName);
  EXPECT_THROW(net.create("iaf_psc_exp", 0, {}), BadParameter);
  EXPECT_THROW(net.create("iaf_psc_exp", std::int64_t{1} << 39, {}), TooLarge);
  EXPECT_THROW(net.create("dc_generator", std::int64_t{1} << 39, {}), TooLarge);
  EXPECT_THROW(net.create("iaf_psc_exp", 2, {{"tau_m", {1.0, 2.0, 3.0}}}), BadLength);
  EXPECT_THROW(net.create("iaf_psc_exp", 2, {{"tau_m", {1.0, -2.0}}}), BadParameter);
  EXPECT_THROW(net.set({1, 2}, {{"V_th", {-55.0, -99.0}}}), BadParameter);
  EXPECT_THROW(net.set({1, 61}, {{"I_e", {5.0}}}), UnknownName);  // a neuron and a Poisson generator
  EXPECT_THROW(net.connect(call(nodes(1, 60), nodes(61, 1), "all_to_all", 1, 1)), IllegalConnection);
  EXPECT_THROW(net.connect(call(nodes(1, 600), nodes(1, 60), "all_to_all", 1, 1)), BadParameter);
  for (double delay : {0.0, 0.04, -1.0, 6553.6, 1e9})
    EXPECT_THROW(net.connect(call(nodes(1, 60), nodes(1, 60), "all_to_all", 1, delay)), BadDelay) << delay;
  ConnectCall large = call(nodes(1, 60), nodes(1, 60), "fixed_indegree", 1, 1);
  large.rule_params = {{"indegree", 0xffffffff}};
  large.double_weights = true;
  EXPECT_THROW(net.connect(large), TooLarge);
  ConnectCall infinite = call(nodes(1, 60), nodes(1, 60), "all_to_all", 1e300, 1);
  infinite.synapse = "stdp_synapse";
  EXPECT_THROW(net.connect(infinite), BadParameter);
  EXPECT_THROW(net.record_state({1}, {"V"}, {1, 0}), UnknownName);
  EXPECT_THROW(net.record_state({1}, {"V_m"}, {0, 0}), BadParameter);
  EXPECT_THROW(net.record_state({1}, {"V_m"}, {1, -5}), BadParameter);
  EXPECT_THROW(net.run(-1, nullptr), BadParameter);
  EXPECT_THROW(net.run(INT64_MAX, nullptr), BadParameter);
  net.run(300, nullptr);
  EXPECT_THROW(net.run(INT64_MAX, nullptr), BadParameter);
  EXPECT_THROW(net.run(INT32_MAX, nullptr), BadParameter);
  untouched.net.run(300, nullptr);
  EXPECT_EQ(s.result(), untouched.result());
}

TEST(Network, WeightsAreSetOnlyWhereThereAreSynapses) {
  Small s({0.1, 7, 2, 0});
  s.net.build(nullptr);
  const ConnectionColumns c = s.net.connections(nullptr, nullptr, "stdp_synapse");
  s.net.edit(weights_of(c, std::vector<double>(c.source.size(), 12.5)));
  EXPECT_EQ(s.net.get_weights(c), std::vector<double>(c.source.size(), 12.5));
  for (auto [slice, table, position] : {std::tuple{99, 0, 0}, {-1, 0, 0}, {0, 99, 0}, {0, -1, 0}, {0, 0, 1 << 30}, {0, 0, -1}}) {
    EXPECT_THROW(s.net.get_weights({{slice}, {table}, {position}}), BadParameter);
    EXPECT_THROW(s.net.edit(weights_of({{slice}, {table}, {position}}, {1.0})), BadParameter);
  }
  EXPECT_THROW(s.net.get_weights({{0, 0}, {0}, {0, 0}}), BadLength);
  EXPECT_THROW(s.net.edit(weights_of({{0, 0}, {0, 0}, {0}}, {1.0})), BadLength);
  EXPECT_THROW(s.net.edit(weights_of({{0}, {0}, {0}}, {1.0, 2.0})), BadLength);
  const Handles first{{c.slice[0]}, {c.table[0]}, {c.position[0]}};
  for (double bad : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(s.net.edit(weights_of(first, {bad})), BadParameter) << bad;
  EXPECT_EQ(s.net.get_weights(first), std::vector<double>{12.5});
}

TEST(Network, NodesAreTakenBackOnlyWhenNothingKnowsThem) {
  Network net({0.1, 1, 2, 0});
  const Gid a = net.create("iaf_psc_exp", 3, {});
  net.undo_create(a);
  EXPECT_EQ(net.n_nodes(), 0);
  EXPECT_EQ(net.create("iaf_psc_exp", 3, {}), a);
  net.record_state({a}, {"V_m"}, {1, 0});
  net.undo_create(a);
  EXPECT_EQ(net.n_nodes(), 3);
  const Gid b = net.create("spike_generator", 1, {});
  net.run(5, nullptr);
  net.undo_create(b);
  EXPECT_EQ(net.n_nodes(), 4);
  net.run(5, nullptr);
}

TEST(Network, EmptyOnesRun) {
  Network net({0.1, 1, 2, 0});
  EXPECT_EQ(net.run(100, nullptr), 100);
  net.create("iaf_psc_exp", 1, {});
  EXPECT_EQ(net.run(100, nullptr), 100);
  EXPECT_EQ(net.run(0, nullptr), 0);
  EXPECT_EQ(net.step(), 200);
}

// A Poisson generator draws eight steps at once: a change between runs holds from the next step on, wherever that is among the eight.
TEST(Network, RatesOfGeneratorsChangeBetweenRuns) {
  for (const int targets : {3, 1100})  // few, and so many that they are served piece by piece
    for (Step change = 9; change < 18; ++change) {
      Network net({});
      const Gid parrots = net.create("parrot_neuron", targets, {});
      const Gid poisson = net.create("poisson_generator", 1, {{"rate", {3e5}}});  // 30 spikes per step: never none
      net.connect(call(nodes(poisson, 1), nodes(parrots, targets), "all_to_all", 1.0, 0.3));
      const int record = net.record_spikes(nodes(parrots, targets), 0, 1 << 30);
      net.run(change, {});
      net.set({poisson}, {{"rate", {0.0}}});
      net.run(20, {});
      net.set({poisson}, {{"rate", {3e5}}});
      net.run(12, {});
      std::set<Step> steps;
      for (const Spike& s : net.spikes(record)) steps.insert(s.step);
      std::set<Step> wanted;
      for (Step t = *steps.begin(); t < change + 32; ++t)
        if (t < change + 3 || t >= change + 23) wanted.insert(t);
      EXPECT_EQ(steps, wanted) << targets << " targets, change at " << change;
    }
}

}  // namespace
}  // namespace npl::sim::test_network
