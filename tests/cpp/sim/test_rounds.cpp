// SPDX-License-Identifier: Apache-2.0
// Rounds of connect and run: the tables of a slice are merged round by round. Same spikes and connections on any threads, slices and ranks,
// and as in a network whose tables are never merged: there every round has a label of its own, which keeps tables apart.
#include <gtest/gtest.h>

#include "areas.hpp"

namespace npl::sim::test_rounds {
namespace {

struct Kind {
  const char* name;
  const char* model;
  std::vector<std::pair<std::string, double>> parameters = {};
  bool off_grid = false;  ///< targets and times of spikes
};

constexpr int rounds = 16, n = 40;

/// All that can be compared between networks whose tables differ: connections in an order that does not depend on tables.
struct Result {
  std::vector<Spike> spikes;
  std::vector<double> offsets;
  std::vector<std::tuple<Gid, Gid, std::int64_t, double>> connections;  ///< source, target, delay, weight
  std::size_t tables;                                                   ///< of this rank
  bool operator==(const Result& o) const { return spikes == o.spikes && offsets == o.offsets && connections == o.connections; }
};

/// Connections of one round: of another size and other nodes each time, with equal ones among them.
ConnectCall some(const Kind& kind, int round) {
  ConnectCall c = call(nodes(1 + round % 7, 30), nodes(1 + 3 * round % 11, 29 - round % 5), "fixed_indegree", 25.0, 1.5);
  c.rule_params = {{"indegree", 1 + round % 3}};
  c.synapse = kind.model;
  c.synapse_params = kind.parameters;
  c.delay = clipped_normal(2.0, 1.0, 0.5, 5.0);
  c.double_weights = round % 2 == 0;  // tables with all kinds of weights
  if (round % 3) c.weight = clipped_normal(20.0, 10.0, 1.0, 80.0);
  return c;
}

/// Connections chosen by what they are, wherever they are.
ConnectionEdits every_seventh(const Network& net, bool remove) {
  const ConnectionColumns c = net.connections(nullptr, nullptr, "");
  ConnectionEdits e;
  for (std::size_t k = 0; k < c.source.size(); ++k)
    if ((c.source[k] + 3 * c.target[k]) % 7 == 0)
      e.slice.push_back(c.slice[k]), e.table.push_back(c.table[k]), e.position.push_back(c.position[k]);
  e.remove = remove, e.sent_before = net.step();
  return e;
}

Result in_rounds(const Kind& kind, Settings settings, bool merged) {
  settings.seed = 11;
  Network net(std::move(settings));
  std::vector<double> currents;
  for (int k = 0; k < n; ++k) currents.push_back(400.0 + 25.0 * k);  // nobody spikes in step with others
  net.create(kind.off_grid ? "iaf_psc_exp_ps" : "iaf_psc_exp", n, {{"I_e", currents}});
  const int record = net.record_spikes(nodes(1, n), 0, 1 << 30);
  for (int round = 0; round < rounds; ++round) {
    ConnectCall c = some(kind, round);
    if (!merged) c.label = round;
    net.connect(c);
    net.run(37 + round % 4, nullptr);
    if (round % 8 == 7) net.edit(every_seventh(net, true));
  }
  net.run(300, nullptr);
  Emitted e = net.emitted(record);
  const ConnectionColumns c = net.connections(nullptr, nullptr, "");
  Result r{e.spikes, {}, {}, net.table_hashes().size()};
  for (std::size_t i = 0; i < e.spikes.size(); ++i) r.offsets.push_back(e.offset(i));
  for (std::size_t k = 0; k < c.source.size(); ++k) r.connections.emplace_back(c.source[k], c.target[k], c.delay[k], c.weight[k]);
  std::sort(r.connections.begin(), r.connections.end());
  return r;
}

Settings of(int threads, int slices) {
  Settings s;
  s.threads = threads, s.slices = slices;
  return s;
}

class Rounds : public testing::TestWithParam<Kind> {};
class RoundsApart : public testing::TestWithParam<Kind> {};  // but for rules that draw: their random numbers are keyed by the table

TEST_P(Rounds, AreTheSameOnAnySlicesAndRanks) {
  const Result expected = in_rounds(GetParam(), of(1, 1), true);
  EXPECT_GT(expected.spikes.size(), 100u);
  EXPECT_GT(expected.connections.size(), 500u);
  for (const auto& [threads, slices] : {std::pair{2, 3}, std::pair{3, 7}})
    EXPECT_TRUE(in_rounds(GetParam(), of(threads, slices), true) == expected) << slices;
  for (const auto layout : {tables::Layout::runs, tables::Layout::words}) {
    Settings s = of(1, 2);
    s.layout = layout, s.sorted = layout == tables::Layout::words;
    EXPECT_TRUE(in_rounds(GetParam(), s, true) == expected) << static_cast<int>(layout);
  }
  for (const bool sorted : {false, true})
    expect_no_errors(on_ranks(2, [&](auto comm) {
      Settings s = of(sorted ? 1 : 2, 3);
      s.comm = std::move(comm), s.sorted = sorted;
      EXPECT_TRUE(in_rounds(GetParam(), s, true) == expected) << sorted;
    }));
}

TEST_P(RoundsApart, AreAsIfTablesWereNeverMerged) {
  const Result merged = in_rounds(GetParam(), of(1, 1), true), apart = in_rounds(GetParam(), of(1, 1), false);
  EXPECT_LE(merged.tables, 3u);
  EXPECT_EQ(apart.tables, static_cast<std::size_t>(rounds));
  EXPECT_EQ(merged.spikes, apart.spikes);
  EXPECT_EQ(merged.offsets, apart.offsets);
  EXPECT_EQ(merged.connections, apart.connections);
}

const std::vector<Kind> kinds{{"static", "static_synapse"},
                              {"stdp", "stdp_synapse"},
                              {"triplet", "stdp_triplet_synapse"},
                              {"tsodyks2", "tsodyks2_synapse"},
                              {"off_grid", "static_synapse", {}, true},
                              {"off_grid_delays", "cont_delay_synapse", {{"sub_step_delay", 0.03}}, true}};
const std::vector<Kind> drawing{{"quantal", "quantal_stp_synapse", {{"n", 4}, {"a", 4}, {"tau_rec", 20.0}}},
                                {"bernoulli", "bernoulli_synapse", {{"p_transmit", 0.6}}}};
const auto name_of = [](const auto& info) { return std::string(info.param.name); };

INSTANTIATE_TEST_SUITE_P(All, Rounds, testing::ValuesIn(kinds), name_of);
INSTANTIATE_TEST_SUITE_P(Drawing, Rounds, testing::ValuesIn(drawing), name_of);
INSTANTIATE_TEST_SUITE_P(All, RoundsApart, testing::ValuesIn(kinds), name_of);

/// Tables that get weights per synapse one after the other become one in the next build; what was recorded of them is not lost.
TEST(Rounds, RecordedWeightsSurviveTablesThatBecomeOne) {
  std::vector<SentWeights> sent;
  for (const bool doubles : {true, false}) {
    Network net(of(1, 2));
    net.create("iaf_psc_exp", 20, {{"I_e", {420.0}}});
    ConnectCall some = call(nodes(1, 20), nodes(1, 20), "one_to_one", 25.0, 1.2);
    some.recorder = net.record_weights(nullptr, nullptr);
    some.double_weights = doubles;
    for (int round = 0; round < 4; ++round) {
      net.connect(some);
      net.run(300, nullptr);
      const ConnectionColumns c = net.connections(nullptr, nullptr, "");
      Handles all = c;
      std::vector<double> weights(c.weight.begin(), c.weight.end());
      for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += 0.5;
      net.edit(weights_of(all, weights));
    }
    net.connect(some);
    net.run(300, nullptr);
    sent.push_back(net.sent_weights(some.recorder));
  }
  EXPECT_GT(sent[0].stamp.size(), 100u);
  EXPECT_EQ(sent[0].stamp, sent[1].stamp);
  EXPECT_EQ(sent[0].source, sent[1].source);
  std::multiset<double> weights[2];
  for (int k : {0, 1}) weights[k] = {sent[static_cast<std::size_t>(k)].weight.begin(), sent[static_cast<std::size_t>(k)].weight.end()};
  EXPECT_EQ(weights[0], weights[1]);
}

}  // namespace
}  // namespace npl::sim::test_rounds
