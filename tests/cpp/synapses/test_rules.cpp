// SPDX-License-Identifier: Apache-2.0
// Weights of plastic runs after one presynaptic spike, compared with the rule applied to all pairs one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../levels.hpp"
#include "base/error.hpp"
#include "base/simd.hpp"
#include "synapses/row_rule.hpp"

namespace npl::synapses::test_rules {
namespace {

constexpr double dt = 0.1, tau_plus = 15.0, tau_minus = 25.0;

struct Rule {
  const char* name;
  std::vector<double> parameters;
  double (*potentiate)(double w, double k);
  double (*depress)(double w, double k);
  bool nearest = false, immediate = false;  ///< pairs
};

double guetig_up(double w, double k) { return 50.0 * std::min(1.0, w / 50 + 0.1 * std::pow(1 - w / 50, 0.4) * k); }
double guetig_down(double w, double k) { return 50.0 * std::max(0.0, w / 50 - 1.2 * 0.1 * std::pow(w / 50, 0.7) * k); }
const std::vector<double> guetig{tau_plus, tau_minus, 0.1, 1.2, 0.4, 0.7, 50.0};

const std::vector<Rule> rules{
    {"stdp_synapse", guetig, guetig_up, guetig_down},
    {"stdp_nn_symm_synapse", guetig, guetig_up, guetig_down, true},
    {"stdp_nn_restr_synapse", guetig, guetig_up, guetig_down, true, true},
    {"stdp_synapse",
     {tau_plus, tau_minus, 0.1, 1.2, 0.0, 0.0, 50.0},
     [](double w, double k) { return 50.0 * std::min(1.0, w / 50 + 0.1 * k); },
     [](double w, double k) { return 50.0 * std::max(0.0, w / 50 - 1.2 * 0.1 * k); }},
    {"stdp_pl_synapse_hom",
     {tau_plus, tau_minus, 0.1, 0.3, 0.4},
     [](double w, double k) { return w + 0.1 * std::pow(w, 0.4) * k; },
     [](double w, double k) { return std::max(0.0, w - 0.1 * 0.3 * w * k); }},
    {"stdp_pl_synapse_hom",
     {tau_plus, tau_minus, 0.1, 0.3, 0.0},
     [](double w, double k) { return w + 0.1 * k; },
     [](double w, double k) { return std::max(0.0, w - 0.1 * 0.3 * w * k); }},
    {"vogels_sprekeler_synapse",
     {tau_plus, tau_minus, 0.7, 1.5, 50.0},
     [](double w, double k) { return std::min(50.0, w + 0.7 * k); },
     [](double w, double k) { return std::max(0.0, std::min(50.0, w + 0.7 * k) - 1.5 * 0.7); }},
};

/// The first parameters of a model, and the defaults of the others.
std::vector<double> with_defaults(const char* model, std::vector<double> parameters) {
  const auto& fields = find_synapse(model).parameters;
  for (std::size_t k = parameters.size(); k < fields.size(); ++k) parameters.push_back(fields[k].init);
  return parameters;
}

/// Postsynaptic spike trains of many neurons: no, few or many spikes, some of them twice in a step.
struct Post {
  std::vector<std::vector<std::int32_t>> trains;
  PostTrace trace;

