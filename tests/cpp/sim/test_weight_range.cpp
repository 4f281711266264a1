// SPDX-License-Identifier: Apache-2.0
// Weights of very different sizes on one receptor, bounds of plastic weights, and growth: never a silently lost input.
#include <gtest/gtest.h>

#include "base/run_error.hpp"
#include "small.hpp"

namespace npl::sim::test_weight_range {
namespace {

Settings settings(int threads = 1, int slices = 1) {
  Settings s;
  s.threads = threads, s.slices = slices;
  return s;
}

ConnectCall plastic(double weight, std::vector<std::pair<std::string, double>> parameters, const char* model = "stdp_synapse") {
  ConnectCall c = call(nodes(1, 5), nodes(6, 5), "all_to_all", weight, 1.0);
  c.synapse = model;
  c.synapse_params = std::move(parameters);
  return c;
}

/// V_m of a neuron that gets spikes over ordinary synapses, beside plastic ones with some bound whose sources are silent.
std::vector<double> trace(double bound) {
  Network net(settings());
  net.create("iaf_psc_exp", 5, {{"I_e", {0.0}}});
  net.create("iaf_psc_exp", 5, {{"I_e", {800.0}}});
  net.create("iaf_psc_exp", 1, {});
  ConnectCall ordinary = call(nodes(6, 5), nodes(11, 1), "all_to_all", 50.0, 1.0);
  net.connect(ordinary);
  ConnectCall c = call(nodes(1, 5), nodes(11, 1), "all_to_all", 20.0, 1.0);
  c.synapse = "stdp_synapse", c.synapse_params = {{"Wmax", bound}};
  net.connect(c);
  const int r = net.record_state({11}, {"V_m"}, {1, 0});
  net.run(500, {});
  return net.samples(r).values;
}

TEST(WeightRange, ABoundThatNobodyReachesTakesNoInput) {
  const auto bounded = trace(100.0), unbounded = trace(1e15);
  double most = 0.0;
  for (std::size_t k = 0; k < bounded.size(); ++k) {
    EXPECT_NEAR(bounded[k], unbounded[k], 1e-9);
    most = std::max(most, bounded[k] + 70.0);
  }
  EXPECT_GT(most, 0.1);  // there was input
}

TEST(WeightRange, WeightsThatDoNotFitOneScaleAreRefusedInEitherOrder) {
  const auto made = [] {
    auto net = std::make_unique<Network>(settings());
    net->create("iaf_psc_exp", 10, {});
    net->create("poisson_generator", 1, {{"rate", {100.0}}});
    return net;
  };
  for (const auto& [first, second] : {std::pair{1.0, 1e15}, std::pair{1e15, 1.0}}) {
    auto net = made();
    net->connect(call(nodes(1, 5), nodes(6, 5), "all_to_all", first, 1.0));
    EXPECT_THROW(net->connect(call(nodes(1, 5), nodes(6, 5), "all_to_all", second, 1.0)), BadParameter);
    EXPECT_THROW(net->connect(call(nodes(11, 1), nodes(6, 5), "all_to_all", second, 1.0)), BadParameter);
    net->connect(call(nodes(1, 5), nodes(6, 5), "all_to_all", first * 1e6, 1.0));  // far, but heard
    EXPECT_EQ(net->connection_count(), 50u);
    net->build({});
    const ConnectionColumns c = net->connections(nullptr, nullptr, "");
    if (first == 1.0) {
      EXPECT_THROW(net->edit(weights_of(c, {1e15})), BadParameter);
    }
    net->run(10, {});
  }
}

TEST(WeightRange, PlasticWeightsBeyondTheirBoundsAreRefused) {
  using Parameters = std::vector<std::pair<std::string, double>>;
  struct Case {
    const char* model;
    Parameters parameters;
    std::vector<double> good, bad;
  };
  const std::vector<Case> cases{{"stdp_synapse", {{"Wmax", 10.0}}, {0.0, 3.0, 10.0}, {-5.0, 20.0, 10.001}},
                                {"stdp_synapse", {{"Wmax", -10.0}}, {0.0, -3.0, -10.0}, {5.0, -20.0}},
                                {"stdp_nn_symm_synapse", {{"Wmax", 10.0}}, {5.0}, {-5.0, 20.0}},
                                {"stdp_nn_restr_synapse", {{"Wmax", 10.0}}, {5.0}, {-5.0, 20.0}},
                                {"stdp_nn_pre_centered_synapse", {{"Wmax", 10.0}}, {5.0}, {-5.0, 20.0}},
                                {"stdp_triplet_synapse", {{"Wmax", 10.0}}, {5.0}, {-5.0, 20.0}},
                                {"vogels_sprekeler_synapse", {{"Wmax", -10.0}}, {-5.0}, {5.0, -20.0}},
                                {"jonke_synapse", {{"Wmax", 10.0}}, {5.0}, {-5.0, 20.0}}};
  for (const Case& c : cases) {
    Network net(settings());
    net.create("iaf_psc_exp", 10, {});
    for (const double w : c.bad) EXPECT_THROW(net.connect(plastic(w, c.parameters, c.model)), BadParameter) << c.model << w;
    for (const double w : c.good) EXPECT_NO_THROW(net.connect(plastic(w, c.parameters, c.model))) << c.model << w;
    net.build({});
    const ConnectionColumns all = net.connections(nullptr, nullptr, "");
    ConnectionEdits e;
    static_cast<Handles&>(e) = all;
    for (const double w : c.bad) {
      e.weight = {w};
      EXPECT_THROW(net.edit(e), BadParameter) << c.model << w;
    }
    EXPECT_EQ(net.get_weights(all), all.weight);
    for (const double w : c.good) EXPECT_NO_THROW(net.edit(weights_of(all, {w}))) << c.model << w;
  }
}

TEST(WeightRange, ABoundBelowTheWeightsIsRefused) {
  Network net(settings());
  net.create("iaf_psc_exp", 10, {});
  net.connect(plastic(8.0, {{"Wmax", 10.0}}));
  net.build({});
  ConnectionEdits e;
  static_cast<Handles&>(e) = net.connections(nullptr, nullptr, "");
  e.parameters = {{"Wmax", {5.0}}};
  EXPECT_THROW(net.edit(e), BadParameter);
  e.weight = {4.0};
  EXPECT_NO_THROW(net.edit(e));
}

/// As in NEST: too large weights are taken and cut, those of the wrong sign are not.
TEST(WeightRange, NotStrict) {
  Settings s = settings();
  s.strict_weights = false;
  Network net(s);
  net.create("iaf_psc_exp", 10, {});
  EXPECT_NO_THROW(net.connect(plastic(20.0, {{"Wmax", 10.0}})));
  EXPECT_THROW(net.connect(plastic(-5.0, {{"Wmax", 10.0}})), BadParameter);
}

/// A rule whose steps are of the size of its huge bound: the weight grows by 10^12 at its first pair of spikes.
TEST(WeightRange, GrowthOutOfAllProportionEndsTheRunAndNamesTheConnection) {
  for (const auto& s : {settings(), settings(2, 3)}) {
    Network net(s);
    net.create("iaf_psc_exp", 1, {{"I_e", {700.0}}});
    net.create("iaf_psc_exp", 1, {{"I_e", {650.0}}});
    ConnectCall c = call(nodes(1, 1), nodes(2, 1), "all_to_all", 10.0, 1.0);
    c.synapse = "stdp_synapse", c.synapse_params = {{"Wmax", 1e15}, {"lambda", 1e-3}};
    net.connect(c);
    try {
      net.run(20000, {});
      FAIL() << "weight " << net.connections(nullptr, nullptr, "").weight[0];
    } catch (const WeightOutgrown& e) {
      EXPECT_EQ(e.synapse, "stdp_synapse");
      EXPECT_EQ(e.source, 1);
      EXPECT_EQ(e.target, 2);
      EXPECT_GT(e.weight, 1e9);
      EXPECT_GT(e.time, 0.0);
    }
    EXPECT_THROW(net.run(10, {}), WeightOutgrown);
  }
}

}  // namespace
}  // namespace npl::sim::test_weight_range
