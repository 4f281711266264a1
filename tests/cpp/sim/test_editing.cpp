// SPDX-License-Identifier: Apache-2.0
// edit(): compared with networks that never had the connections or always had the new values, and with other numbers of slices.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "small.hpp"

namespace npl::sim::test_editing {
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
  std::vector<std::int64_t> sources, targets;
  for (std::size_t k = 0; k < left.source.size(); ++k) sources.push_back(left.source[k] - 1), targets.push_back(left.target[k] - 1);
  listed.rule_params = connect::listing(sources, targets);
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
        const Handles now = net.edit(e).now;
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
      all.rule_params = {{"indegree", 12}};
      all.synapse = synapse;
      net.connect(all);
      net.run(777, {});
      if (variant) {
        ConnectionEdits e = third(net.connections(nullptr, nullptr, ""), 0, false);
        e.label = {5};  // moves them to tables of their own
        const Handles there = net.edit(e).now;
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

/// The rows of `c` that `handles` name: source, target, weight, delay, table order.
using Row = std::tuple<Gid, Gid, double, std::int64_t, std::int32_t>;
std::vector<Row> rows_of(const ConnectionColumns& c, const Handles& handles) {
  std::map<std::tuple<std::int64_t, std::int32_t, std::int64_t>, Row> all;
  for (std::size_t k = 0; k < c.size(); ++k)
    all[{c.slice[k], c.table[k], c.position[k]}] = {c.source[k], c.target[k], c.weight[k], c.delay[k], c.synapse[k]};
  std::vector<Row> rows;
  for (std::size_t k = 0; k < handles.size(); ++k) rows.push_back(all.at({handles.slice[k], handles.table[k], handles.position[k]}));
  return rows;
}

// A model keeps its table when another model's table, which came before it, goes: edited connections that need not move have other handles,
// too.
/// A relay that sends three spikes in a step to synapses that draw; more synapses later, whose rows are in another state.
struct Drawing {
  Network net;
  int spikes, weights;
  explicit Drawing(const Settings& settings) : net(settings) {
    net.create("spike_generator", 1, {});
    net.set({1}, {}, {{"spike_times", {10.0, 20.0, 21.0, 30.0, 31.5, 50.0}}, {"spike_multiplicities", {3.0, 2.0, 3.0, 3.0, 4.0, 3.0}}});
    net.create("parrot_neuron", 1, {});
    net.create("iaf_psc_exp", 20, {{"I_e", {300.0}}});
    net.connect(call(nodes(1, 1), nodes(2, 1), "all_to_all", 1.0, 1.0));
    spikes = net.record_spikes(nodes(3, 20), 0, 1 << 30);
    weights = net.record_weights({}, {});
    connect(4.0);
    net.run(235, {});
    connect(6.0);
    net.run(105, {});  // spikes of 21.0 to 31.5 ms have been sent
  }
  void connect(double delay) {
    ConnectCall c = call(nodes(2, 1), nodes(3, 20), "all_to_all", 150.0, delay);
    c.synapse = "bernoulli_synapse", c.synapse_params = {{"p_transmit", 0.5}}, c.recorder = weights;
    net.connect(c);
  }
};

// Connections of rows that are told apart by nothing but spikes of one step keep the random numbers of each spike.
TEST(Edit, SynapsesThatDrawKeepTheSpikesOfAStepApart) {
  std::vector<std::vector<Spike>> found;
  std::vector<std::vector<double>> sent;
  for (const int variant : {0, 1, 2, 3}) {
    Drawing d(variant == 3 ? of(2, 5) : of(1, 1));
    for (int k = 0; k < variant; ++k) {
      ConnectionEdits e = third(d.net.connections(nullptr, nullptr, "bernoulli_synapse"), 0, false);
      for (std::size_t i = k; i < e.position.size(); ++i) e.weight.push_back(150.0);
      e.weight.resize(e.position.size(), 150.0);
      d.net.edit(e);
    }
    d.net.run(400, {});
    found.push_back(d.net.spikes(d.spikes));
    auto some = d.net.sent_weights(d.weights).weight;
    std::sort(some.begin(), some.end());
    sent.push_back(some);
  }
  EXPECT_GT(found[0].size(), 10u);
  for (const std::size_t variant : {1, 2, 3}) {
    EXPECT_EQ(found[variant], found[0]) << variant;
    EXPECT_EQ(sent[variant], sent[0]) << variant;
  }
}

TEST(Edit, HandlesOfConnectionsThatStayFollowTheirTables) {
  for (const Settings& settings : {of(1, 1), of(2, 3)}) {
    Network net(settings);
    net.create("iaf_psc_exp", 6, {});
    for (const char* synapse : {"stdp_synapse", "static_synapse"}) {
      ConnectCall all = call(nodes(1, 6), nodes(1, 6), "all_to_all", 20.0, 1.0);
      all.synapse = synapse;
      net.connect(all);
    }
    net.build({});
    const ConnectionColumns before = net.connections(nullptr, nullptr, "");
    ConnectionEdits e;
    static_cast<Handles&>(e) = before;
    e.parameters = {{"lambda", {}}};
    for (const std::int32_t synapse : before.synapse) e.parameters[0].second.push_back(synapse == before.synapse[0] ? 0.05 : std::nan(""));
    const Handles now = net.edit(e).now;
    EXPECT_EQ(rows_of(net.connections(nullptr, nullptr, ""), now), rows_of(before, before));
  }
}

// Connections of one list are found again after edits and removals of some of them, also of several between two neurons.
TEST(Edit, FollowsHandles) {
  Small small(of(2, 3));
  small.net.run(150, {});
  ConnectionColumns list = small.net.connections(nullptr, nullptr, "");
  std::vector<Row> rows = rows_of(list, list);
  const std::int32_t static_synapse = small.net.connections(nullptr, nullptr, "static_synapse").synapse[0];
  const auto edited = [&](std::size_t first, std::size_t every) {
    ConnectionEdits e;
    e.sent_before = 0;  // spikes on their way come along, so that no weight changes before its time
    for (std::size_t k = first; k < list.size(); k += every) {
      if (list.position[k] < 0) continue;
      e.slice.push_back(list.slice[k]), e.table.push_back(list.table[k]), e.position.push_back(list.position[k]);
    }
    return e;
  };
  const auto check = [&](const Edited& done) {
    EXPECT_TRUE(done.moved);
    static_cast<Handles&>(list) = done.of(list);
    const std::vector<Row> found = rows_of(small.net.connections(nullptr, nullptr, ""), list);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], rows[k]) << k;
  };
  ConnectionEdits delays = edited(1, 5);
  delays.delay = {12};
  for (std::size_t k = 1; k < rows.size(); k += 5) std::get<3>(rows[k]) = 12;
  check(small.net.edit(delays));
  ConnectionEdits weights = edited(0, 3);  // some change sign, and so their receptor
  for (std::size_t k = 0; k < rows.size(); k += 3) {
    if (list.synapse[k] == static_synapse) std::get<2>(rows[k]) = -3.0;
    weights.weight.push_back(std::get<2>(rows[k]));
  }
  check(small.net.edit(weights));
  ConnectionEdits labels = edited(2, 7);
  labels.label = {4};
  check(small.net.edit(labels));

