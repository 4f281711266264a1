// SPDX-License-Identifier: Apache-2.0
/// Times between grid points: their order, and traces of neurons that spike there.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "synapses/exact_trace.hpp"

namespace npl::synapses::test_exact_trace {
namespace {

constexpr double dt = 0.1;

double ms(const Moment& m) { return static_cast<double>(m.stamp) * dt - m.before; }

std::vector<Moment> spikes(unsigned seed, int n) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> offset(0.0, dt);
  std::vector<Moment> all;
  Step stamp = 1;
  for (int k = 0; k < n; ++k) all.push_back({stamp += static_cast<Step>(random() % 40), offset(random)});
  for (std::size_t k = 1; k < all.size(); ++k)
    if (all[k] < all[k - 1]) std::swap(all[k], all[k - 1]);
  return all;
}

TEST(Moment, IsEarlierTheLongerBeforeTheEndOfItsStep) {
  const Moment a{5, 0.07}, b{5, 0.02}, c{6, 0.099};
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  EXPECT_EQ(c - 1, (Moment{5, 0.099}));
  EXPECT_LT(c - 1, a);
  EXPECT_NEAR(Decay(20.0, dt)(c - a), std::exp(-(ms(c) - ms(a)) / 20.0), 1e-15);
  EXPECT_EQ(Decay(0.0, dt)(c - a), 0.0);
  EXPECT_EQ(Decay(0.0, dt)(a - a), 1.0);
  EXPECT_FALSE(happened(Moment{}));
  EXPECT_TRUE(happened(a));
}

TEST(ExactTrace, AnyTimeIsTheSumOverAllSpikesBefore) {
  ExactTrace trace(2, 17.0, dt);
  const auto all = spikes(4, 60);
  for (const Moment& s : all) trace.add(1, s);
  for (Moment t : spikes(9, 90)) {
    double sum = 0.0;
    for (const Moment& s : all) sum += s < t ? std::exp((ms(s) - ms(t)) / 17.0) : 0.0;
    EXPECT_NEAR(trace.before(1, t), sum, 1e-12);
    EXPECT_EQ(trace.before(0, t), 0.0);
  }
  EXPECT_NEAR(trace.before(1, all[30]), trace.history(1).trace[30] - 1.0, 1e-12);  // not with the spike at that time
}

TEST(ExactTrace, ForgettingChangesNothingThatCanStillBeAsked) {
  ExactTrace whole(1, 12.0, dt), pruned(1, 12.0, dt);
  const auto all = spikes(2, 200);
  for (const Moment& s : all) whole.add(0, s), pruned.add(0, s);
  const auto oldest = static_cast<std::int32_t>(all[150].stamp);
  pruned.forget(oldest);
  EXPECT_LT(pruned.kept(), 60u);
  EXPECT_EQ(whole.kept(), 200u);
  EXPECT_LT(pruned.bytes(), whole.bytes());
  for (std::size_t k = 152; k < all.size(); ++k) EXPECT_EQ(pruned.before(0, all[k]), whole.before(0, all[k]));
  ExactTrace again(3, 12.0, dt);
  again.restore(2, pruned.history(0));
  EXPECT_EQ(again.kept(), pruned.kept());
  EXPECT_EQ(again.before(2, {oldest + 900, 0.0}), whole.before(0, {oldest + 900, 0.0}));
}

}  // namespace
}  // namespace npl::synapses::test_exact_trace
