// SPDX-License-Identifier: Apache-2.0
// A network gives the same bits whether or not the processor takes subnormal numbers for zero (law 1).
#include <gtest/gtest.h>

#include "small.hpp"

#if defined(__SSE2__)
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace npl::sim::test_processor_mode {
namespace {

struct Result {
  std::vector<double> samples, weights;
  std::vector<Spike> spikes;
  bool operator==(const Result&) const = default;
};

/// Input for 50 ms, 15 s of silence, input again. Rest is at 0 mV, so that potentials decay, too. Threads inherit the mode of the one that
/// makes the network.
Result run(bool flushing, int threads) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(flushing ? before | 0x8040u : before & ~0x8040u);
  Network net({0.5, 1, threads, 0});
  const std::vector<std::pair<std::string, std::vector<double>>> rest{{"E_L", {0.0}}, {"V_reset", {0.0}}, {"V_th", {15.0}}, {"V_m", {0.0}}};
  Result result;
  const Gid first = net.create("iaf_psc_exp", 30, rest);
  net.create("iaf_cond_beta", 10,
             {{"E_L", {0.0}}, {"V_reset", {0.0}}, {"V_th", {15.0}}, {"V_m", {0.0}}, {"E_ex", {60.0}}, {"E_in", {-10.0}}});
  const Gid early = net.create("poisson_generator", 1, {{"rate", {6000.0}}, {"stop", {50.0}}});
  const Gid late = net.create("poisson_generator", 1, {{"rate", {6000.0}}, {"start", {15000.0}}});
  for (const Gid device : {early, late}) {
    net.connect(call(nodes(device, 1), nodes(first, 30), "all_to_all", 120.0, 1.0));
    net.connect(call(nodes(device, 1), nodes(first + 30, 10), "all_to_all", 2.0, 1.0));
  }
  ConnectCall plastic = call(nodes(first, 40), nodes(first, 30), "fixed_indegree", 30.0, 1.5);
  plastic.rule_params = {{"indegree", 8}};
  plastic.synapse = "stdp_synapse";
  net.connect(plastic);
  const int spikes = net.record_spikes(nodes(first, 40), 0, 1 << 30);
  const int trace = net.record_state({first, first + 1, first + 29}, {"V_m", "I_syn_ex", "I_syn_in"}, {7, 0});
  const int conductances = net.record_state({first + 31, first + 39}, {"V_m", "g_ex", "dg_ex"}, {7, 0});
  net.run(30200, nullptr);
  result.spikes = net.spikes(spikes);
  result.samples = net.samples(trace).values;
  const auto more = net.samples(conductances).values;
  result.samples.insert(result.samples.end(), more.begin(), more.end());
  result.weights = net.connections(nullptr, nullptr, "stdp_synapse").weight;
  _mm_setcsr(before);
  return result;
}

TEST(ProcessorMode, DoesNotChangeABit) {
  for (int threads : {1, 2}) {
    const Result plain = run(false, threads), flushing = run(true, threads);
    EXPECT_GT(plain.spikes.size(), 100u);
    EXPECT_GT(plain.spikes.back().step, 30000) << "nothing happened after the silence";
    EXPECT_GT(std::count(plain.samples.begin(), plain.samples.end(), 0.0), 100) << "nothing decayed to 0";
    EXPECT_EQ(std::memcmp(plain.samples.data(), flushing.samples.data(), plain.samples.size() * sizeof(double)), 0);
    EXPECT_TRUE(plain == flushing);
    for (const double x : plain.samples) ASSERT_NE(std::fpclassify(x), FP_SUBNORMAL);
  }
}

}  // namespace
}  // namespace npl::sim::test_processor_mode
#endif
