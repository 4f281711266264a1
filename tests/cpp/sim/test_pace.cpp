// SPDX-License-Identifier: Apache-2.0
/// The number of threads, for machines that are made up: time per step as a function of threads and time.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <thread>

#include "sim/pace.hpp"
#include "small.hpp"

namespace npl::sim::test_pace {
namespace {

/// Seconds per step with so many threads at a time.
using Cost = std::function<double(int threads, double now)>;

struct Ran {
  double seconds;
  int threads;  ///< in the end
};

Ran ran(Pace& pace, Step steps, const Cost& cost, double now = 0) {
  const double begin = now;
  pace.start(now);
  for (Step step = 0; step < steps; ++step) {
    now += cost(pace.threads(), now);
    pace.look(1, now);
  }
  return {now - begin, pace.threads()};
}

TEST(Pace, FindsTheBestNumberOfThreads) {
  for (int best : {1, 2, 4, 8})
    for (int first : {1, 8}) {
      Pace pace(8, first, false);
      const auto cost = [&](int threads, double) {
        return 1e-4 * (threads == best ? 1.0 : threads < best ? 1.0 * best / threads : 1.0 * threads / best);
      };
      ran(pace, 20'000, cost);
      const Ran then = ran(pace, 100'000, cost);
      EXPECT_LT(then.seconds, 1.03 * 100'000 * 1e-4) << best << " " << first;
    }
}

TEST(Pace, LosesLittleInTrials) {
  Pace pace(2, 2, false);
  EXPECT_LT(ran(pace, 100'000, [](int threads, double) { return threads == 2 ? 1e-4 : 2e-4; }).seconds, 1.05 * 100'000 * 1e-4);
  Pace small(2, 1, false);
  EXPECT_LT(ran(small, 1'000'000, [](int threads, double) { return threads == 1 ? 1e-6 : 5e-6; }).seconds, 1.10 * 1'000'000 * 1e-6);
}

TEST(Pace, LosesLittleWhereStepsDiffer) {
  double seconds = 0, best = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Pace pace(2, 2, false);
    Step step = 0;
    double block = 1.0;
    const auto cost = [&](int threads, double) {  // a hundred steps at a time are alike
      if (step++ % 100 == 0) block = std::uniform_real_distribution<>(0.5, 2.5)(random);
      best += 1e-5 * block;
      return 1e-5 * block * (threads == 2 ? 1.0 : 1.4);
    };
    seconds += ran(pace, 10'000, cost).seconds;
  }
  EXPECT_LT(seconds, 1.12 * best);
}

TEST(Pace, FollowsAMachineThatBecomesBusy) {
  Pace pace(2, 2, false);
  const auto cost = [](int threads, double now) { return now < 5 ? (threads == 2 ? 1e-4 : 2e-4) : (threads == 2 ? 10e-4 : 2e-4); };
  ran(pace, 50'000, cost);
  EXPECT_LT(ran(pace, 50'000, cost, 5.0).seconds, 1.2 * 50'000 * 2e-4);
}

TEST(Pace, StaysWhereItIsFixedOrHasNoChoice) {
  Pace fixed(4, 1, true), one(1, 1, false);
  EXPECT_EQ(ran(fixed, 10'000, [](int threads, double) { return 1e-4 * threads; }).threads, 4);
  EXPECT_EQ(ran(one, 10'000, [](int, double) { return 1e-4; }).threads, 1);
}

/// A network that is large enough to begin with all threads; trials change their number in the midst of runs.
std::vector<Spike> spikes_of(Settings settings, int runs) {
  settings.adaptive_threads = true;
  Network net(settings);
  const Gid cells = net.create("iaf_psc_exp", 5000, {{"I_e", {390.0}}});
  const Gid poisson = net.create("poisson_generator", 1, {{"rate", {8000.0}}});
  net.connect(call(nodes(poisson, 1), nodes(cells, 5000), "all_to_all", 40.0, 0.1));
  ConnectCall c = call(nodes(cells, 5000), nodes(cells, 5000), "fixed_indegree", -20.0, 0);
  c.rule_params = {{"indegree", 10}};
  c.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
  net.connect(c);
  c.synapse = "stdp_synapse", c.weight = constant(30.0);
  net.connect(c);
  const int recorder = net.record_spikes(nodes(cells, 5000), 0, 1 << 30);
  for (int k = 0; k < runs; ++k) net.run(600 / runs, nullptr);
  return net.spikes(recorder);
}

TEST(Pace, ChangesNoResult) {
  const auto one = spikes_of({0.1, 7, 1, 0}, 1);
  EXPECT_GT(one.size(), 1000u);
  for (int threads : {2, 4})
    for (int runs : {1, 60}) EXPECT_EQ(spikes_of({0.1, 7, threads, 0}, runs), one) << threads << " " << runs;
  const auto group = comm::threads(2);
  std::vector<std::thread> ranks;
  std::vector<std::vector<Spike>> found(2);
  for (const auto& comm : group)
    ranks.emplace_back([&found, comm] {
      Settings settings{0.1, 7, 3, 0};
      settings.comm = comm;
      found[static_cast<std::size_t>(comm->rank())] = spikes_of(settings, 3);
    });
  for (auto& r : ranks) r.join();
  for (const auto& f : found) EXPECT_EQ(f, one);
}

}  // namespace
}  // namespace npl::sim::test_pace
