// SPDX-License-Identifier: Apache-2.0
// Delays that get shorter while spikes are on their way: no spike is lost, and none arrives in a step that is done.
#include <gtest/gtest.h>

#include "small.hpp"

namespace npl::sim::test_shorter_delays {
namespace {

/// The connections from a node.
ConnectionEdits from(const Network& net, Gid source) {
  const ConnectionColumns c = net.connections(nullptr, nullptr, "");
  ConnectionEdits e;
  for (std::size_t k = 0; k < c.source.size(); ++k)
    if (c.source[k] == source) e.slice.push_back(c.slice[k]), e.table.push_back(c.table[k]), e.position.push_back(c.position[k]);
  return e;
}

/// A relay spikes in step 19; its connections of 50 steps get other delays at step 40: one that it could still use, one that it could not.
TEST(ShorterDelays, WhatWouldHaveArrivedArrivesAsItWasSent) {
  for (const char* model : {"parrot_neuron", "parrot_neuron_ps"})
    for (const char* synapse : {"static_synapse", "cont_delay_synapse"}) {
      Network net(Settings{});
      const Gid given = net.create("spike_generator", 1, {});
      net.set({given}, {}, {{"spike_times", {1.0}}});
      const Gid relay = net.create(model, 1, {}), late = net.create(model, 1, {}), soon = net.create(model, 1, {}),
                edge = net.create(model, 1, {});
      net.connect(call(nodes(given, 1), nodes(relay, 1), "one_to_one", 1.0, 1.0));
      ConnectCall on = call(nodes(relay, 1), nodes(late, 3), "all_to_all", 1.0, 5.0);
      on.synapse = synapse;
      net.connect(on);
      const int record = net.record_spikes(nodes(relay, 4), 0, 1 << 30);
      net.run(40, nullptr);
      ConnectionEdits e = from(net, relay);
      ASSERT_EQ(e.delay.size() + e.slice.size(), 3u);
      e.delay = {10, 25, 21};  // of late, soon, edge: due in steps 29, 44, 40
      net.edit(e);
      net.run(200, nullptr);
      std::map<Gid, std::vector<Step>> steps;
      for (const Spike& s : net.spikes(record)) steps[s.gid].push_back(s.step);
      EXPECT_EQ(steps[relay], std::vector<Step>{19});
      EXPECT_EQ(steps[late], std::vector<Step>{69}) << model << synapse;
      EXPECT_EQ(steps[soon], std::vector<Step>{44}) << model << synapse;
      EXPECT_EQ(steps[edge], std::vector<Step>{40}) << model << synapse;
    }
}

TEST(ShorterDelays, DoNotDependOnSlices) {
  for (const char* synapse : {"static_synapse", "stdp_synapse", "stdp_triplet_synapse"}) {
    std::vector<std::vector<Spike>> found;
    std::vector<std::vector<double>> weights;
    for (const int slices : {1, 5}) {
      Settings settings;
      settings.threads = slices > 1 ? 2 : 1, settings.slices = slices;
      Network net(settings);
      std::vector<double> currents;
      for (int k = 0; k < 30; ++k) currents.push_back(400.0 + 25.0 * k);
      net.create("iaf_psc_exp", 30, {{"I_e", currents}});
      const int record = net.record_spikes(nodes(1, 30), 0, 1 << 30);
      ConnectCall all = call(nodes(1, 30), nodes(1, 30), "all_to_all", 25.0, 8.0);
      all.synapse = synapse;
      net.connect(all);
      for (const std::int64_t shorter : {0, 40, 80}) {
        net.run(333, nullptr);
        const ConnectionColumns c = net.connections(nullptr, nullptr, "");
        ConnectionEdits e;
        static_cast<Handles&>(e) = c;
        for (std::size_t k = 0; k < c.source.size(); ++k) e.delay.push_back(1 + (c.source[k] * 7 + c.target[k] * 3 + shorter) % 80);
        net.edit(e);
      }
      net.run(600, nullptr);
      found.push_back(net.spikes(record));
      weights.push_back(net.connections(nullptr, nullptr, "").weight);
    }
    EXPECT_GT(found[0].size(), 100u);
    EXPECT_EQ(found[0], found[1]) << synapse;
    EXPECT_EQ(weights[0], weights[1]) << synapse;
  }
}

}  // namespace
}  // namespace npl::sim::test_shorter_delays
