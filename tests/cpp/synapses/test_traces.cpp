// SPDX-License-Identifier: Apache-2.0
// Decay tables and postsynaptic traces compared with sums of exponentials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "synapses/decay.hpp"
#include "synapses/post_trace.hpp"

namespace npl::synapses::test_traces {
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
    for (std::int32_t n : {0, 1, 255, 256, 1000, 65536, 1000000, INT32_MAX})
      EXPECT_EQ(decay.view().since(-5, n - 5), decay(n)) << tau << " " << n;
  }
}

TEST(Decay, IsTheTableBitByBit) {
  for (const double tau : {1e-3, 0.05, 1.0, 7.3, 20.0, 800.0, 1e5, 1e9}) {
    const DecayTable table(tau, 0.1);
    const Decay one(tau, 0.1);
    for (std::int64_t n = 0; n < 3000; ++n) ASSERT_EQ(one(n), table(n)) << tau << " " << n;
    for (std::int64_t n = 1; n < std::int64_t{1} << 31; n += n / 7 + 1) ASSERT_EQ(one(n), table(n)) << tau << " " << n;
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
    EXPECT_EQ(post.kept(), train.size());
  }
}

TEST(PostTrace, TheLineEndsWithTheNewestSpikes) {
  PostTrace post(1, 10.0, 0.1);
  post.add(0, 10);
  EXPECT_EQ(post.line(0).stamp.back(), 10);
  EXPECT_EQ(post.line(0).stamp[PostLine::capacity - 2], PostHistory::none);
  for (std::int32_t stamp = 2; stamp <= 12; ++stamp) post.add(0, 10 * stamp);
  const PostLine& line = post.line(0);
  for (std::size_t i = 0; i < line.stamp.size(); ++i) EXPECT_EQ(line.stamp[i], 50 + 10 * static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < line.trace.size(); ++i) EXPECT_EQ(line.trace[i], post.history(0).trace[8 + i]);
  EXPECT_EQ(post.history(0).stamp.size(), 12u);
  EXPECT_EQ(post.history(0).first_after(30), 3u);
  EXPECT_EQ(post.history(0).first_after(0), 0u);
  EXPECT_EQ(post.history(0).first_after(120), 12u);
}

TEST(PostTrace, LinesCountTheSpikesLaterThanTwoTimes) {
  for (int spikes = 0; spikes < 12; ++spikes) {
    PostTrace post(1, 10.0, 0.1);
    const auto train = random_train(static_cast<unsigned>(spikes), spikes, 5);
    for (std::int32_t stamp : train) post.add(0, stamp);
    const auto& seen = post.line(0).stamp;
    const PostStamps stamps{seen};
    for (std::int32_t from = -3; from < 60; ++from)
      for (std::int32_t until : {from, from + 1, from + 10}) {
        const auto later = [&](std::int32_t t) { return std::count_if(seen.begin(), seen.end(), [&](std::int32_t s) { return s > t; }); };
        ASSERT_EQ(post.line(0).later({from, until}).from, later(from));
        ASSERT_EQ(post.line(0).later({from, until}).until, later(until));
        ASSERT_EQ(stamps.up_to(from), PostStamps::capacity - later(from));
      }
  }
}

/// What the synapses of a delay see, compared with the histories at every time.
void expect_seen(const PostTrace& post, const PostArrivals& seen, std::int32_t until) {
  for (Local node = 0; node < post.nodes(); ++node) {
    const PostHistory& h = post.history(node);
    const std::size_t n = h.first_after(until), before = h.first_after(until - 1);
    const auto& stamps = seen.stamps()[node].stamp;
    for (std::size_t i = 0; i < stamps.size(); ++i)
      ASSERT_EQ(stamps[stamps.size() - 1 - i], i < n ? h.stamp[n - 1 - i] : PostHistory::none) << until << " " << node << " " << i;
    ASSERT_EQ(seen.last()[node].stamp, before ? h.stamp[before - 1] : PostHistory::none);
    ASSERT_EQ(seen.last()[node].trace, before ? h.trace[before - 1] : 0.0);
    if (seen.minus()) {
      ASSERT_EQ(seen.minus()[node], post.before(node, until));
    }
  }
}

TEST(PostTrace, CountsTheMemoryOfSpikesThatNoSynapseReads) {
  PostTrace post(2, 20.0, 0.1);
  post.set_read({true, false});
  const std::size_t before = post.bytes();
  for (std::int32_t now = 1; now <= 1000; ++now) post.add(1, now);
  EXPECT_GE(post.bytes() - before, 1024u * 12);  // a list that doubles
}

