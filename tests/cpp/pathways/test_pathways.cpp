// SPDX-License-Identifier: Apache-2.0
// Times and amounts of input: the calendar compared with a dense list of arrivals.
#include <gtest/gtest.h>

#include <random>

#include "driven.hpp"

namespace npl::pathways::test_pathways {
namespace {

using namespace tables;

constexpr double to_fixed = 0x1p20;

std::vector<Synapse> random_synapses(unsigned seed, int n, int sources, int targets, int longest) {
  std::mt19937 random(seed);
  std::vector<Synapse> list;
  for (int i = 0; i < n; ++i)
    list.push_back({1 + static_cast<Gid>(random() % static_cast<unsigned>(sources)),
                    static_cast<std::uint16_t>(random() % static_cast<unsigned>(targets)),
                    static_cast<Delay>(1 + random() % static_cast<unsigned>(longest)),
                    static_cast<double>(static_cast<float>(random() % 1000) / 7.0f - 50.0f)});
  return list;
}

/// Runs spikes, given as (step, source) in ascending steps, through a pathway, `interval` steps at a time; sums per step and target.
std::map<Step, std::vector<Fixed>> delivered(EdgeTable t, const std::vector<std::pair<Step, Gid>>& spikes, Step interval, Step end,
                                             std::size_t targets, std::uint64_t* events) {
  const auto pathway = pathway_of(std::move(t));
  std::map<Step, std::vector<Fixed>> sums;
  *events = 0;
  std::size_t next = 0;
  for (Step from = 0; from < end; from += interval) {
    for (Step step = from; step < from + interval; ++step) {
      const std::vector<Fixed> now = due(*pathway, step, targets, to_fixed, events);
      if (std::any_of(now.begin(), now.end(), [](Fixed x) { return x != 0; })) sums[step] = now;
    }
    for (; next < spikes.size() && spikes[next].first < from + interval; ++next) spike(*pathway, spikes[next].second, spikes[next].first);
  }
  return sums;
}

std::map<Step, std::vector<Fixed>> expected(const TableSpec& spec, const std::vector<Synapse>& list,
                                            const std::vector<std::pair<Step, Gid>>& spikes, std::size_t targets) {
  std::map<Step, std::vector<Fixed>> sums;
  for (const auto& [step, source] : spikes)
    for (const Synapse& s : list) {
      if (s.source != source) continue;
      auto& now = sums[step + s.delay];
      now.resize(targets);
      now[s.target] += spec.counts() ? 1 : std::llrint((spec.weights == Weights::uniform ? spec.uniform : s.weight) * to_fixed);
    }
  std::erase_if(sums, [](const auto& kv) { return std::all_of(kv.second.begin(), kv.second.end(), [](Fixed x) { return x == 0; }); });
  return sums;
}

using Case = std::tuple<Weights, Layout, bool>;
class StaticDelivery : public testing::TestWithParam<Case> {};

TEST_P(StaticDelivery, BringsEverySynapseInItsStep) {
  const auto [weights, layout, counts] = GetParam();
  TableSpec spec = spec_of(weights);
  spec.input = counts ? TargetInput::counts : TargetInput::weights;
  struct Shape {
    int n, sources, targets, longest;
  };
  for (const Shape s : {Shape{400, 20, 30, 1}, Shape{400, 20, 30, 12}, Shape{300, 5, 40, 700}, Shape{50, 40, 3, 3}}) {
    const auto list = random_synapses(5, s.n, s.sources, s.targets, s.longest);
    std::mt19937 random(9);
    std::vector<std::pair<Step, Gid>> spikes;  // some twice in a step, some of sources without synapses
    for (int i = 0; i < 200; ++i) spikes.push_back({random() % 100, 1 + static_cast<Gid>(random() % static_cast<unsigned>(s.sources + 3))});
    std::sort(spikes.begin(), spikes.end());
    Delay shortest = 0xffff;
    for (const Synapse& x : list) shortest = std::min(shortest, x.delay);
    for (Step interval : {Step{1}, Step{shortest}}) {
      std::uint64_t events = 0;
      const auto sums = delivered(table_of(spec, list, layout), spikes, interval, 900, static_cast<std::size_t>(s.targets), &events);
      EXPECT_EQ(sums, expected(spec, list, spikes, static_cast<std::size_t>(s.targets)));
      std::uint64_t wanted = 0;
      for (const auto& [step, source] : spikes)
        for (const Synapse& x : list) wanted += x.source == source;
      EXPECT_EQ(events, wanted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StaticDelivery,
                         testing::Combine(testing::Values(Weights::uniform, Weights::f32, Weights::f64, Weights::coded),
                                          testing::Values(Layout::runs, Layout::words), testing::Bool()));

class Layouts : public testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(Both, Layouts, testing::Values(Layout::runs, Layout::words));

TEST_P(Layouts, MoreSynapsesOfOneDelayThanARunHolds) {
  const TableSpec spec = spec_of(Weights::uniform);
  std::vector<Synapse> list;
  for (int i = 0; i < 200000; ++i) list.push_back({3, static_cast<std::uint16_t>(i % 60000), static_cast<Delay>(i < 150000 ? 4 : 9), 0});
  std::uint64_t events = 0;
  const auto sums = delivered(table_of(spec, list, GetParam()), {{0, 3}, {1, 3}}, 1, 30, 60000, &events);
  EXPECT_EQ(events, 400000u);
  EXPECT_EQ(sums, expected(spec, list, {{0, 3}, {1, 3}}, 60000));
}

TEST_P(Layouts, DelaysUpTo65000Steps) {
  const TableSpec spec = spec_of(Weights::f64);
  const std::vector<Synapse> list{{1, 0, 1, 1.0},     {1, 1, 2, 2.0},     {1, 0, 32768, 3.0},
                                  {1, 1, 65000, 4.0}, {2, 0, 65000, 5.0}, {2, 1, 65000, 6.0}};
  const std::vector<std::pair<Step, Gid>> spikes{{0, 1}, {0, 2}, {7, 1}, {64999, 1}, {65001, 2}};
  std::uint64_t events = 0;
  EXPECT_EQ(delivered(table_of(spec, list, GetParam()), spikes, 1, 131000, 2, &events), expected(spec, list, spikes, 2));
}

TEST_P(Layouts, WeightsSoSmallThatTheScaleIsNoFloat) {
  const TableSpec spec = spec_of(Weights::f32);
  const std::vector<Synapse> list{{1, 0, 1, 1e-30}, {1, 1, 1, -3e-31}};
  const FixedScale scale = FixedScale::for_largest(1e-30);
  const auto pathway = pathway_of(table_of(spec, list, GetParam()));
  spike(*pathway, 1, 0);
  const std::vector<Fixed> sums = due(*pathway, 1, 2, scale.to_fixed);
  EXPECT_NEAR(fixed_to_double(sums[0]) * scale.to_double, 1e-30, 1e-37);
  EXPECT_NEAR(fixed_to_double(sums[1]) * scale.to_double, -3e-31, 1e-37);
}

// The arithmetic of the rules is tested in synapses; these tests check which spikes pair, in which order and when.
TEST_P(Layouts, PlasticRowsMeetTheSpikesThatReachedTheSynapse) {
  const double tau = 20.0, dt = 0.1;
  const TableSpec spec = spec_of(Weights::f64, "stdp_pl_synapse_hom", {tau, tau, 0.1, 0.5, 0.0}, dt);
  const auto list = random_synapses(2, 60, 4, 6, 25);
  std::vector<Synapse> positive;
  for (Synapse s : list) positive.push_back({s.source, s.target, s.delay, std::abs(s.weight) + 1});
  synapses::PostTrace post(6, tau, dt);
  const auto pathway = pathway_of(table_of(spec, positive, GetParam()), &post);
  const EdgeTable& t = pathway->table();
  std::mt19937 random(4);
  std::vector<std::vector<Step>> pre_stamps(5), post_stamps(6);
  for (Step step = 0; step < 600; ++step) {
    due(*pathway, step, 6, to_fixed);
    for (std::uint16_t n = 0; n < 6; ++n)
      if (random() % 8 == 0) {
        post.add(n, static_cast<std::int32_t>(step + 1));
        post_stamps[n].push_back(step + 1);
      }
    for (Gid source = 1; source <= 4; ++source)
      if (step < 560 && random() % (source == 4 ? 150 : 20) == 0) {
        spike(*pathway, source, step);
        pre_stamps[static_cast<std::size_t>(source)].push_back(step + 1);
      }
  }
  t.sources.for_each([&](std::uint32_t row, Gid source) {
    std::map<std::pair<std::uint16_t, Delay>, std::vector<double>> by_delay;
    for (const Synapse& s : positive)
      if (s.source == source) {
        double w = s.weight;
        const auto& pre = pre_stamps[static_cast<std::size_t>(source)];
        for (std::size_t n = 0; n < pre.size(); ++n) {
          for (Step p : post_stamps[s.target]) {
            if (n == 0 || p + s.delay <= pre[n - 1] || p + s.delay > pre[n]) continue;
            for (std::size_t j = 0; j < n; ++j) w += 0.1 * std::exp(static_cast<double>(pre[j] - p - s.delay) * dt / tau);
          }
          double k = 0;
          for (Step p : post_stamps[s.target])
            if (p + s.delay < pre[n]) k += std::exp(static_cast<double>(p + s.delay - pre[n]) * dt / tau);
          w = std::max(0.0, w - 0.1 * 0.5 * w * k);
        }
        by_delay[{s.target, s.delay}].push_back(w);
      }
    std::map<std::pair<std::uint16_t, Delay>, std::size_t> seen;
    t.for_row(row, [&](std::uint32_t i, Delay delay) {
      const auto& w = by_delay.at({t.target[i], delay});
      EXPECT_NEAR(t.weight(i), w.at(seen[{t.target[i], delay}]++), 1e-10);
    });
  });
}

TEST(Pathway, OldSpikesThatARowMayStillAskForAreNotForgotten) {
  const TableSpec spec = spec_of(Weights::f64, "stdp_synapse", {20, 20, 0.1, 1, 1, 1, 100}, 0.1);
  const std::vector<Synapse> list{{1, 0, 5, 1.0}, {2, 0, 30, 1.0}};
  synapses::PostTrace post(1, 20, 0.1), other(1, 30, 0.1);
  const auto pathway = pathway_of(table_of(spec, list, Layout::runs), &post);
  EXPECT_EQ(pathway->oldest_needed(&other, 1000), INT32_MAX);  // it does not read that trace
  EXPECT_LE(pathway->oldest_needed(&post, 1000), 1000 - 30);   // a first spike to come asks for the trace 30 steps before
  EXPECT_GE(pathway->oldest_needed(&post, 1000), 900);         // silent sources do not hold the past
  spike(*pathway, 1, 400);
  EXPECT_LE(pathway->oldest_needed(&post, 1000), 401 - 5);  // its next spike pairs with all since this one
  EXPECT_GE(pathway->oldest_needed(&post, 1000), 300);
}

}  // namespace
}  // namespace npl::pathways::test_pathways
