// SPDX-License-Identifier: Apache-2.0
// Models without a membrane equation to solve, and what each model's check() refuses.
#include <set>

#include "base/error.hpp"
#include "harness.hpp"

namespace npl::nodes::test_other_models {
namespace {

std::vector<Step> stamps(TestGroup& g, int steps, std::size_t neuron = 0) {
  std::vector<Step> found;
  for (int n = 0; n < steps; ++n)
    for (Gid gid : g.step())
      if (gid == static_cast<Gid>(neuron) + 1) found.push_back(g.now());
  return found;
}

TEST(Parrot, RepeatsEverySpikeInTheSameStep) {
  TestGroup g(find_model("parrot_neuron"), 3);
  for (int k = 0; k < 3; ++k) g.receive(1, -7.5);
  g.receive(2, 1.0);
  EXPECT_EQ(g.step(), (std::vector<Gid>{2, 2, 2, 3}));
  EXPECT_TRUE(g.step().empty());
}

TEST(IgnoreAndFire, PeriodAndPhaseAreThoseSeenInNest) {
  struct Seen {
    double rate, phase;
    Step first, period;
  };
  for (auto [rate, phase, first, period] :
       {Seen{100, 1, 101, 100}, Seen{100, 0.505, 52, 100}, Seen{100, 0.01, 2, 100}, Seen{300, 0.75, 26, 34}, Seen{300, 0.3, 11, 34},
        Seen{333.33, 1, 31, 30}, Seen{640, 0.7, 12, 16}, Seen{1001, 1, 11, 10}, Seen{20000, 1, 2, 1}}) {
    TestGroup g(find_model("ignore_and_fire"), 1, 0.1, {{"rate", rate}, {"phase", phase}});
    const auto found = stamps(g, 400);
    ASSERT_GE(found.size(), 3u);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], first + static_cast<Step>(k) * period) << rate << ' ' << phase;
  }
}

/// Izhikevich's equations as written, one neuron, plain loop.
std::pair<double, double> izhikevich(double V, double U, double I, double spikes, double h, bool consistent) {
  const auto slope = [&](double v, double i) { return 0.04 * v * v + 5 * v + 140 - U + i; };
  if (consistent) return {V + h * slope(V, I) + spikes, U + h * 0.02 * (0.2 * V - U)};
  const double half = V + 0.5 * h * slope(V, I + spikes), full = half + 0.5 * h * slope(half, I + spikes);
  return {full, U + h * 0.02 * (0.2 * full - U)};
}

TEST(Izhikevich, FollowsItsEquations) {
  for (bool consistent : {true, false}) {
    TestGroup g(find_model("izhikevich"), 1, 0.5, {{"I_e", 5.0}, {"consistent_integration", consistent ? 1.0 : 0.0}});
    double V = -65, U = -13;
    std::size_t spikes = 0;
    for (int n = 0; n < 2000; ++n) {
      const double w = n % 37 == 0 ? 6.5 : 0.0;
      if (w != 0) g.receive(0, w);
      g.current(0) = n < 500 ? 0.0 : 4.0;
      std::tie(V, U) = izhikevich(V, U, n < 500 ? 5.0 : 9.0, w, 0.5, consistent);
      const bool fires = V >= 30;
      if (fires) V = -65, U += 8;
      ASSERT_EQ(g.step(true).size(), fires ? 1u : 0u);
      spikes += fires;
      ASSERT_NEAR(g.state("V_m"), V, 1e-6);
      ASSERT_NEAR(g.state("U_m"), U, 1e-6);
      V = g.state("V_m"), U = g.state("U_m");
    }
    EXPECT_GT(spikes, 10u);
  }
}

