// SPDX-License-Identifier: Apache-2.0
// Decay tables and postsynaptic traces compared with sums of exponentials.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "synapses/decay.hpp"
#include "synapses/post_trace.hpp"

namespace npl::synapses {
namespace {

TEST(DecayTable, IsTheExponential) {
  for (double tau : {0.05, 1.0, 20.0, 3000.0, 1e9}) {
    const DecayTable decay(tau, 0.1);
    for (std::int64_t n : {0, 1, 2, 255, 256, 257, 1000, 65535, 65536, 1000000}) {
      const double expected = std::exp(-static_cast<double>(n) * 0.1 / tau);
      if (expected > 0x1p-499) {
        EXPECT_NEAR(decay(n), expected, 4e-16 * expected * (1.0 + static_cast<double>(n) * 0.1 / tau)) << tau << " " << n;
      } else {
        EXPECT_LE(decay(n), 0x1p-498) << tau << " " << n;
      }
    }
    EXPECT_EQ(decay(0), 1.0);
    for (std::int32_t n : {0, 1, 255, 256, 1000, 65536, 1000000, INT32_MAX}) EXPECT_EQ(decay.view()(n), decay(n)) << tau << " " << n;
  }
}

TEST(DecayTable, NeverGrows) {
  const DecayTable decay(7.3, 0.1);
  for (std::int64_t n = 1; n < 20000; ++n) EXPECT_LE(decay(n), decay(n - 1)) << n;
  EXPECT_EQ(decay(std::int64_t{1} << 40), 0.0);
}

/// Subnormal numbers are slow on many processors, and some set them to 0.
TEST(DecayTable, IsNormalOrZero) {
  for (double tau : {0.05, 0.13, 1.0, 7.3, 100.0}) {
    const DecayTable decay(tau, 0.1);
    std::int64_t n = 0;
    for (; n < 2000000 && decay(n) > 0.0; ++n) ASSERT_TRUE(std::isnormal(decay(n))) << tau << " " << n;
    EXPECT_GT(n, static_cast<std::int64_t>(300 * tau / 0.1));
    for (std::int64_t later = n; later < n + 1000; ++later) ASSERT_EQ(decay(later), 0.0) << tau << " " << later;
  }
}

/// Trace at `stamp` of the spikes strictly before it.
double trace_before(const std::vector<std::int32_t>& spikes, std::int64_t stamp, double tau, double dt) {
  double sum = 0;
  for (std::int32_t s : spikes)
    if (s < stamp) sum += std::exp(-static_cast<double>(stamp - s) * dt / tau);
  return sum;
}

std::vector<std::int32_t> random_train(unsigned seed, int n, int longest_gap) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> train;
  std::int32_t t = 0;
  for (int i = 0; i < n; ++i)
    train.push_back(t += static_cast<std::int32_t>(random() % static_cast<unsigned>(longest_gap)));  // gap 0: twice in a step
  return train;
}

TEST(PostTrace, AnyTimeInThePastIsTheSumOverAllSpikesBefore) {
  for (int longest_gap : {2, 10, 300}) {
    PostTrace post(3, 17.0, 0.1);
    const auto train = random_train(1, 100, longest_gap);
    for (std::int32_t stamp : train) post.add(1, stamp);
    for (std::int32_t t = 0; t <= train.back() + 20; ++t) EXPECT_NEAR(post.before(1, t), trace_before(train, t, 17.0, 0.1), 1e-12) << t;
    EXPECT_EQ(post.before(0, 1000), 0.0);
    EXPECT_EQ(post.older_count(), train.size() - PostLine::capacity);
  }
}

TEST(PostTrace, TheLineHoldsTheNewestSpikesAndTheListTheRest) {
  PostTrace post(1, 10.0, 0.1);
  for (std::int32_t stamp = 1; stamp <= 12; ++stamp) post.add(0, 10 * stamp);
  const PostLine& line = post.line(0);
  EXPECT_EQ(line.count, PostLine::capacity);
  EXPECT_EQ(line.stamp[0], 80);
  EXPECT_EQ(line.stamp[4], 120);
  ASSERT_EQ(post.older(0).size(), 7u);
  EXPECT_EQ(post.older(0).front().stamp, 10);
  EXPECT_EQ(post.older(0).back().stamp, 70);
  EXPECT_EQ(post.first_older(0, 30)->stamp, 40);
  EXPECT_EQ(post.first_older(0, 70), post.older(0).end());
}

TEST(PostTrace, UnusedPlacesOfTheLineComeAfterEveryTime) {
  PostTrace post(2, 10.0, 0.1);
  post.add(1, 5);
  for (std::size_t i = 0; i < PostLine::capacity; ++i) EXPECT_EQ(post.line(0).stamp[i], PostLine::never);
  EXPECT_EQ(post.line(1).stamp[0], 5);
  EXPECT_EQ(post.line(1).stamp[1], PostLine::never);
}

TEST(PostTrace, GrowsAndKeepsWhatItKnows) {
  PostTrace post(0, 10.0, 0.1);
  post.resize(2);
  for (std::int32_t stamp = 1; stamp < 9; ++stamp) post.add(1, stamp);
  const double known = post.before(1, 9);
  post.resize(50000);
  EXPECT_EQ(post.before(1, 9), known);
  EXPECT_EQ(post.older(1).size(), 3u);
  EXPECT_EQ(post.line(49999).stamp[0], PostLine::never);
  post.resize(2);  // never shrinks
  post.add(49999, 10);
}

TEST(PostTrace, ForgettingChangesNothingThatCanStillBeAsked) {
  for (std::int32_t oldest : {0, 1, 50, 333, 800, 5000}) {
    PostTrace whole(2, 12.0, 0.1), pruned(2, 12.0, 0.1);
    const auto train = random_train(7, 200, 9);
    for (std::int32_t stamp : train) whole.add(0, stamp), pruned.add(0, stamp);
    pruned.add(1, 3);
    pruned.forget(oldest);
    for (std::int32_t t = oldest + 1; t <= train.back() + 10; ++t) EXPECT_EQ(pruned.before(0, t), whole.before(0, t)) << oldest << " " << t;
    std::size_t later = 0;  // spikes that may pair with a source silent since `oldest`
    for (const PostSpike& s : whole.older(0)) later += s.stamp > oldest;
    EXPECT_EQ(static_cast<std::size_t>(pruned.older(0).end() - pruned.first_older(0, oldest)), later);
    EXPECT_LE(pruned.older(0).size(), later + 1);
    EXPECT_EQ(pruned.older_count(), pruned.older(0).size());
  }
}

TEST(PostTrace, BytesFollowTheSpikesKept) {
  PostTrace post(100, 10.0, 0.1);
  const std::size_t before = post.bytes();
  for (std::int32_t stamp = 1; stamp <= 1000; ++stamp) post.add(0, stamp);
  EXPECT_GE(post.bytes(), before + 900 * sizeof(PostSpike));
  post.forget(1000);
  EXPECT_LE(post.bytes(), before + 10 * sizeof(PostSpike));
}

}  // namespace
}  // namespace npl::synapses
