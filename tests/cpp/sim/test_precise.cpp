// SPDX-License-Identifier: Apache-2.0
// Off-grid spikes in the whole kernel: compared with a fine scan of the equations; the same on any ranks and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "areas.hpp"
#include "base/error.hpp"

namespace npl::sim::test_precise {
namespace {

using Result = std::tuple<std::vector<Spike>, std::vector<double>, std::vector<double>>;  ///< spikes, their offsets, potentials

/// Times [ms] of one train of input.
std::vector<double> train(double first, double growth, int n, double gap = 0.31, double more = 1.7) {
  std::vector<double> times;
  for (double t = first; static_cast<int>(times.size()) < n; t += gap + std::fmod(t * growth, more)) times.push_back(t);
  return times;
}

struct Input {
  std::vector<double> excite = train(1.037, 3.3, 60), inhibit = train(2.551, 7.7, 30);
  double weight, pull;
};

/// Spike times [ms] of a neuron, on a grid of h.
std::vector<double> times_of(const std::string& model, const Values& values, const Input& in, double h, double until) {
  Settings settings{h, 3, 1, 0};
  Network net(settings);
  const Gid cell = net.create(model, 1, values), given = net.create("spike_generator", 2, {{"precise_times", {1.0}}});
  net.set({given}, {}, {{"spike_times", in.excite}}), net.set({given + 1}, {}, {{"spike_times", in.inhibit}});
  net.connect(call(nodes(given, 1), nodes(cell, 1), "all_to_all", in.weight, 4.0));
  net.connect(call(nodes(given + 1, 1), nodes(cell, 1), "all_to_all", in.pull, 8.0));
  const int recorder = net.record_spikes(nodes(cell, 1), 0, 1 << 30);
  net.run(std::lround(until / h), nullptr);
  const Emitted e = net.emitted(recorder);
  std::vector<double> times;
  for (std::size_t i = 0; i < e.spikes.size(); ++i) times.push_back(static_cast<double>(e.spikes[i].step + 1) * h - e.offset(i));
  return times;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double within) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], within) << i;
}

struct Model {
  const char* name;
  double weight;
};
class PreciseModel : public testing::TestWithParam<Model> {};