TEST(IntervalFire, IntervalsAreUniformBetween20And40) {
  constexpr std::size_t neurons = 400;
  TestGroup g(find_model("interval_fire"), neurons);
  std::vector<Step> last(neurons, 0);
  std::vector<double> intervals;
  for (int n = 0; n < 10000; ++n)
    for (Gid gid : g.step()) {
      auto& before = last[static_cast<std::size_t>(gid) - 1];
      intervals.push_back(0.1 * static_cast<double>(g.now() - before));
      before = g.now();
    }
  ASSERT_GT(intervals.size(), 12000u);
  std::sort(intervals.begin(), intervals.end());
  EXPECT_GE(intervals.front(), 20.0 - 1e-9);
  EXPECT_LE(intervals.back(), 40.0 + 1e-9);
  // Kolmogorov-Smirnov against the uniform distribution; intervals begun near the end are cut, which favours short ones by 1 %.
  double distance = 0;
  for (std::size_t k = 0; k < intervals.size(); ++k)
    distance =
        std::max(distance, std::abs((static_cast<double>(k) + 0.5) / static_cast<double>(intervals.size()) - (intervals[k] - 20) / 20));
  EXPECT_LT(distance, 0.025);
}

TEST(IntervalFire, FirstSpikesComeBetween20And40) {
  TestGroup g(find_model("interval_fire"), 100);
  std::size_t before_20 = 0, first_40 = 0;
  for (int n = 0; n < 400; ++n) (n < 199 ? before_20 : first_40) += g.step().size();
  EXPECT_EQ(before_20, 0u);
  EXPECT_GE(first_40, 100u);
}

TEST(IntervalFire, InputMovesTheNextSpikeAsTheEquationSays) {
  TestGroup with(find_model("interval_fire"), 200), without(find_model("interval_fire"), 200);
  for (int n = 0; n < 100; ++n) with.step(), without.step();
  std::vector<double> expected;
  for (std::size_t i = 0; i < 200; ++i) {
    const double w = i % 2 ? 0.01 : -0.01;
    with.receive(i, w);
    expected.push_back(w);
  }
  with.step();
  without.step();
  for (std::size_t i = 0; i < 200; ++i) {
    const double m = with.state("m", i), m_inf = with.state("_m_inf", i);
    EXPECT_NEAR(m - without.state("m", i), expected[i], 1e-9);
    expected[i] = 101 + std::ceil(50.0 * std::log((m_inf - m) / (m_inf - 1)));  // tau = 5 ms = 50 steps
  }
  std::vector<Step> found(200, 0);
  for (int n = 0; n < 400; ++n)
    for (Gid gid : with.step())
      if (auto& stamp = found[static_cast<std::size_t>(gid) - 1]; stamp == 0) stamp = with.now();
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(static_cast<double>(found[i]), expected[i]) << i;
}

TEST(IntervalFire, StrongInputFiresAtOnceAndSeedsDiffer) {
  TestGroup g(find_model("interval_fire"), 1);
  g.step();
  g.receive(0, 1.0);
  EXPECT_EQ(g.step().size(), 1u);
  EXPECT_EQ(g.state("m"), 0.0);
  TestGroup one(find_model("interval_fire"), 1, 0.1, {}, false, 1), two(find_model("interval_fire"), 1, 0.1, {}, false, 2);
  EXPECT_NE(stamps(one, 3000), stamps(two, 3000));
}

TEST(Binary, StatesAreAsLikelyAsTheGainSaysAndChangesAreTold) {
  struct Gain {
    const char* model;
    Values values;
    double input, probability;
  };
  for (const auto& [model, values, input, probability] :
       {Gain{"ginzburg_neuron", {{"c_1", 0.1}, {"c_2", 0.6}, {"c_3", 0.8}, {"theta", 1.0}}, 1.5, 0.15 + 0.3 * (1 + std::tanh(0.4))},
        Gain{"erfc_neuron", {{"theta", 1.0}, {"sigma", 2.0}}, 2.5, 0.5 * std::erfc(-0.75 / std::sqrt(2.0))},
        Gain{"erfc_neuron", {{"theta", 1.0}, {"sigma", 0.25}}, 0.25, 0.5 * std::erfc(3.0 / std::sqrt(2.0))},
        Gain{"mcculloch_pitts_neuron", {{"theta", 1.0}}, 1.0, 0.0}, Gain{"mcculloch_pitts_neuron", {{"theta", 1.0}}, 1.001, 1.0}}) {
    constexpr std::size_t n = 300;
    TestGroup g(find_model(model), n, 0.1, values);
    for (std::size_t i = 0; i < n; ++i) g.receive(i, input);
    double on = 0, spikes = 0, changes = 0;
    for (int k = 0; k < 3500; ++k) {
      std::vector<double> before;
      for (std::size_t i = 0; i < n; ++i) before.push_back(g.state("S", i));
      spikes += static_cast<double>(g.step().size());
      for (std::size_t i = 0; i < n; ++i) {
        const double now = g.state("S", i);
        changes += now != before[i] ? 1.0 + now : 0.0;
        on += k >= 500 ? now : 0.0;
      }
    }
    EXPECT_NEAR(on / (3000.0 * n), probability, 0.02) << model;
    EXPECT_EQ(spikes, changes) << model;
    const double looks = 3500.0 * n / 100.0;  // every 10 ms
    EXPECT_NEAR(changes, 3 * looks * probability * (1 - probability), 2.0 * n + 0.03 * looks)
        << model;  // the first change is always possible
  }
}