TEST(PostArrivals, AreTheSpikesUpToADelayAgo) {
  std::mt19937 random(5);
  PostTrace post(7, 17.0, 0.1);
  for (std::int32_t now = 1; now < 4000; ++now) {
    if (now == 500) post.resize(20);
    for (Local n = 0; n < post.nodes(); ++n)
      for (unsigned k = random() % 40; k < 2; ++k) post.add(n, now);  // some of them twice in a step
    for (Delay delay : {1, 15, 300}) {  // asked for from the start, from later on, now and then, and after so long that it starts anew
      const std::int32_t until = now - delay;
      if (now < 2 * delay || (delay == 15 && now % 7 > 2) || (delay == 300 && now > 1000 && now < 3500)) continue;
      const PostArrivals& seen = now % 3 ? post.arrivals(delay, until) : post.arrivals_with_traces(delay, until);
      EXPECT_EQ(seen.minus() != nullptr, now % 3 == 0);
      expect_seen(post, seen, until);
    }
  }
}

TEST(PostArrivals, AreKeptOnlyForNodesThatAreRead) {
  PostTrace post(3, 10.0, 0.1), all(3, 10.0, 0.1);
  post.set_read({true, false, false});
  for (std::int32_t now = 1; now < 300; ++now) {
    if (now == 150) post.set_read({true, true, false});  // which has spiked before
    if (now == 200) post.resize(5), all.resize(5);
    for (PostTrace* p : {&post, &all})
      for (Local node = 0; node < 3; ++node)
        if (now % (node + 3) == 0) p->add(node, now);
    const PostArrivals &some = post.arrivals_with_traces(5, now - 5), &whole = all.arrivals_with_traces(5, now - 5);
    for (Local node = 0; node < (now < 150 ? 1u : 2u); ++node) {
      ASSERT_EQ(some.stamps()[node].stamp, whole.stamps()[node].stamp);
      ASSERT_EQ(some.minus()[node], whole.minus()[node]);
    }
  }
  post.add_unread();
  EXPECT_EQ(post.before(2, 300), all.before(2, 300));
}

TEST(PostArrivals, StayRightWhenOldSpikesAreForgotten) {
  PostTrace post(2, 10.0, 0.1);
  for (std::int32_t now = 1; now < 500; ++now) {
    post.add(0, now);
    if (now > 10) expect_seen(post, post.arrivals_with_traces(5, now - 5), now - 5);
    if (now == 400) post.forget(380);  // keeps more than the stamps seen
  }
  EXPECT_GT(post.bytes(), 2 * (PostTrace::bytes_per_node + PostArrivals::bytes_per_node));
}

TEST(PostTrace, GrowsAndKeepsWhatItKnows) {
  PostTrace post(0, 10.0, 0.1);
  post.resize(2);
  for (std::int32_t stamp = 1; stamp < 9; ++stamp) post.add(1, stamp);
  const double known = post.before(1, 9);
  post.resize(50000);
  EXPECT_EQ(post.before(1, 9), known);
  EXPECT_EQ(post.history(1).stamp.size(), 8u);
  EXPECT_EQ(post.line(49999).stamp[0], PostHistory::none);
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
    for (std::int32_t s : whole.history(0).stamp) later += s > oldest;
    EXPECT_EQ(pruned.history(0).stamp.size() - pruned.history(0).first_after(oldest), later);
    EXPECT_LE(pruned.history(0).stamp.size(), later + 1);
    EXPECT_EQ(pruned.kept(), pruned.history(0).stamp.size() + 1);
  }
}

TEST(PostTrace, SpikesOfNodesThatNoSynapseReadsAreAddedLater) {
  std::mt19937 random(4);
  PostTrace post(4, 12.0, 0.1), all(4, 12.0, 0.1);
  post.set_read({true, false, false, false});
  for (std::int32_t now = 1; now < 900; ++now) {
    for (Local node = 0; node < 3; ++node)  // node 3 never spikes
      if (const std::size_t n = random() % 7; n < 4 && n > 0) post.add(node, now, n), all.add(node, now, n);
    if (now % 97 == 0) post.forget(now - 40), all.forget(now - 40);
    ASSERT_EQ(post.kept(), all.kept()) << now;
    if (now % 200 != 199) continue;
    now < 400 ? post.add_unread() : post.set_read({true, now < 600, false, false});
    if (now >= 400) post.add_unread();
    for (Local node = 0; node < 4; ++node) {
      ASSERT_EQ(post.history(node).stamp, all.history(node).stamp) << now;
      ASSERT_EQ(post.history(node).trace, all.history(node).trace) << now;
      for (std::int32_t t = now - 40; t <= now; ++t) ASSERT_EQ(post.before(node, t), all.before(node, t));
      EXPECT_EQ(post.line(node).stamp.back(), all.line(node).stamp.back());
      EXPECT_EQ(post.line(node).trace.back(), all.line(node).trace.back());
    }
  }
}

TEST(PostTrace, BytesFollowTheSpikesKept) {
  PostTrace post(100, 10.0, 0.1);
  const std::size_t before = post.bytes();
  for (std::int32_t stamp = 1; stamp <= 1000; ++stamp) post.add(0, stamp);
  EXPECT_GE(post.bytes(), before + 900 * PostHistory::bytes_per_spike);
  post.forget(1000);
  EXPECT_LE(post.bytes(), before + 10 * PostHistory::bytes_per_spike);
}

}  // namespace
}  // namespace npl::synapses::test_traces
