// SPDX-License-Identifier: Apache-2.0
// Parts that several models share: matrix exponentials, shapes of conductances, receptors by number; and models where they meet.
#include <array>

#include "base/error.hpp"
#include "harness.hpp"
#include "model/matrix_exponential.hpp"
#include "model/receptors.hpp"

namespace npl::nodes::test_parts {
namespace {

TEST(MatrixExponential, OfARotationAndOfAJordanBlock) {
  for (double h : {1e-6, 0.1, 3.0, 40.0}) {
    const auto turn = exponential(Matrix<2>{{{0.0, 1.0}, {-1.0, 0.0}}}, h);
    EXPECT_NEAR(turn[0][0], std::cos(h), 1e-12) << h;
    EXPECT_NEAR(turn[0][1], std::sin(h), 1e-12) << h;
    const auto block = exponential(Matrix<3>{{{-0.5, 1.0, 0.0}, {0.0, -0.5, 1.0}, {0.0, 0.0, -0.5}}}, h);
    EXPECT_NEAR(block[0][0], std::exp(-0.5 * h), 1e-14);
    EXPECT_NEAR(block[0][1], h * std::exp(-0.5 * h), 1e-14 * (1 + h));
    EXPECT_NEAR(block[0][2], h * h / 2 * std::exp(-0.5 * h), 1e-14 * (1 + h * h));
    EXPECT_EQ(block[2][0], 0.0);
  }
}

TEST(BetaJump, MakesThePeakOne) {
  for (double rise : {0.2, 1.0, 2.0, 2.0000001, 5.0})
    for (double decay : {0.2, 2.0, 2.1, 50.0}) {
      double peak = 0;
      for (double t = 0; t < 100; t += 1e-3) {
        const double x = t * (1 / decay - 1 / rise);
        peak = std::max(peak, beta_jump(rise, decay) * t * std::exp(-t / decay) * (x == 0 ? 1 : std::expm1(x) / x));
      }
      EXPECT_NEAR(peak, 1.0, 1e-5) << rise << ' ' << decay;
    }
}

TEST(IafCondBeta, ConductanceIsADifferenceOfExponentials) {
  TestGroup g(find_model("iaf_cond_beta"), 1, 0.1, {{"tau_rise_ex", 0.5}, {"tau_decay_ex", 4.0}, {"V_th", 0.0}});
  g.receive(0, 5.0);
  g.step();
  for (int n = 1; n < 200; ++n) {
    g.step();
    const double t = 0.1 * n, peak = std::exp(-std::log(8.0) / 7.0) - std::exp(-8.0 * std::log(8.0) / 7.0);  // at t = log(8) * 4 / 7
    EXPECT_NEAR(g.state("g_ex"), 5.0 * (std::exp(-t / 4.0) - std::exp(-t / 0.5)) / peak, 1e-4);
  }
}

/// iaf_cond_beta with its defaults but for the excitatory time constants, integrated in steps of 1 us: V' = (-g_L (V - E_L) - g V) / C_m,
/// g' = dg - g / rise, dg' = -dg / decay.
struct FineBeta {
  double V = -70.0, g = 0.0, dg = 0.0;
  void run(double time, double rise, double decay) {
    constexpr double h = 1e-3;
    const auto slopes = [&](const std::array<double, 3>& y) {
      return std::array{(-16.6667 * (y[0] + 70.0) - y[1] * y[0]) / 250.0, y[2] - y[1] / rise, -y[2] / decay};
    };
    std::array y{V, g, dg};
    const auto plus = [&](const std::array<double, 3>& k, double x) {
      return std::array{y[0] + x * k[0], y[1] + x * k[1], y[2] + x * k[2]};
    };
    for (int n = 0; n < static_cast<int>(time / h + 0.5); ++n) {
      const auto k1 = slopes(y), k2 = slopes(plus(k1, h / 2)), k3 = slopes(plus(k2, h / 2)), k4 = slopes(plus(k3, h));
      for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    V = y[0], g = y[1], dg = y[2];
  }
};

TEST(IafCondBeta, ConductancesThatAreSetDecayAsTheEquationsSay) {
  const Values taus{{"tau_rise_ex", 1.0}, {"tau_decay_ex", 8.0}};
  for (const char* variable : {"g_ex", "dg_ex"}) {
    const bool is_g = std::string(variable) == "g_ex";
    TestGroup g(find_model("iaf_cond_beta"), 1, 0.1, taus);
    g.state(variable) = 10.0;
    FineBeta fine{-70.0, is_g ? 10.0 : 0.0, is_g ? 0.0 : 10.0};
    for (int n = 0; n < 60; ++n) {
      g.step();
      fine.run(0.1, 1.0, 8.0);
      if (!is_g && fine.V > -56.0) break;  // a spike would follow
      ASSERT_NEAR(g.state("V_m"), fine.V, 1e-3) << variable << ' ' << n;
      ASSERT_NEAR(g.state("g_ex"), fine.g, 1e-3) << variable << ' ' << n;
      ASSERT_NEAR(g.state("dg_ex"), fine.dg, 1e-3) << variable << ' ' << n;
    }
    if (is_g) {
      EXPECT_NEAR(g.state("V_m"), -68.0346, 1e-3);  // NEST 3.10: -68.03460770
    }
  }
}

TEST(IafCondBeta, TimeConstantsThatChangeDuringARun) {
  TestGroup before(find_model("iaf_cond_beta"), 1, 0.1, {{"tau_rise_ex", 1.0}, {"tau_decay_ex", 8.0}});
  TestGroup after(find_model("iaf_cond_beta"), 1, 0.1, {{"tau_rise_ex", 3.0}, {"tau_decay_ex", 4.0}});
  FineBeta fine;
  before.receive(0, 5.0);
  before.step();
  fine.dg = 5.0 * beta_jump(1.0, 8.0);
  for (int n = 0; n < 20; ++n) before.step();
  fine.run(2.0, 1.0, 8.0);
  after.restore(before);
  for (int n = 0; n < 60; ++n) {
    after.step();
    fine.run(0.1, 3.0, 4.0);
    ASSERT_NEAR(after.state("V_m"), fine.V, 1e-3) << n;
    ASSERT_NEAR(after.state("g_ex"), fine.g, 1e-3) << n;
  }
  EXPECT_NEAR(after.state("V_m"), -59.4038, 1e-3);  // NEST 3.10, time constants set 2 ms after the spike: -59.40382226
}

TEST(IafPscExpMultisynapse, EqualTimeConstantsAreNoSpecialCase) {
  TestGroup g(find_model("iaf_psc_exp_multisynapse"), 1, 0.1, {{"tau_syn_1", 10.0}, {"V_th", 0.0}});
  g.receive(0, 100.0);
  g.step();
  for (int n = 1; n < 300; ++n) {
    g.step();
    const double t = 0.1 * n;
    EXPECT_NEAR(g.state("V_m"), -70 + 100.0 / 250 * t * std::exp(-t / 10), 1e-11);
  }
}

TEST(Multisynapse, MoreReceptorsThanThereAreAreRefused) {
  const ModelInfo& model = find_model("iaf_psc_exp_multisynapse");
  std::vector<double> values;
  for (const Field& f : model.parameters) values.push_back(f.init);
  for (double n : {9.0, 1.5, -1.0}) {
    values[index_of(model.parameters, "n_synapses")] = n;
    EXPECT_THROW(model.check(values.data()), BadParameter) << n;
  }
}

TEST(Amat2PscExp, EqualTimeConstantsAreNoSpecialCase) {
  const Values equal{{"tau_m", 5.0}, {"tau_syn_ex", 5.0}, {"tau_v", 5.0}, {"beta", 0.4}, {"omega", 1e3}};
  const Values near{{"tau_m", 5.0}, {"tau_syn_ex", 5.0 + 1e-9}, {"tau_v", 5.0 - 1e-9}, {"beta", 0.4}, {"omega", 1e3}};
  TestGroup a(find_model("amat2_psc_exp"), 1, 0.1, equal), b(find_model("amat2_psc_exp"), 1, 0.1, near);
  for (int n = 0; n < 300; ++n) {
    if (n == 20) a.receive(0, 100.0), b.receive(0, 100.0);
    a.step();
    b.step();
    EXPECT_NEAR(a.state("V_th_v"), b.state("V_th_v"), 1e-7);
  }
  EXPECT_GT(std::abs(a.state("V_th_v")), 1e-4);
}

/// V integrated finely: the threshold that follows it is beta * integral of s exp(-s / tau_v) V'(t - s).
TEST(Amat2PscExp, ThresholdFollowsThePotential) {
  TestGroup g(find_model("amat2_psc_exp"), 1, 0.1, {{"beta", 0.3}, {"omega", 1e3}, {"I_e", 100.0}});
  for (int n = 0; n < 300; ++n) {
    g.step();
    const double t = 0.1 * (n + 1), k = 1 / 5.0 - 1 / 10.0;  // V' = 0.5 exp(-t / 10)
    EXPECT_NEAR(g.state("V_th_v"), 0.3 * 0.5 * std::exp(-t / 10) * (1 - (1 + k * t) * std::exp(-k * t)) / (k * k), 1e-11);
  }
}

TEST(AeifPscDelta, RefractoryInputWaitsOnlyWhenAsked) {
  for (double keeps : {0.0, 1.0}) {
    TestGroup g(find_model("aeif_psc_delta"), 1, 0.1,
                {{"V_m", 1.0}, {"t_ref", 1.0}, {"a", 0.0}, {"b", 0.0}, {"Delta_T", 0.0}, {"refractory_input", keeps}});
    EXPECT_EQ(g.step().size(), 1u);
    int steps = 0;
    for (; g.state("V_m") == -60.0; ++steps) {
      if (steps == 3) g.receive(0, 5.0);
      ASSERT_TRUE(g.step().empty());
      ASSERT_LT(steps, 20);
    }
    TestGroup calm(find_model("aeif_psc_delta"), 1, 0.1, {{"V_m", -60.0}, {"a", 0.0}, {"Delta_T", 0.0}});
    calm.step();
    const double waited = 0.1 * (steps - 4);  // from its arrival to the end of the first free step
    EXPECT_NEAR(g.state("V_m"), calm.state("V_m") + keeps * 5.0 * std::exp(-waited * 30.0 / 281.0), 1e-5);
  }
}

TEST(IafPscExpHtum, MayIntegrateBeforeItMaySpike) {
  TestGroup g(find_model("iaf_psc_exp_htum"), 1, 0.1, {{"I_e", 5000.0}, {"t_ref_abs", 0.3}, {"t_ref_tot", 3.0}});
  std::vector<Step> stamps;
  double highest = -100;
  for (int n = 0; n < 200; ++n) {
    if (!g.step().empty()) stamps.push_back(g.now());
    highest = std::max(highest, g.state("V_m"));
  }
  ASSERT_GE(stamps.size(), 3u);
  for (std::size_t k = 1; k < stamps.size(); ++k) EXPECT_EQ(stamps[k] - stamps[k - 1], 31);
  EXPECT_GT(highest, -40.0) << "far above the threshold";
}

}  // namespace
}  // namespace npl::nodes::test_parts