TEST(Check, RefusesWhatNestRefuses) {
  struct Refused {
    const char* model;
    Values values;
    const char* parameter;
  };
  const std::vector<Refused> cases{{"iaf_psc_delta", {{"V_reset", -55.0}}, "V_reset"},
                                   {"iaf_psc_delta", {{"refractory_input", 0.5}}, "refractory_input"},
                                   {"iaf_psc_exp", {{"V_th", -70.0}}, "V_reset"},
                                   {"iaf_psc_alpha", {{"V_reset", -50.0}}, "V_reset"},
                                   {"iaf_cond_exp", {{"V_reset", -55.0}}, "V_reset"},
                                   {"aeif_cond_exp", {{"V_peak", -51.0}}, "V_peak"},
                                   {"aeif_cond_exp", {{"V_reset", 0.0}}, "V_reset"},
                                   {"aeif_cond_exp", {{"Delta_T", 0.07}}, "Delta_T"},
                                   {"ignore_and_fire", {{"phase", 1.01}}, "phase"},
                                   {"izhikevich", {{"consistent_integration", 2.0}}, "consistent_integration"},
                                   {"interval_fire", {{"interval_max", 19.0}}, "interval_max"}};
  for (const auto& [model, values, parameter] : cases) {
    try {
      TestGroup g(find_model(model), 1, 0.1, values);
      ADD_FAILURE() << model << " takes " << values.begin()->first << " = " << values.begin()->second;
    } catch (const BadParameter& e) {
      EXPECT_EQ(e.parameter, parameter);
    }
  }
}

TEST(Check, AllowsWhatNestAllows) {
  for (const auto& [model, values] : std::vector<std::pair<const char*, Values>>{{"aeif_cond_exp", {{"V_peak", -50.4}}},
                                                                                 {"aeif_cond_exp", {{"Delta_T", 0.0}}},
                                                                                 {"aeif_cond_exp", {{"Delta_T", 0.08}}},
                                                                                 {"izhikevich", {{"c", 40.0}}},
                                                                                 {"iaf_psc_exp", {{"tau_m", 2.0}}},
                                                                                 {"iaf_psc_alpha", {{"V_min", -60.0}}},
                                                                                 {"iaf_cond_exp", {{"g_L", -1.0}}}})
    EXPECT_NO_THROW(TestGroup(find_model(model), 1, 0.1, values)) << model;
}

TEST(Check, BoundsAreThoseOfNest) {
  const std::set<std::string> never_zero{
      "amat2_psc_exp",    "glif_cond",        "glif_psc",       "glif_psc_double_alpha",  "mat2_psc_exp",
      "iaf_psc_alpha_ps", "iaf_psc_delta_ps", "iaf_psc_exp_ps", "iaf_psc_exp_ps_lossless"};  // their t_ref
  for (const ModelInfo* model : models())
    for (const Field& f : model->parameters) {
      const std::string name = f.name;
      if (name.starts_with("tau") || name == "C_m" || name == "rate") {
        EXPECT_EQ(f.bound,
                  name == "tau_fac" || (model->name == "siegert_neuron" && name == "tau_syn") ? Bound::non_negative : Bound::positive)
            << model->name << ' ' << name;
      }
      if (name == "t_ref" || name == "Delta_T") {
        EXPECT_EQ(f.bound, never_zero.contains(model->name) ? Bound::positive : Bound::non_negative) << model->name << ' ' << name;
      }
    }
}

}  // namespace
}  // namespace npl::nodes::test_other_models