/// Strong enough that no crossing hides between two looks.
TEST_P(PreciseModel, TimesDoNotDependOnTheGrid) {
  const Values values{{"I_e", {650.0}}, {"t_ref", {1.0}}};
  Input in;
  in.weight = GetParam().weight, in.pull = -0.6 * in.weight;
  const auto coarse = times_of(GetParam().name, values, in, 1.0, 80.0);
  EXPECT_GT(coarse.size(), 8u);
  for (double h : {0.5, 0.125, 0.015625}) expect_near(times_of(GetParam().name, values, in, h, 80.0), coarse, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, PreciseModel,
                         testing::Values(Model{"iaf_psc_delta_ps", 5.0}, Model{"iaf_psc_exp_ps", 150.0}, Model{"iaf_psc_alpha_ps", 80.0},
                                         Model{"iaf_psc_exp_ps_lossless", 150.0}),
                         [](const auto& info) { return std::string(info.param.name); });

/// The equations of iaf_psc_exp, evaluated every 10^-4 ms: tau_m 10, tau_syn 2, C 250, V_th 15 (defaults), t_ref 4, V from rest.
std::vector<double> scanned(const Input& in, double I_e, double until) {
  constexpr double dt = 1e-4, tau_m = 10, tau_s = 2, C = 250, threshold = 15;
  const double decay_m = std::exp(-dt / tau_m), decay_s = std::exp(-dt / tau_s), gain = (decay_s - decay_m) / (1 / tau_m - 1 / tau_s) / C;
  std::vector<double> times;
  std::size_t e = 0, i = 0;
  double V = 0, I = 0, free = 0;
  for (long k = 0; static_cast<double>(k) * dt < until; ++k) {
    const double t = static_cast<double>(k) * dt;
    for (; e < in.excite.size() && in.excite[e] + 4 <= t; ++e) I += in.weight * std::exp(-(t - in.excite[e] - 4) / tau_s);
    for (; i < in.inhibit.size() && in.inhibit[i] + 8 <= t; ++i) I += in.pull * std::exp(-(t - in.inhibit[i] - 8) / tau_s);
    if (t >= free) V = V * decay_m + I * gain + I_e * tau_m / C * (1 - decay_m);
    I *= decay_s;
    if (V >= threshold) times.push_back(t + dt), V = 0, free = t + dt + 4;
  }
  return times;
}

TEST(Precise, LosslessFindsWhatAScanFinds) {
  Input in;
  in.excite = train(1.037, 3.3, 160, 2.0, 9.0), in.inhibit = train(2.551, 7.7, 160, 2.0, 9.0);
  in.weight = 800.0, in.pull = -300.0;
  const Values values{{"I_e", {200.0}}, {"t_ref", {4.0}}};  // whole steps
  const auto found = times_of("iaf_psc_exp_ps_lossless", values, in, 4.0, 1000.0);
  ASSERT_GT(found.size(), 20u);
  expect_near(found, scanned(in, 200.0, 1000.0), 3e-3);
  EXPECT_LT(times_of("iaf_psc_exp_ps", values, in, 4.0, 1000.0).size(), found.size()) << "the other model looks at ends of pieces";
}

/// A spike at 5.25 ms; input of 6.03 ms waits, decaying, until 7.25 ms.
TEST(Precise, RefractoryInputWaits) {
  Network net({0.5, 7, 1, 0});
  const Gid cell = net.create("iaf_psc_delta_ps", 1, {{"refractory_input", {1.0}}}),
            given = net.create("spike_generator", 2, {{"precise_times", {1.0}}});
  net.set({given}, {}, {{"spike_times", {1.25}}}), net.set({given + 1}, {}, {{"spike_times", {2.03}}});
  net.connect(call(nodes(given, 1), nodes(cell, 1), "all_to_all", 20.0, 4.0));
  net.connect(call(nodes(given + 1, 1), nodes(cell, 1), "all_to_all", 9.0, 4.0));
  net.run(14, nullptr);
  EXPECT_EQ(net.get({cell}, "V_m").at(0), -70.0);
  net.run(2, nullptr);
  EXPECT_NEAR(net.get({cell}, "V_m").at(0), -70.0 + 9.0 * std::exp(-(8.0 - 6.03) / 10.0), 1e-12);
}

/// Off-grid and grid neurons that drive each other, and off-grid spike trains.
struct Mixed {
  Network net;
  int recorder;
  std::vector<Gid> gids;

  explicit Mixed(Settings settings) : net(std::move(settings)) {
    const Gid noise = net.create("poisson_generator_ps", 1, {{"rate", {800.0}}, {"dead_time", {0.1}}});
    const Gid grid = net.create("poisson_generator", 1, {{"rate", {400.0}}});
    const Gid cells = net.create("iaf_psc_delta_ps", 30, {{"I_e", {350.0}}}, {}, "A");
    const Gid relays = net.create("parrot_neuron_ps", 10, {}, {}, "B");
    const Gid plain = net.create("iaf_psc_exp", 10, {{"I_e", {390.0}}}, {}, "B");
    const Gid given = net.create("spike_generator", 1, {{"precise_times", {1.0}}}, {}, "A");
    net.set({given}, {}, {{"spike_times", {0.51, 3.33, 3.33, 7.0, 12.75}}});
    net.connect(call(nodes(noise, 1), nodes(cells, 30), "all_to_all", 2.0, 0.3));
    net.connect(call(nodes(noise, 1), nodes(plain, 10), "all_to_all", 60.0, 0.2));
    net.connect(call(nodes(grid, 1), nodes(relays, 10), "all_to_all", 1.0, 0.1));
    net.connect(call(nodes(given, 1), nodes(relays, 10), "all_to_all", 1.0, 0.9));
    ConnectCall random = call(nodes(cells, 30), nodes(cells, 30), "fixed_indegree", 0, 0);
    random.rule_params = {{"indegree", 8}};
    random.weight = clipped_normal(0.2, 1.0, -3.0, 3.0);
    random.delay = clipped_normal(0.8, 0.4, 0.3, 2.0);
    net.connect(random);
    net.connect(call(nodes(cells, 30), nodes(relays, 10), "", 1.0, 1.1, true));
    net.connect(call(nodes(relays, 10), nodes(cells, 30), "all_to_all", 0.3, 1.2));
    net.connect(call(nodes(cells, 30), nodes(plain, 10), "all_to_all", 12.0, 1.3));
    net.connect(call(nodes(plain, 10), nodes(cells, 30), "all_to_all", 0.7, 1.4));
    recorder = net.record_spikes(connect::NodeSet({{cells, 30, 1}, {relays, 10, 1}, {plain, 10, 1}, {given, 1, 1}}), 0, 1 << 30);
    gids = {cells, cells + 29, plain};
  }
  static ConnectCall call(connect::NodeSet pre, connect::NodeSet post, const std::string& rule, double weight, double delay,
                          bool indegree = false) {
    ConnectCall c = sim::call(std::move(pre), std::move(post), indegree ? "fixed_indegree" : rule, weight, delay);
    if (indegree) c.rule_params = {{"indegree", 2}};
    return c;
  }
  Result result() {
    net.run(70, nullptr);
    net.run(1, nullptr);
    net.run(99, nullptr);
    const Emitted e = net.emitted(recorder);
    return {e.spikes, e.offsets, net.get(gids, "V_m")};
  }
};

TEST(Precise, OneResultOnThreadsAndSlices) {
  const auto expected = Mixed({0.1, 7, 1, 0}).result();
  ASSERT_GT(std::get<0>(expected).size(), 200u);
  ASSERT_GT(std::ranges::count_if(std::get<1>(expected), [](double x) { return x > 0; }), 100);
  for (int threads : {1, 2, 3}) {
    Settings s{0.1, 7, threads, threads == 2 ? 5 : 0};
    s.layout = threads == 3 ? tables::Layout::words : tables::Layout::runs;
    EXPECT_TRUE(Mixed(s).result() == expected) << threads;
  }
}

TEST(Precise, OneResultOnRanksWithEveryStrategy) {
  const auto expected = Mixed({0.1, 7, 1, 0}).result();
  int kind = 0;
  for (const exchange::StrategyInfo* strategy : exchange::strategies())
    for (int ranks : {2, 3}) {
      ++kind;
      expect_no_errors(on_ranks(ranks, [&](auto comm) {
        Settings s{0.1, 7, 1 + kind % 2, 0};
        s.comm = comm;
        s.exchange.strategy = strategy->name;
        s.exchange.halves = kind % 3 == 0;
        s.exchange.regime = kind % 2 ? "dense" : "sparse";
        if (strategy->name == "alltoall" || strategy->name == "persistent") s.exchange.buffer_bytes = 24;  // room for one spike and a half
        EXPECT_TRUE(Mixed(s).result() == expected) << strategy->name << " " << ranks;
      }));
    }
}

/// A spike with its offset is one record, so one message where every record is a message.
TEST(Precise, SpikesAreNeverCut) {
  expect_no_errors(on_ranks(2, [&](auto comm) {
    Settings s{0.1, 7, 1, 0};
    s.comm = comm;
    s.exchange.strategy = "multisend";
    s.exchange.regime = "dense";
    Network net(s);
    const Gid cells = net.create("iaf_psc_exp_ps", 6, {{"I_e", {450.0}}});
    net.connect(call(nodes(cells, 6), nodes(cells, 6), "all_to_all", 1.0, 1.0));
    net.run(1000, nullptr);
    const auto counters = net.counters();
    EXPECT_GT(counters.at("spikes"), 20u);
    EXPECT_EQ(counters.at("words_sent"), counters.at("spikes"));  // to the one other rank
    EXPECT_EQ(counters.at("messages"), counters.at("spikes"));
    EXPECT_EQ(counters.at("bytes_sent"), 16 * counters.at("spikes"));
  }));
}

TEST(Precise, OneResultWithGroupsOfRanks) {
  const auto expected = Mixed({0.1, 7, 1, 0}).result();
  expect_no_errors(on_ranks(4, [&](auto comm) {
    Settings s{0.1, 7, 1, 0};
    s.comm = comm;
    s.distribution = "by_area";
    s.areas = {{"A", 1.0}, {"B", 1.0}};
    Mixed m(s);
    EXPECT_TRUE(m.result() == expected);
    EXPECT_TRUE(m.net.levels().two());
  }));
}

/// Spikes of a parrot that a train of Poisson drives; its connection is made anew after `relinked` steps, with a longer delay.
std::vector<std::tuple<Step, double>> relayed(Step relinked, Delay more) {
  Settings settings{0.1, 3, 1, 0};
  Network net(settings);
  const Gid driven = net.create("parrot_neuron_ps", 3, {}),
            poisson = net.create("poisson_generator_ps", 1, {{"rate", {300.0}}, {"dead_time", {1.0}}});
  const std::int64_t link = net.connect(call(nodes(poisson, 1), nodes(driven, 3), "all_to_all", 1.0, 1.0));
  const int recorder = net.record_spikes(nodes(driven, 3), 0, 1 << 30);
  net.run(relinked, nullptr);
  for (int repeat = 0; repeat < 2; ++repeat) net.relink(link, constant(2.0), constant(1.0 + 0.1 * more));
  net.run(2000 - relinked, nullptr);
  const Emitted e = net.emitted(recorder);
  std::vector<std::tuple<Step, double>> all;
  for (std::size_t i = 0; i < e.spikes.size(); ++i) all.emplace_back(e.spikes[i].step, e.offset(i));
  std::sort(all.begin(), all.end());
  return all;
}

/// Other weights and delays, the same train.
TEST(Precise, AConnectionMadeAnewGoesOnWithItsTrain) {
  const auto once = relayed(1, 0);
  EXPECT_GT(once.size(), 100u);
  EXPECT_EQ(relayed(1005, 0), once);
  EXPECT_EQ(relayed(5, 0), once);  // nothing has arrived yet
  auto later = once;
  for (auto& [step, offset] : later) step += step >= 1005 + 10 ? 7 : 0;
  std::erase_if(later, [](const auto& spike) { return std::get<0>(spike) >= 2000; });
  EXPECT_EQ(relayed(1005, 7), later);
}

TEST(Precise, SynapsesThatReadHistoriesAndMixedTargetsAreRefused) {
  Network net({0.1, 7, 1, 0});
  const Gid cells = net.create("iaf_psc_exp_ps", 4, {}), plain = net.create("iaf_psc_exp", 4, {});
  ConnectCall plastic = call(nodes(plain, 4), nodes(cells, 4), "all_to_all", 1.0, 1.0);
  plastic.synapse = "clopath_synapse";
  EXPECT_THROW(net.connect(plastic), IllegalConnection);
  EXPECT_THROW(net.connect(call(nodes(plain, 4), connect::NodeSet({{cells, 8, 1}}), "all_to_all", 1.0, 1.0)), IllegalConnection);
}

}  // namespace
}  // namespace npl::sim::test_precise