  ConnectionEdits gone = edited(0, 2);
  gone.remove = true;
  const Handles left = small.net.edit(gone).of(list);
  Handles kept;
  std::vector<Row> expected;
  for (std::size_t k = 0; k < left.size(); ++k) {
    EXPECT_EQ(left.position[k] < 0, k % 2 == 0);
    if (k % 2 == 0) continue;
    kept.slice.push_back(left.slice[k]), kept.table.push_back(left.table[k]), kept.position.push_back(left.position[k]);
    expected.push_back(rows[k]);
  }
  EXPECT_EQ(rows_of(small.net.connections(nullptr, nullptr, ""), kept), expected);
}

// Weights that are set alone leave all handles valid; a new sign moves a synapse to the table of another receptor.
TEST(Edit, WeightsAloneStayInTheirTables) {
  for (const Settings& settings : {of(1, 1), of(2, 3)}) {
    Network net(settings);
    net.create("iaf_psc_exp", 8, {});
    net.connect(call(nodes(1, 8), nodes(1, 8), "all_to_all", 20.0, 1.0));
    net.build({});
    const ConnectionColumns before = net.connections(nullptr, nullptr, "");
    std::vector<double> weights(before.size(), 20.0);
    for (std::size_t k = 0; k < weights.size(); k += 3) weights[k] += 0.1 * static_cast<double>(k);  // no table has a column for them yet
    Edited done = net.edit(weights_of(before, weights));
    EXPECT_FALSE(done.moved || done.now.size() > 0);
    EXPECT_EQ(net.get_weights(before), weights);
    EXPECT_EQ(net.connections(nullptr, nullptr, "").position, before.position);
    for (std::size_t k = 0; k < weights.size(); k += 5) weights[k] = -weights[k];
    done = net.edit(weights_of(before, weights));
    EXPECT_TRUE(done.moved);
    EXPECT_EQ(net.get_weights(done.now), weights);
    const Handles some{{before.slice[1], before.slice[5]}, {before.table[1], before.table[5]}, {before.position[1], before.position[5]}};
    EXPECT_EQ(net.get_weights(done.of(some)), (std::vector<double>{weights[1], weights[5]}));
    const ConnectionColumns after = net.connections(nullptr, nullptr, "");
    for (std::size_t k = 0; k < after.size(); ++k) EXPECT_EQ(after.receptor[k], after.weight[k] < 0.0);
  }
}

