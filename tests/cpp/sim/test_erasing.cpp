// SPDX-License-Identifier: Apache-2.0
// disconnect(): against networks that never had the connections, and on other slices.
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
struct Third : Handles {
  explicit Third(const ConnectionColumns& c) {
    for (std::size_t k = 0; k < c.source.size(); k += 3) slice.push_back(c.slice[k]), table.push_back(c.table[k]), position.push_back(c.position[k]);
  }
};

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
  const Third third(net.connections(nullptr, nullptr, ""));
  net.disconnect(third, 0);
  const ConnectionColumns left = net.connections(nullptr, nullptr, "");
  EXPECT_EQ(left.source.size(), 600u);
  EXPECT_EQ(net.connection_count(), 600u);
  ConnectCall listed = call(nodes(1, 30), nodes(1, 30), "explicit", 25.0, 1.2);
  for (std::size_t k = 0; k < left.source.size(); ++k) listed.rule_params.sources.push_back(left.source[k] - 1), listed.rule_params.targets.push_back(left.target[k] - 1);
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
    const Third third(small.net.connections(nullptr, nullptr, ""));
    const RemovedState removed = small.net.disconnect(third, 320);
    weights.push_back(removed.weight);
    small.net.run(500, {});
    found.push_back(small.net.spikes(small.spikes));
    weights.push_back(small.net.connections(nullptr, nullptr, "").weight);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(weights[0], weights[2]);
  EXPECT_EQ(weights[1], weights[3]);
}

TEST(Disconnect, RefusesRepeatsAndWhatIsNotThere) {
  Small small(of(1, 1));
  small.net.run(10, {});
  Third third(small.net.connections(nullptr, nullptr, ""));
  const std::uint64_t before = small.net.connection_count();
  third.position.push_back(third.position[0]), third.slice.push_back(third.slice[0]), third.table.push_back(third.table[0]);
  EXPECT_THROW(small.net.disconnect(third, 0), BadParameter);
  third.position.back() = 1 << 30;
  EXPECT_THROW(small.net.disconnect(third, 0), BadParameter);
  EXPECT_EQ(small.net.connection_count(), before);
}

}  // namespace
}  // namespace npl::sim
