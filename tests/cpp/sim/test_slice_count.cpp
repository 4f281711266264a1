// SPDX-License-Identifier: Apache-2.0
// Networks with little to do in a step have few slices; more with more neurons, costlier models, synapses and targets of devices.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/network.hpp"
#include "sim/slice_count.hpp"
#include "small.hpp"

namespace npl::sim::test_slice_count {
namespace {

TEST(SliceCount, GrowsWithTheWork) {
  int before = 1;
  for (double work = 0; work < 1e5; work += 64) {
    const int n = enough_slices({work}, 48);
    EXPECT_GE(n, before);
    EXPECT_LE(n, 48);
    EXPECT_TRUE(n == 1 || work / n >= 256) << work;
    before = n;
  }
  EXPECT_EQ(before, 48);
  EXPECT_EQ(enough_slices({1e300}, 7), 7);
  EXPECT_EQ(enough_slices({1e300}, 1), 1);
}

TEST(SliceCount, LessWorkWillDoWhereSlicesSeldomWait) {
  const auto least = [](double interval) {
    double work = 0;
    while (enough_slices({work, 0, interval}, 2) == 1) ++work;
    return work;
  };
  EXPECT_EQ(std::ceil(least(1)), 3071);
  EXPECT_LT(least(3), 0.6 * least(1));
  EXPECT_LT(least(15), 0.4 * least(1));
  EXPECT_GE(least(1e9), 512);
}

TEST(SliceCount, DevicesWithTargetsInAllSlicesAreNotDivided) {
  const Work few = work_of_devices(10, 1000), many = work_of_devices(100, 1000);
  EXPECT_EQ(few.shared, many.shared);
  EXPECT_GT(many.repeated, few.repeated);
  EXPECT_EQ(work_of_devices(1000, 1000).repeated, 0) << "one target each";
  EXPECT_EQ(enough_slices({4000, few.repeated}, 2), 2);
  EXPECT_EQ(enough_slices({4000, many.repeated}, 2), 1);
}

TEST(SliceCount, AModelWithASolverIsMoreWork) {
  const double linear = work_of(&nodes::find_model("iaf_psc_exp"), 100), solver = work_of(&nodes::find_model("hh_psc_alpha"), 100);
  EXPECT_EQ(linear, 100);
  EXPECT_GT(solver, 10 * linear);
}

TEST(SliceCount, OfANetworkThatIsDescribed) {
  Network net(Settings{.threads = 4, .few_slices = true});
  EXPECT_EQ(net.n_slices(), 1);
  for (int k = 0; k < 100; ++k) net.create("iaf_psc_exp", 10, {});
  EXPECT_EQ(net.n_slices(), 1);
  const Gid first = net.create("iaf_psc_exp", 4000, {});
  EXPECT_EQ(net.n_slices(), 4);
  net.undo_create(first);
  EXPECT_EQ(net.n_slices(), 4) << "nodes do not move for fewer slices";
}

TEST(SliceCount, SynapsesThatActInEachStepAreMoreWork) {
  const auto slices = [](const char* model, const char* synapse, double delay) {
    Network net(Settings{.threads = 4, .few_slices = true});
    net.create(model, 200, {});
    ConnectCall made = call(nodes(1, 200), nodes(1, 200), "all_to_all", 0.1, delay);
    made.synapse = synapse;
    net.connect(made);
    net.build({});
    return net.n_slices();
  };
  EXPECT_EQ(slices("iaf_psc_exp", "static_synapse", 1.0), 1);
  EXPECT_EQ(slices("tanh_rate_ipn", "rate_connection_delayed", 1.0), 4);
  EXPECT_EQ(slices("eprop_iaf", "eprop_synapse", 1.0), 4);
}

}  // namespace
}  // namespace npl::sim::test_slice_count
