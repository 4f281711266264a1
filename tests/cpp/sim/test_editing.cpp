// SPDX-License-Identifier: Apache-2.0
// edit(): compared with networks that never had the connections or always had the new values, and with other numbers of slices.
#include <gtest/gtest.h>

#include "small.hpp"

namespace npl::sim {
namespace {

Settings of(int threads, int slices) {
  Settings s;
  s.threads = threads, s.slices = slices;
  return s;
}

/// Every third connection.
ConnectionEdits third(const ConnectionColumns& c, Step sent_before, bool remove) {
  ConnectionEdits e;
  for (std::size_t k = 0; k < c.source.size(); k += 3)
    e.slice.push_back(c.slice[k]), e.table.push_back(c.table[k]), e.position.push_back(c.position[k]);
  e.sent_before = sent_before, e.remove = remove;
  return e;
}

TEST(Disconnect, IsAsIfTheyHadNeverBeenThere) {
  const auto made = [](Network& net) {
    net.create("iaf_psc_exp", 30, {{"I_e", {420.0}}});
    return net.record_spikes(nodes(1, 30), 0, 1 << 30);
  };
  Network net(of(2, 3)), other(of(1, 1));
  const int record = made(net), same = made(other);
  ConnectCall all = call(nodes(1, 30), nodes(1, 30), "all_to_all", 25.0, 1.2);
  net.connect(all);
  net.build({});
  net.edit(third(net.connections(nullptr, nullptr, ""), 0, true));
  const ConnectionColumns left = net.connections(nullptr, nullptr, "");
  EXPECT_EQ(left.source.size(), 600u);
  EXPECT_EQ(net.connection_count(), 600u);
  ConnectCall listed = call(nodes(1, 30), nodes(1, 30), "explicit", 25.0, 1.2);
  for (std::size_t k = 0; k < left.source.size(); ++k)
    listed.rule_params.sources.push_back(left.source[k] - 1), listed.rule_params.targets.push_back(left.target[k] - 1);
  other.connect(listed);
  net.run(1500, {});
  other.run(1500, {});
  EXPECT_GT(net.spikes(record).size(), 100u);
  EXPECT_EQ(net.spikes(record), other.spikes(same));
}

TEST(Disconnect, DoesNotDependOnSlices) {
  std::vector<std::vector<Spike>> found;
  std::vector<std::vector<double>> weights;
  for (const Settings& settings : {of(1, 1), of(3, 7)}) {
    Small small(settings);
    small.net.run(333, {});
    small.net.edit(third(small.net.connections(nullptr, nullptr, ""), 320, true));
    small.net.run(500, {});
    found.push_back(small.net.spikes(small.spikes));
    weights.push_back(small.net.connections(nullptr, nullptr, "").weight);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(weights[0], weights[1]);
}

TEST(Disconnect, RefusesRepeatsAndWhatIsNotThere) {
  Small small(of(1, 1));
  small.net.run(10, {});
  ConnectionEdits e = third(small.net.connections(nullptr, nullptr, ""), 0, true);
  const std::uint64_t before = small.net.connection_count();
  e.position.push_back(e.position[0]), e.slice.push_back(e.slice[0]), e.table.push_back(e.table[0]);
  EXPECT_THROW(small.net.edit(e), BadParameter);
  e.position.back() = 1 << 30;
  EXPECT_THROW(small.net.edit(e), BadParameter);
  EXPECT_EQ(small.net.connection_count(), before);
}

// Editing before the first step gives the same network as connecting with the new values.
TEST(Edit, NewValuesAreAsIfTheyHadAlwaysBeenThere) {
  for (const char* synapse : {"static_synapse", "stdp_synapse", "tsodyks2_synapse", "bernoulli_synapse"}) {
    std::vector<std::vector<Spike>> found;
    std::vector<ConnectionColumns> connections;
    for (const bool edited : {false, true}) {
      Network net(of(2, 3));
      net.create("iaf_psc_exp", 30, {{"I_e", {420.0}}});
      const int record = net.record_spikes(nodes(1, 30), 0, 1 << 30);
      ConnectCall all = call(nodes(1, 30), nodes(1, 30), "all_to_all", edited ? 25.0 : 60.0, edited ? 1.2 : 2.3);
      all.synapse = synapse;
      const bool plastic = std::string_view(synapse) == "stdp_synapse";
      if (plastic && !edited) all.synapse_params = {{"lambda", 0.05}};
      net.connect(all);
      net.build({});
      if (edited) {
        const ConnectionColumns c = net.connections(nullptr, nullptr, "");
        ConnectionEdits e;
        static_cast<Handles&>(e) = c, e.weight = {60.0}, e.delay = {23};
        if (plastic) e.parameters = {{"lambda", {0.05}}};
        const Handles now = net.edit(e);
        EXPECT_EQ(net.get_weights(now), std::vector<double>(900, 60.0));
      }
      net.run(1500, {});
      found.push_back(net.spikes(record));
      connections.push_back(net.connections(nullptr, nullptr, ""));
    }
    EXPECT_GT(found[0].size(), 100u) << synapse;
    EXPECT_EQ(found[0], found[1]) << synapse;
    EXPECT_EQ(connections[0].weight, connections[1].weight) << synapse;
    EXPECT_EQ(connections[0].delay, connections[1].delay) << synapse;
    EXPECT_EQ(connections[0].target, connections[1].target) << synapse;
  }
}

// Setting the current values changes nothing: connections keep their state and in-flight spikes.
TEST(Edit, SameValuesInTheMiddleChangeNothing) {
  for (const char* synapse : {"static_synapse", "stdp_synapse", "tsodyks2_synapse", "stdp_triplet_synapse"}) {
    std::vector<std::vector<Spike>> found;
    std::vector<std::vector<double>> weights;
    for (const int variant : {0, 1, 2}) {
      Network net(variant == 2 ? of(2, 5) : of(1, 1));
      net.create("iaf_psc_exp", 30, {{"I_e", {420.0}}});
      const int record = net.record_spikes(nodes(1, 30), 0, 1 << 30);
      ConnectCall all = call(nodes(1, 30), nodes(1, 30), "fixed_indegree", 30.0, 4.0);
      all.rule_params.n = 12;
      all.synapse = synapse;
      net.connect(all);
      net.run(777, {});
      if (variant) {
        ConnectionEdits e = third(net.connections(nullptr, nullptr, ""), 0, false);
        e.label = {5};  // moves them to tables of their own
        const Handles there = net.edit(e);
        static_cast<Handles&>(e) = there;
        e.label = {0};  // and back
        net.edit(e);
      }
      net.run(900, {});
      found.push_back(net.spikes(record));
      weights.push_back(net.connections(nullptr, nullptr, "").weight);
    }
    EXPECT_GT(found[0].size(), 100u) << synapse;
    for (const int variant : {1, 2}) {
      EXPECT_EQ(found[0], found[static_cast<std::size_t>(variant)]) << synapse << variant;
      EXPECT_EQ(weights[0], weights[static_cast<std::size_t>(variant)]) << synapse << variant;
    }
  }
}

TEST(Edit, NothingChangesWhenOneValueIsRefused) {
  Small small(of(2, 3));
  small.net.run(10, {});
  const ConnectionColumns before = small.net.connections(nullptr, nullptr, "");
  ConnectionEdits e = third(before, 0, false);
  e.weight.assign(e.slice.size(), 3.0), e.weight.back() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(small.net.edit(e), BadParameter);
  e.weight = {};
  e.delay.assign(e.slice.size(), 7), e.delay.back() = 0;
  EXPECT_THROW(small.net.edit(e), BadDelay);
  e.delay = {};
  e.parameters = {{"no_such", {1.0}}};
  EXPECT_THROW(small.net.edit(e), UnknownName);
  const ConnectionColumns after = small.net.connections(nullptr, nullptr, "");
  EXPECT_EQ(before.weight, after.weight);
  EXPECT_EQ(before.delay, after.delay);
}

// However a network came about, a slice has one table per spec.
TEST(Tables, AreMergedOverRoundsOfConnectAndRun) {
  for (const char* synapse : {"static_synapse", "stdp_synapse"}) {
    Network rounds(of(2, 3)), once(of(1, 1));
    for (Network* net : {&rounds, &once}) net->create("iaf_psc_exp", 40, {{"I_e", {420.0}}});
    for (int round = 0; round < 50; ++round) {
      ConnectCall some = call(nodes(1 + round % 7, 20), nodes(5 + round % 11, 20), "one_to_one", 20.0 + round, 1.5);
      some.double_weights = true;
      some.synapse = synapse;
      rounds.connect(some), once.connect(some);
      rounds.run(7, {}), once.run(7, {});
      EXPECT_EQ(rounds.table_hashes().size(), 3u);
    }
    EXPECT_EQ(once.table_hashes().size(), 1u);
    EXPECT_EQ(rounds.connections(nullptr, nullptr, "").weight, once.connections(nullptr, nullptr, "").weight);
  }
}

}  // namespace
}  // namespace npl::sim
