// SPDX-License-Identifier: Apache-2.0
// gather = false: the parts of all ranks together are the whole, each rank returns only its own part, and reading is not collective.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "areas.hpp"

namespace npl::sim::test_recorders {
namespace {

/// Something of every recorder, run for a while.
struct Recorded {
  Small small;
  int weights;
  explicit Recorded(Settings settings) : small(std::move(settings)) {
    weights = small.net.record_weights(nullptr, nullptr);
    ConnectCall noted = call(nodes(small.first, 60), nodes(small.first, 60), "fixed_indegree", 20.0, 0.5);
    noted.rule_params = {{"indegree", 3}};
    noted.recorder = weights;
    small.net.connect(noted);
    small.net.run(160, nullptr);
  }
};

Settings on(std::shared_ptr<comm::Communicator> comm) {
  Settings s{0.1, 7, 2, 0};
  s.comm = std::move(comm);
  return s;
}

TEST(OwnPart, OfSpikesIsThoseOfTheRanksNodes) {
  expect_no_errors(on_ranks(3, [](auto comm) {
    Recorded r(on(comm));
    const Network& net = r.small.net;
    std::vector<Spike> mine;
    const auto whole = net.spikes(r.small.spikes);
    std::copy_if(whole.begin(), whole.end(), std::back_inserter(mine), [&](const Spike& s) { return net.rank_of(s.gid) == net.rank(); });
    EXPECT_EQ(net.spikes(r.small.spikes, false), mine);
    EXPECT_GT(mine.size(), 10u);
    EXPECT_LT(mine.size(), whole.size());
  }));
}

TEST(OwnPart, OfSamplesHasTheColumnsOfTheRanksNodes) {
  std::mutex lock;
  std::vector<std::int64_t> columns;
  expect_no_errors(on_ranks(3, [&](auto comm) {
    Recorded r(on(comm));
    const Network& net = r.small.net;
    const std::vector<Gid> gids{r.small.first, r.small.first + 59, r.small.first + 7};
    const Samples whole = net.samples(r.small.trace), own = net.samples(r.small.trace, false);
    EXPECT_EQ(own.stamps, whole.stamps);
    EXPECT_EQ(whole.nodes, (std::vector<std::int64_t>{0, 1, 2}));
    ASSERT_EQ(own.values.size(), own.stamps.size() * own.nodes.size() * 2);
    for (std::size_t i = 0; i < own.nodes.size(); ++i) {
      const auto node = static_cast<std::size_t>(own.nodes[i]);
      EXPECT_EQ(net.rank_of(gids[node]), net.rank());
      for (std::size_t t = 0; t < own.stamps.size(); ++t)
        for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(own.values[(t * own.nodes.size() + i) * 2 + k], whole.values[(t * 3 + node) * 2 + k]);
    }
    const std::lock_guard guard(lock);
    columns.insert(columns.end(), own.nodes.begin(), own.nodes.end());
  }));
  std::sort(columns.begin(), columns.end());
  EXPECT_EQ(columns, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(OwnPart, OfConnectionsAndSentWeightsIsWhatEndsOnTheRanksNodes) {
  expect_no_errors(on_ranks(3, [](auto comm) {
    Recorded r(on(comm));
    const Network& net = r.small.net;
    const auto check = [&](const auto& whole, const auto& own) {
      std::size_t k = 0;
      for (std::size_t i = 0; i < whole.source.size(); ++i) {
        if (net.rank_of(whole.target[i]) != net.rank()) continue;
        ASSERT_LT(k, own.source.size());
        EXPECT_EQ(
            std::tie(own.source[k], own.target[k], own.weight[k], own.delay[k], own.slice[k], own.table[k], own.position[k]),
            std::tie(whole.source[i], whole.target[i], whole.weight[i], whole.delay[i], whole.slice[i], whole.table[i], whole.position[i]));
        ++k;
      }
      EXPECT_EQ(k, own.source.size());
      EXPECT_GT(k, 20u);
    };
    const ConnectionColumns own = net.connections(nullptr, nullptr, "", false);
    check(net.connections(nullptr, nullptr, ""), own);
    check(net.sent_weights(r.weights), net.sent_weights(r.weights, false));
    EXPECT_EQ(net.get_weights(own, false), own.weight);
  }));
}

/// Only one rank reads. Were it collective, the others would be in another call: RankError.
TEST(OwnPart, IsReadByOneRankAlone) {
  expect_no_errors(on_ranks(3, [](auto comm) {
    Recorded r(on(comm));
    Network& net = r.small.net;
    if (net.rank() == 1) {
      net.spikes(r.small.spikes, false), net.samples(r.small.trace, false), net.sent_weights(r.weights, false);
      const auto alone = net.connections(nullptr, nullptr, "stdp_synapse", false);
      net.get_weights(alone, false), net.get_state("Kplus", alone, false);
      EXPECT_THROW(net.spikes(9, false), BadParameter);
      EXPECT_THROW(net.samples(-1, false), BadParameter);
      EXPECT_THROW(net.sent_weights(9, false), BadParameter);
      EXPECT_THROW(net.connections(nullptr, nullptr, "nope", false), UnknownName);
    }
    EXPECT_EQ(net.run(10, nullptr), 10);
  }));
}

}  // namespace
}  // namespace npl::sim::test_recorders