// A delay of one connection that changes in its row moves only its neighbours there.
TEST(Edit, FollowsHandlesInOneRow) {
  Settings settings = of(1, 1);
  settings.layout = tables::Layout::words;
  Small small(settings);
  small.net.build({});
  ConnectionColumns list = small.net.connections(nullptr, nullptr, "");
  std::vector<Row> rows = rows_of(list, list);
  std::size_t in_row = 0;
  for (std::size_t k = 0; k < list.size(); k += 17) {
    ConnectionEdits e;
    e.slice = {list.slice[k]}, e.table = {list.table[k]}, e.position = {list.position[k]};
    e.delay = {static_cast<std::int64_t>(2 + k % 13)};
    std::get<3>(rows[k]) = e.delay[0];
    const Edited done = small.net.edit(e);
    in_row += done.in_row >= 0;
    static_cast<Handles&>(list) = done.of(list);
    EXPECT_EQ(done.now.position, std::vector<std::int64_t>{list.position[k]});
    EXPECT_EQ(rows_of(small.net.connections(nullptr, nullptr, ""), list), rows) << k;
  }
  EXPECT_GT(in_row, 50u);
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

// Several changes of device links are checked before the first is made.
TEST(Relink, CheckOnlyChangesNothing) {
  std::vector<std::vector<Spike>> found;
  for (const bool checked : {false, true}) {
    Network net(of(1, 1));
    net.create("iaf_psc_exp", 5, {});
    const Gid poisson = net.create("poisson_generator", 1, {{"rate", {8000.0}}});
    const int record = net.record_spikes(nodes(1, 5), 0, 1 << 30);
    const std::int64_t link = net.connect(call(nodes(poisson, 1), nodes(1, 5), "all_to_all", 40.0, 1.0));
    net.run(300, {});
    if (checked) {
      net.relink(link, constant(400.0), constant(2.0), true);
      EXPECT_THROW(net.relink(link, constant(40.0), constant(-1.0), true), BadDelay);
      EXPECT_THROW(net.relink(link + 1, constant(40.0), constant(1.0), true), BadParameter);
    }
    net.run(700, {});
    found.push_back(net.spikes(record));
  }
  EXPECT_GT(found[0].size(), 20u);
  EXPECT_EQ(found[0], found[1]);
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
}  // namespace npl::sim::test_editing
