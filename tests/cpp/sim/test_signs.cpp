// SPDX-License-Identifier: Apache-2.0
// The sign of weight times factor selects the excitatory or the inhibitory receptor, for all kinds of sources.
#include <gtest/gtest.h>

#include "small.hpp"

namespace npl::sim::test_signs {
namespace {

struct Traces {
  std::vector<double> excitatory, inhibitory;
};

/// Conductances of one iaf_cond_exp that gets each factor times each weight, in steps 10, 20, ...
Traces weighted(const std::vector<double>& weights, const std::vector<double>& factors, int threads) {
  Network net({0.1, 1, threads, 0});
  const Gid neuron = net.create("iaf_cond_exp", 1, {{"V_th", {1e9}}});
  const Gid device = net.create("weighted_spike_generator", 1, {});
  std::vector<double> times;
  for (std::size_t k = 0; k < factors.size(); ++k) times.push_back(1.0 + static_cast<double>(k));
  net.set({device}, {}, {{"spike_times", times}, {"spike_weights", factors}});
  for (const double w : weights) net.connect(call(nodes(device, 1), nodes(neuron, 1), "all_to_all", w, 1.0));
  const int trace = net.record_state({neuron}, {"g_ex", "g_in"}, {1, 0});
  net.run(100, nullptr);
  const auto values = net.samples(trace).values;
  Traces t;
  for (std::size_t k = 0; k + 1 < values.size(); k += 2) t.excitatory.push_back(values[k]), t.inhibitory.push_back(values[k + 1]);
  return t;
}

/// What a conductance with time constant tau [ms] is after each step when `jumps` arrive at 2, 3, ... ms.
std::vector<double> expected(const std::vector<double>& jumps, double tau, std::size_t n) {
  std::vector<double> g(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < jumps.size(); ++k) {
      const double since = 0.1 * static_cast<double>(i + 1) - 2.0 - static_cast<double>(k);
      if (since > -1e-9) g[i] += jumps[k] * std::exp(-since / tau);
    }
  return g;
}

TEST(Signs, OfWeightTimesFactorChoosesTheReceptor) {
  const std::vector<double> factors{-10.0, 2.0, -0.5, 0.0, 3.0};
  for (const std::vector<double>& weights : {std::vector{1.0}, std::vector{-2.0}, std::vector{1.5, -4.0}})
    for (int threads : {1, 2}) {
      const Traces got = weighted(weights, factors, threads);
      std::vector<double> ex(factors.size()), in(factors.size());
      for (std::size_t k = 0; k < factors.size(); ++k)
        for (const double w : weights) (w * factors[k] < 0 ? in[k] : ex[k]) += std::abs(w * factors[k]);
      ASSERT_EQ(got.excitatory.size(), 100u);
      const auto g_ex = expected(ex, 0.2, 100), g_in = expected(in, 2.0, 100);
      for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_NEAR(got.excitatory[i], g_ex[i], 1e-3) << i;
        EXPECT_NEAR(got.inhibitory[i], g_in[i], 1e-3) << i;
        EXPECT_GE(got.excitatory[i], 0.0);
        EXPECT_GE(got.inhibitory[i], 0.0);
      }
    }
}

TEST(Signs, ScalesOfBothReceptorsHoldTheLargestProduct) {
  const Traces got = weighted({1e6}, {-3.0}, 1);
  EXPECT_NEAR(*std::max_element(got.inhibitory.begin(), got.inhibitory.end()), 3e6, 1.0);
  EXPECT_EQ(*std::max_element(got.excitatory.begin(), got.excitatory.end()), 0.0);
}

TEST(Signs, FactorsThatAreRefusedChangeNothing) {
  Network net({0.1, 1, 1, 0});
  const Gid neuron = net.create("iaf_psc_exp", 1, {});
  const Gid device = net.create("weighted_spike_generator", 2, {});
  net.set({device, device + 1}, {}, {{"spike_times", {1.0}}, {"spike_weights", {2.0}}});
  net.connect(call(nodes(device + 1, 1), nodes(neuron, 1), "all_to_all", 1.0, 1.0));
  const Values late{{"start", {5.0}}}, large{{"spike_times", {1.0}}, {"spike_weights", {1e200}}};
  EXPECT_THROW(net.set({device, device + 1}, late, large), BadParameter);
  EXPECT_THROW(net.set({device, neuron}, late, large), UnknownName);
  for (const Gid d : {device, device + 1}) {
    EXPECT_EQ(net.get_vector(d, "spike_weights"), std::vector<double>{2.0});
    EXPECT_EQ(net.get({d}, "start"), std::vector<double>{0.0});
  }
  net.set({device}, late, large);  // it is not connected
  EXPECT_EQ(net.get_vector(device, "spike_weights"), std::vector<double>{1e200});
}

TEST(Signs, WeightsThatAreSetAgainKeepTheRule) {
  Network net({0.1, 1, 1, 0});
  const Gid neuron = net.create("iaf_psc_exp", 1, {});
  const Gid device = net.create("weighted_spike_generator", 1, {});
  net.set({device}, {}, {{"spike_times", {1.0, 5.0}}, {"spike_weights", {-10.0, -10.0}}});
  const auto number = net.connect(call(nodes(device, 1), nodes(neuron, 1), "all_to_all", 1.0, 1.0));
  const int trace = net.record_state({neuron}, {"I_syn_ex", "I_syn_in"}, {1, 0});
  net.run(30, nullptr);
  net.relink(number, constant(-1.0), constant(1.0));
  net.run(50, nullptr);
  const auto values = net.samples(trace).values;
  EXPECT_EQ(values[2 * 19 + 1], -10.0);
  EXPECT_EQ(values[2 * 19], 0.0);
  EXPECT_EQ(values[2 * 59], 10.0);
  EXPECT_NEAR(values[2 * 59 + 1], -10.0 * std::exp(-2.0), 1e-9);
}

}  // namespace
}  // namespace npl::sim::test_signs
