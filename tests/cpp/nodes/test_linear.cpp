// SPDX-License-Identifier: Apache-2.0
// The linear models against their closed solutions, and when things happen.
#include "base/error.hpp"
#include "harness.hpp"

namespace npl::nodes::test_linear {
namespace {

const Values membrane{{"C_m", 200.0}, {"tau_m", 15.0},     {"E_L", -68.0},     {"V_m", -68.0},
                      {"V_th", 1e6},  {"tau_syn_ex", 1.7}, {"tau_syn_in", 6.0}};
constexpr double tau_m = 15.0, C = 200.0, E_L = -68.0;

/// V - E_L at time t after the onset of a current of 1 pA: exponential, alpha (peak 1 pA), constant.
double exp_response(double t, double tau) {
  return t < 0 ? 0 : tau * tau_m / (tau_m - tau) / C * (std::exp(-t / tau_m) - std::exp(-t / tau));
}
double alpha_response(double t, double tau) {
  const double k = 1 / tau - 1 / tau_m;
  return t < 0 ? 0 : std::exp(1.0) / tau / C * (std::exp(-t / tau_m) - (1 + k * t) * std::exp(-t / tau)) / (k * k);
}
double step_response(double t) { return t < 0 ? 0 : tau_m / C * (1 - std::exp(-t / tau_m)); }

struct Case {
  const char* model;
  double (*response)(double, double);
};

class Psc : public testing::TestWithParam<Case> {};

TEST_P(Psc, PotentialIsTheSumOfTheResponses) {
  for (double h : {0.1, 0.05, 0.5}) {
    TestGroup g(find_model(GetParam().model), 1, h, membrane);
    double worst = 0;
    for (Step n = 0; n < std::lround(100 / h); ++n) {
      const double t = static_cast<double>(n + 1) * h;  // at the end of this step
      if (std::lround(t / h) == std::lround(5 / h)) g.receive(0, 120.0);
      if (std::lround(t / h) == std::lround(12.5 / h)) g.receive(0, -340.0), g.receive(0, 50.0);
      g.step();
      const double expected =
          E_L + 120 * GetParam().response(t - 5, 1.7) + 50 * GetParam().response(t - 12.5, 1.7) - 340 * GetParam().response(t - 12.5, 6.0);
      worst = std::max(worst, std::abs(g.state("V_m") - expected));
    }
    EXPECT_LT(worst, 1e-10) << h;
  }
}

TEST_P(Psc, CurrentJumpsOnArrivalAndPotentialMovesOneStepLater) {
  TestGroup g(find_model(GetParam().model), 1, 0.1, membrane);
  g.receive(0, 100.0);
  g.step();
  EXPECT_EQ(g.state("V_m"), E_L);
  EXPECT_NEAR(g.state("I_syn_ex"), GetParam().response == exp_response ? 100.0 : 0.0, 1e-10);
  g.step();
  EXPECT_NEAR(g.state("V_m"), E_L + 100 * GetParam().response(0.1, 1.7), 1e-12);
}

TEST_P(Psc, RefractoryNeuronKeepsItsCurrents) {
  TestGroup g(find_model(GetParam().model), 1, 0.1, {{"V_th", -69.0}, {"t_ref", 0.5}, {"V_m", -50.0}});
  EXPECT_EQ(g.step().size(), 1u);
  g.receive(0, 700.0);
  TestGroup calm(find_model(GetParam().model), 1, 0.1, {{"V_th", 0.0}});
  calm.receive(0, 700.0);
  for (int k = 0; k < 5; ++k) {
    EXPECT_TRUE(g.step().empty());
    calm.step();
    EXPECT_EQ(g.state("V_m"), -70.0);
    EXPECT_EQ(g.state("I_syn_ex"), calm.state("I_syn_ex"));
  }
  g.step();
  EXPECT_GT(g.state("V_m"), -70.0);
}

INSTANTIATE_TEST_SUITE_P(Models, Psc, testing::Values(Case{"iaf_psc_exp", exp_response}, Case{"iaf_psc_alpha", alpha_response}),
                         [](const auto& info) { return info.param.model; });

class Iaf : public testing::TestWithParam<const char*> {
 protected:
  const ModelInfo& model = find_model(GetParam());
};

TEST_P(Iaf, CurrentGivesTheStepResponse) {
  TestGroup g(model, 1, 0.1, membrane);
  for (int n = 0; n < 600; ++n) {
    g.current(0) = n < 200 ? 150.0 : -40.0;
    g.step(true);
    const double t = 0.1 * (n + 1);
    EXPECT_NEAR(g.state("V_m"), E_L + 150 * step_response(t) - 190 * step_response(t - 20 + 1e-12), 1e-10);
  }
}

TEST_P(Iaf, ConstantCurrentIsTheSameAsIe) {
  TestGroup device(model, 1), own(model, 1, 0.1, {{"I_e", 500.0}});
  device.current(0) = 500.0;
  for (int n = 0; n < 500; ++n) {
    EXPECT_EQ(device.step(true).size(), own.step(true).size());
    EXPECT_NEAR(device.state("V_m"), own.state("V_m"), 1e-11);
  }
}

TEST_P(Iaf, SpikesAtTheFirstGridPointAboveThreshold) {
  // V = E_L + R I (1 - exp(-t / tau)) reaches V_th at -tau log(1 - 15 / (R I)).
  const double crossing = -10.0 * std::log(1 - 15.0 / (10.0 / 250.0 * 600.0));
  const auto steps = static_cast<Step>(std::ceil(crossing / 0.1));
  TestGroup g(model, 1, 0.1, {{"I_e", 600.0}, {"t_ref", 1.5}});
  std::vector<Step> stamps;
  for (int n = 0; n < 1000; ++n)
    if (!g.step().empty()) stamps.push_back(g.now());
  ASSERT_GE(stamps.size(), 3u);
  for (std::size_t k = 0; k < stamps.size(); ++k) EXPECT_EQ(stamps[k], steps + static_cast<Step>(k) * (steps + 15));
}

TEST_P(Iaf, RestIsExactlyRest) {
  TestGroup g(model, 3, 0.1, {{"E_L", -65.3}, {"V_m", -65.3}});
  for (int n = 0; n < 1000; ++n) g.step();
  EXPECT_EQ(g.state("V_m", 1), -65.3);
}

INSTANTIATE_TEST_SUITE_P(Models, Iaf, testing::Values("iaf_psc_delta", "iaf_psc_exp", "iaf_psc_alpha"),
                         [](const auto& info) { return info.param; });

TEST(IafPscDelta, PotentialJumpsOnArrival) {
  TestGroup g(find_model("iaf_psc_delta"), 1);
  g.receive(0, 2.5);
  g.step();
  EXPECT_NEAR(g.state("V_m"), -67.5, 1e-9);
  g.step();
  EXPECT_NEAR(g.state("V_m"), -70 + 2.5 * std::exp(-0.01), 1e-9);
}

TEST(IafPscDelta, RefractoryInputWaitsOnlyWhenAsked) {
  for (double keeps : {0.0, 1.0}) {
    TestGroup g(find_model("iaf_psc_delta"), 1, 0.1, {{"V_m", 0.0}, {"t_ref", 1.0}, {"refractory_input", keeps}});
    for (int n = 0; n < 11; ++n) {
      if (n == 3) g.receive(0, 5.0);
      if (n == 9) g.receive(0, 3.0);
      EXPECT_EQ(g.step().size(), n == 0 ? 1u : 0u);
      EXPECT_EQ(g.state("V_m"), -70.0);
    }
    g.receive(0, 1.0);
    g.step();  // stamps 1 + 10 refractory ones are over: 5 has decayed for 0.8 ms, 3 for 0.2 ms
    EXPECT_NEAR(g.state("V_m"), -69 + keeps * (5 * std::exp(-0.08) + 3 * std::exp(-0.02)), 1e-9);
  }
}

TEST(Iaf, VMinStopsTheFall) {
  for (const char* name : {"iaf_psc_delta", "iaf_psc_alpha"}) {
    TestGroup g(find_model(name), 1, 0.1, {{"V_min", -72.0}});
    double lowest_seen = 0;
    for (int n = 0; n < 100; ++n) {
      g.receive(0, -50.0);
      g.step();
      lowest_seen = std::min(lowest_seen, g.state("V_m"));
    }
    EXPECT_EQ(lowest_seen, -72.0) << name;
  }
}

TEST(Iaf, CurrentsEndAtZeroNotAtSubnormals) {
  TestGroup g(find_model("iaf_psc_exp"), 1);
  g.receive(0, 100.0);
  for (int n = 0; n < 20000; ++n) g.step();
  EXPECT_EQ(g.state("I_syn_ex"), 0.0);
}

}  // namespace
}  // namespace npl::nodes::test_linear
