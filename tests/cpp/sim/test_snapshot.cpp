// SPDX-License-Identifier: Apache-2.0
// Snapshots refer to the network: they are refused once it has changed. Synapses that draw are told apart, or refused.
#include <gtest/gtest.h>

#include "areas.hpp"

namespace npl::sim::test_snapshot {
namespace {

/// All values of a snapshot, as bytes.
std::vector<std::byte> read(const Snapshot& snapshot) {
  std::vector<std::byte> all;
  for (const auto* part : {&snapshot.common, &snapshot.shard})
    for (const std::string& path : part->paths()) {
      const auto& column = part->of(path);
      std::vector<std::byte> values(column.size * column.item);
      part->read(path, 0, column.size, values.data());
      all.insert(all.end(), values.begin(), values.end());
    }
  return all;
}

TEST(Snapshot, IsRefusedAfterAChangeAndNotBefore) {
  const std::function<void(Small&)> changes[] = {
      [](Small& s) {
        const ConnectionColumns all = s.net.connections(nullptr, nullptr, "");
        ConnectionEdits e;
        static_cast<Handles&>(e) = all;
        e.remove = true;
        s.net.edit(e);
      },
      [](Small& s) { s.net.run(1, nullptr); },
      [](Small& s) { s.net.set({s.first}, {{"tau_m", {11.0}}}); },
      [](Small& s) { s.net.create("iaf_psc_exp", 3, {}); },
      [](Small& s) { s.net.connect(call(nodes(s.first, 3), nodes(s.first, 3), "all_to_all", 1.0, 1.0)); },
      [](Small& s) { s.net.clear_spikes(s.spikes); },
      [](Small& s) { s.net.edit(weights_of(s.net.connections(nullptr, nullptr, "stdp_synapse"), {3.0})); },
  };
  for (const auto& change : changes) {
    Small s({0.1, 7, 2, 0});
    s.net.run(60, nullptr);
    const auto taken = s.net.snapshot({}, true);
    s.net.get({s.first}, "V_m"), s.net.spikes(s.spikes), s.net.connections(nullptr, nullptr, "");
    const auto before = read(*taken);
    EXPECT_EQ(read(*taken), before);
    change(s);
    EXPECT_THROW(read(*taken), IllegalConnection);
    EXPECT_FALSE(read(*s.net.snapshot({}, true)).empty());
    EXPECT_THROW(read(*taken), IllegalConnection);
  }
}

ConnectCall equal_synapses(std::int64_t n) {
  ConnectCall c = call(nodes(1, 1), nodes(2, 1), "explicit", 1.0, 1.0);
  c.synapse = "bernoulli_synapse", c.synapse_params = {{"p_transmit", 0.5}};
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(n));
  c.rule_params = connect::listing(zeros, zeros);
  return c;
}

std::string error_of_build(Network& net) {
  try {
    net.build(nullptr);
  } catch (const BadParameter& e) {
    return e.what();
  }
  return "";
}

TEST(EqualSynapses, ThatDrawRandomNumbersAreRefusedBeyondWhatTheirNumbersTellApart) {
  const std::string refused = "synapses of bernoulli_synapse with the same source, target and delay = 65537: must be at most 65536";
  Network at_once({0.1, 7, 1, 0});
  at_once.create("iaf_psc_exp", 2, {});
  at_once.connect(equal_synapses(65537));
  EXPECT_TRUE(error_of_build(at_once).starts_with(refused)) << error_of_build(at_once);
  Network later({0.1, 7, 1, 0});
  later.create("iaf_psc_exp", 2, {});
  later.connect(equal_synapses(65536));
  EXPECT_EQ(error_of_build(later), "");
  later.connect(equal_synapses(1));
  EXPECT_TRUE(error_of_build(later).starts_with(refused)) << error_of_build(later);
}

}  // namespace
}  // namespace npl::sim::test_snapshot