  explicit Post(std::size_t n) : trains(n), trace(n, tau_minus, dt) {
    std::mt19937 random(3);
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t t = 0;
      for (unsigned k = random() % 20; k > 0; --k) trains[i].push_back(t += static_cast<std::int32_t>(random() % 90));
      for (std::int32_t stamp : trains[i]) trace.add(static_cast<Local>(i), stamp);
    }
  }
};

double expected(const Rule& rule, double w, const std::vector<std::int32_t>& train, const PreTrace& before, Step stamp, Delay delay) {
  for (std::int32_t t : train)
    if (before.trace > 0 && t + delay > before.last && t + delay <= stamp) {
      w = rule.potentiate(w, before.trace * std::exp(-static_cast<double>(t + delay - before.last) * dt / tau_plus));
      if (rule.immediate) break;
    }
  double k = 0;
  const bool met = std::any_of(train.begin(), train.end(), [&](std::int32_t t) { return t + delay > before.last && t + delay <= stamp; });
  for (std::int32_t t : train)
    if (t + delay < stamp && (!rule.immediate || before.trace == 0 || met))
      k = (rule.nearest ? 0.0 : k) + std::exp(-static_cast<double>(stamp - t - delay) * dt / tau_minus);
  return rule.depress(w, k);
}

/// The same bits from what the synapses of the delay have seen, with and without the traces of all neurons.
void expect_same_by_arrivals(const Plasticity& rule, PlasticRun run, std::vector<double> weight, const std::vector<double>& expected) {
  const auto old = weight;
  const PostTrace& post = *run.post;
  for (bool traces : {false, true}) {
    PostTrace fresh(post.nodes(), tau_minus, dt);
    for (Local node = 0; node < post.nodes(); ++node)
      for (std::int32_t stamp : post.history(node).stamp) fresh.add(node, stamp);
    const auto until = static_cast<std::int32_t>(run.stamp - run.delay);
    std::vector<Fixed> sums(run.n);
    weight = old;
    run.weight = weight.data();
    run.sums = sums.data();
    run.post = &fresh;
    run.arrived = traces ? &fresh.arrivals_with_traces(run.delay, until) : &fresh.arrivals(run.delay, until);
    rule.as<RowRule>().process(run);
    EXPECT_EQ(weight, expected) << traces;
  }
}

class PlasticRuns : public testing::TestWithParam<std::size_t> {};

TEST_P(PlasticRuns, FollowTheRuleOverAllPairs) {
  const Rule& rule = rules[GetParam()];
  const auto plasticity = find_synapse(rule.name).prepare(with_defaults(rule.name, rule.parameters).data(), dt);
  const std::size_t n = 700;  // more than two batches
  const Post post(n);
  std::vector<std::uint16_t> target(n);
  for (std::size_t i = 0; i < n; ++i) target[i] = static_cast<std::uint16_t>((i * 11) % n);  // every node once
  // Cases: first spike of the source, long silence, short one, a second spike in the same step; short and long delays.
  const std::vector<PreTrace> befores{{0, 0.0}, {100, 1.0}, {880, 1.7}, {900, 2.0}};
  for (const PreTrace& before : befores)
    for (Delay delay : {1, 15, 300}) {
      std::vector<double> weight(n);
      for (std::size_t i = 0; i < n; ++i) weight[i] = 50.0 * static_cast<double>(i) / n;
      const auto old = weight;
      std::vector<Fixed> sums(n);
      double largest = 0;
      PlasticRun run{
          static_cast<std::uint32_t>(n), target.data(), weight.data(), 900, before, delay, &post.trace, sums.data(), 0x1p30, &largest};
      plasticity->as<RowRule>().process(run);
      expect_same_by_arrivals(*plasticity, run, old, weight);
      for (std::size_t i = 0; i < n; ++i) {
        const double w = expected(rule, old[i], post.trains[target[i]], before, 900, delay);
        ASSERT_NEAR(weight[i], w, 1e-11) << "synapse " << i << ", last " << before.last << ", delay " << delay;
        ASSERT_EQ(sums[target[i]], std::llrint(weight[i] * 0x1p30));
      }
      EXPECT_EQ(largest, *std::max_element(weight.begin(), weight.end()));
    }
}

INSTANTIATE_TEST_SUITE_P(All, PlasticRuns, testing::Range(std::size_t{0}, rules.size()));

TEST(PlasticRun, IsTheSameOnEverySimdLevelAndInAnyPieces) {
  const std::size_t n = 333;
  const Post post(n);
  std::vector<std::uint16_t> target(n);
  for (std::size_t i = 0; i < n; ++i) target[i] = static_cast<std::uint16_t>(i);
  for (const Rule& rule : rules) {
    const auto plasticity = find_synapse(rule.name).prepare(with_defaults(rule.name, rule.parameters).data(), dt);
    const auto run = [&](std::uint32_t piece) {
      std::vector<float> weight(n, 11.3f);
      std::vector<Fixed> sums(n);
      double largest = 0;
      for (std::uint32_t begin = 0; begin < n; begin += piece)
        plasticity->as<RowRule>().process({std::min<std::uint32_t>(piece, static_cast<std::uint32_t>(n) - begin),
                                           &target[begin],
                                           &weight[begin],
                                           900,
                                           {300, 1.4},
                                           20,
                                           &post.trace,
                                           sums.data(),
                                           0x1p30,
                                           &largest});
      return std::pair{weight, sums};
    };
    const auto whole = run(n);
    at_every_level([&](Isa level) {
      for (std::uint32_t piece : {1u, 7u, 64u, 333u}) EXPECT_EQ(run(piece), whole) << rule.name << " " << isa_name(level) << " " << piece;
    });
  }
}

TEST(PlasticRun, CountsOnesForTargetsThatIgnoreWeights) {
  const Post post(10);
  const auto plasticity = find_synapse("stdp_synapse").prepare(with_defaults("stdp_synapse", rules[0].parameters).data(), dt);
  std::vector<std::uint16_t> target{3, 3, 5};
  std::vector<double> weight{1.0, 2.0, 3.0};
  std::vector<Fixed> sums(10);
  double largest = 0;
  plasticity->as<RowRule>().process(
      {3, target.data(), weight.data(), 900, {300, 1.0}, 10, &post.trace, sums.data(), 0x1p40, &largest, true});
  EXPECT_EQ(sums, (std::vector<Fixed>{0, 0, 0, 2, 0, 1, 0, 0, 0, 0}));
}

TEST(Synapses, RefuseWhatTheyCannotWorkWith) {
  const double above_one[] = {1.5};
  EXPECT_THROW(find_synapse("bernoulli_synapse").prepare(above_one, dt), BadParameter);
  EXPECT_THROW(find_synapse("stdp_synapsee"), UnknownName);
  EXPECT_EQ(find_synapse("static_synapse").prepare(nullptr, dt), nullptr);
  for (const SynapseInfo* s : synapses())
    EXPECT_EQ(s->plastic, s->name != "static_synapse" && s->name != "cont_delay_synapse" && !s->continuous);
}

}  // namespace
}  // namespace npl::synapses::test_rules
