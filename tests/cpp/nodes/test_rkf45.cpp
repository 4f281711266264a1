// SPDX-License-Identifier: Apache-2.0
// The Runge-Kutta-Fehlberg driver on equations with known solutions, and the models that use it against a fine reference.
#include "nodes/rkf45.hpp"

#include "harness.hpp"

namespace npl::nodes::test_rkf45 {
namespace {

/// An equation y' = f(y) as a model; Equation::slope(y) is f.
template <class Equation>
struct Ode {
  static constexpr const char* name = "ode";
  static constexpr const char* doc = "y' = f(y)";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;
  struct Params {
    double tolerance;
  };
  static constexpr std::array parameters{Field{"tolerance", "", 1e-8, "Error per substep"}};
  struct State {
    double y, attempts, h;
  };
  static constexpr std::array state{Field{"y", "", 1.0, "y"}, Field{"_accepted", "", 0.0, "Substeps"},
                                    Field{"_h", "ms", 0.0, "Next substep"}};
  struct Derived {
    double dt, tolerance;
  };
  static Derived derive(const Params& p, double h) { return {h, p.tolerance}; }
  static constexpr std::size_t n_ode = 1;
  using Vars = std::array<double, 1>;
  static double tolerance(const Derived& d) { return d.tolerance; }
  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived&, double) { return {Equation::slope(y[0])}; }
  NPL_INLINE static double accepted(State& s, const Derived&) { return s.attempts += 1.0, 0.0; }
  NPL_INLINE static double finish(State& s, const Derived&, const Input<1>& in) { return s.y += in.spikes[0], 0.0; }
};

struct Saturating {  // y = sqrt(2) tanh((t + t0) / sqrt(2))
  NPL_INLINE static double slope(double y) { return 1.0 - 0.5 * y * y; }
};
struct Growing {
  NPL_INLINE static double slope(double y) { return y; }
};
struct Stiff {
  NPL_INLINE static double slope(double y) { return -1e5 * y; }
};
struct BlowingUp {  // reaches infinity at t = 1 / y0
  NPL_INLINE static double slope(double y) { return y * y; }
};
struct Undefined {
  NPL_INLINE static double slope(double y) { return y * std::numeric_limits<double>::quiet_NaN(); }
};

template <class Equation>
const ModelInfo& model() {
  static const ModelInfo info = info_of(describe<Ode<Equation>>(update_rkf45<Ode<Equation>>));
  return info;
}

TEST(Rkf45, FifthOrder) {
  using M = Ode<Saturating>;
  const M::Derived d{1.0, 1.0};
  const auto error = [&](int steps) {
    M::State s{0.3, 0.0, 0.0};
    for (int k = 0; k < steps; ++k) s.y = rkf45::try_substep<M>(s, d, 0.0, 2.0 / steps).y[0];
    const double root = std::sqrt(2.0), t0 = root * std::atanh(0.3 / root);
    return std::abs(s.y - root * std::tanh((2.0 + t0) / root));
  };
  for (int steps : {8, 16, 32}) EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), 5.0, 0.6) << steps;
}

TEST(Rkf45, EstimatedErrorIsThatOfTheFourthOrder) {
  using M = Ode<Growing>;
  const M::Derived d{1.0, 1.0};
  double before = 0;
  for (double h : {0.4, 0.2, 0.1}) {
    const double estimate = std::sqrt(rkf45::try_substep<M>({1.0, 0.0, 0.0}, d, 0.0, h).error);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / estimate), 5.0, 0.3);  // local error of a fourth-order solution
    }
    before = estimate;
  }
}

TEST(Rkf45, ToleranceSetsTheErrorAndTheCost) {
  double error_before = 1.0, cost_before = 0.0;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    TestGroup g(model<Growing>(), 1, 1.0, {{"tolerance", tolerance}});
    for (int k = 0; k < 5; ++k) g.step();
    const double error = std::abs(g.state("y") - std::exp(5.0));
    EXPECT_LT(error, 3000 * tolerance);
    EXPECT_LT(error, error_before);
    EXPECT_GT(g.state("_accepted"), cost_before);
    EXPECT_LE(g.state("_h"), 1.0);
    error_before = error;
    cost_before = g.state("_accepted");
  }
}

TEST(Rkf45, StepSizeIsKeptPerNeuron) {
  TestGroup g(model<BlowingUp>(), 3, 0.1);
  g.state("y", 1) = 9.0;
  g.step();
  EXPECT_EQ(g.state("_h", 0), g.state("_h", 2));
  EXPECT_LT(g.state("_h", 1), 0.02);
  EXPECT_GT(g.state("_h", 0), 0.05);
  EXPECT_NEAR(g.state("y", 1), 90.0, 1e-3);  // 1 / (1/9 - 0.1)
}

TEST(Rkf45, StiffEquationStaysStable) {
  TestGroup g(model<Stiff>(), 1, 0.1);
  for (int k = 0; k < 3; ++k) g.step();
  EXPECT_LT(std::abs(g.state("y")), 1e-6);
  EXPECT_LT(g.state("_accepted"), 3.0 * max_attempts);
}

TEST(Rkf45, AlwaysEnds) {
  TestGroup explosion(model<BlowingUp>(), 2, 1.0, {{"y", 5.0}}), undefined(model<Undefined>(), 2, 1.0);
  explosion.state("y", 1) = 0.1;
  for (int k = 0; k < 3; ++k) explosion.step(), undefined.step();
  EXPECT_LE(explosion.state("_accepted", 0), 3.0 * max_attempts);
  EXPECT_NEAR(explosion.state("y", 1), 1 / (1 / 0.1 - 3), 1e-7) << "the neighbour is not disturbed";
}

TEST(Rkf45, RoughRootIsCloseAndSafeAtTheEnds) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) EXPECT_NEAR(rkf45::rough_root(x) / std::pow(x, -0.1), 1.0, 0.07) << x;
  EXPECT_GT(rkf45::rough_root(0.0), 5.0);
  EXPECT_LT(rkf45::rough_root(std::numeric_limits<double>::infinity()), 0.2);
}

/// One model's equations in long double, stepped by classical Runge-Kutta so finely that its error does not count.
using Slopes = std::vector<long double> (*)(const std::vector<long double>&, long double current);

std::vector<long double> fine(Slopes f, std::vector<long double> y, long double current, long double time, int steps) {
  const auto plus = [](const auto& a, const auto& k, long double h) {
    auto b = a;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += h * k[i];
    return b;
  };
  const long double h = time / steps;
  for (int n = 0; n < steps; ++n) {
    const auto k1 = f(y, current), k2 = f(plus(y, k1, h / 2), current), k3 = f(plus(y, k2, h / 2), current),
               k4 = f(plus(y, k3, h), current);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

std::vector<long double> cond_exp(const std::vector<long double>& y, long double I) {
  return {(-16.6667L * (y[0] + 70) - y[1] * y[0] - y[2] * (y[0] + 85) + I) / 250, -y[1] / 0.2L, -y[2] / 2};
}
std::vector<long double> aeif(const std::vector<long double>& y, long double I) {
  return {(-30 * (y[0] + 70.6L) + 60 * expl((y[0] + 50.4L) / 2) - y[1] * y[0] - y[2] * (y[0] + 85) - y[3] + I) / 281, -y[1] / 0.2L,
          -y[2] / 2, (4 * (y[0] + 70.6L) - y[3]) / 144};
}
std::vector<long double> hodgkin_huxley(const std::vector<long double>& y, long double I) {
  const long double V = y[0], m = y[1], h = y[2], n = y[3];
  const auto rate = [](long double x) { return x == 0 ? 1.0L : x / -expm1l(-x); };
  const long double am = rate((V + 40) / 10), bm = 4 * expl(-(V + 65) / 18), ah = 0.07L * expl(-(V + 65) / 20),
                    bh = 1 / (1 + expl(-(V + 35) / 10));
  const long double an = 0.1L * rate((V + 55) / 10), bn = 0.125L * expl(-(V + 65) / 80);
  return {(-30 * (V + 54.402L) - 12000 * m * m * m * h * (V - 50) - 3600 * n * n * n * n * (V + 77) + I + y[4] + y[5]) / 100,
          am * (1 - m) - bm * m,
          ah * (1 - h) - bh * h,
          an * (1 - n) - bn * n,
          y[6] - y[4] / 0.2L,
          y[7] - y[5] / 2,
          -y[6] / 0.2L,
          -y[7] / 2};
}

struct Solved {
  const char* model;
  Slopes slopes;
  std::vector<const char*> variables;
  double current, weight;
  int steps;
  double allowed;  // mV
};

class SolverModels : public testing::TestWithParam<Solved> {};

/// 100 steps with input, before any spike: the reference follows from step to step with the same jumps.
TEST_P(SolverModels, FollowTheirEquations) {
  const auto& [name, slopes, variables, current, weight, steps, allowed] = GetParam();
  TestGroup g(find_model(name), 1);
  g.current(0) = current;
  std::vector<long double> y;
  for (const char* v : variables) y.push_back(g.state(v));
  const bool psc = std::string(name) == "hh_psc_alpha";
  double worst = 0;
  for (int n = 0; n < steps; ++n) {
    const double w = n == 20 ? weight : n == 31 ? -0.5 * weight : 0.0;
    if (w != 0) g.receive(0, w);
    ASSERT_TRUE(g.step(true).empty()) << "spike in step " << n;
    y = fine(slopes, y, current, 0.1L, 400);
    if (psc)
      y[w > 0 ? 6 : 7] += w * expl(1) / (w > 0 ? 0.2L : 2.0L);
    else
      y[w > 0 ? 1 : 2] += std::abs(w);
    worst = std::max(worst, static_cast<double>(fabsl(g.state("V_m") - y[0])));
  }
  EXPECT_LT(worst, allowed);
  for (std::size_t k = 1; k < y.size(); ++k) EXPECT_NEAR(g.state(variables[k]), static_cast<double>(y[k]), allowed) << variables[k];
}

INSTANTIATE_TEST_SUITE_P(Models, SolverModels,
                         testing::Values(Solved{"iaf_cond_exp", cond_exp, {"V_m", "g_ex", "g_in"}, 100.0, 40.0, 100, 2e-4},
                                         Solved{"aeif_cond_exp", aeif, {"V_m", "g_ex", "g_in", "w"}, 300.0, 40.0, 100, 1e-5},
                                         Solved{"hh_psc_alpha",
                                                hodgkin_huxley,
                                                {"V_m", "Act_m", "Inact_h", "Act_n", "I_syn_ex", "I_syn_in", "_dI_ex", "_dI_in"},
                                                100.0,
                                                200.0,
                                                100,
                                                1e-3}),
                         [](const auto& info) { return info.param.model; });

TEST(HhPscAlpha, RatesAreSmoothWhereTheyAreZeroByZero) {
  // V = -40 and -55: both rates have the form 0 / 0 there.
  for (double V : {-40.0, -55.0})
    for (double beside : {0.0, 1e-13, -1e-9, 1e-6, -1e-4, 0.0099, 0.0101, -0.0101, 0.1}) {
      TestGroup g(find_model("hh_psc_alpha"), 1, 0.01);
      g.state("V_m") = V + beside;
      const auto exact =
          fine(hodgkin_huxley, {g.state("V_m"), g.state("Act_m"), g.state("Inact_h"), g.state("Act_n"), 0, 0, 0, 0}, 0, 0.01L, 100);
      g.step();
      EXPECT_NEAR(g.state("Act_m"), static_cast<double>(exact[1]), 1e-8) << V << ' ' << beside;
      EXPECT_NEAR(g.state("Act_n"), static_cast<double>(exact[3]), 1e-8) << V << ' ' << beside;
    }
}

TEST(HhPscAlpha, FiresOncePerActionPotential) {
  TestGroup g(find_model("hh_psc_alpha"), 1, 0.1, {{"I_e", 1000.0}});
  std::vector<Step> stamps;
  double before = -65;
  for (int n = 0; n < 1000; ++n) {
    const bool fired = !g.step().empty();
    if (fired) {
      EXPECT_GE(g.state("V_m"), 0.0);
      EXPECT_LT(g.state("V_m"), before) << "not after the peak";
      stamps.push_back(g.now());
    }
    before = g.state("V_m");
  }
  ASSERT_GE(stamps.size(), 5u);
  for (std::size_t k = 1; k < stamps.size(); ++k) EXPECT_GT(stamps[k] - stamps[k - 1], 80);
}

TEST(AeifCondExp, MayFireSeveralTimesInOneStepAndRestsWhenRefractory) {
  TestGroup fast(find_model("aeif_cond_exp"), 1, 0.1, {{"I_e", 3e5}, {"b", 10.0}});
  std::size_t most = 0, all = 0;
  for (int n = 0; n < 20; ++n) {
    const auto count = fast.step().size();
    most = std::max(most, count), all += count;
  }
  EXPECT_GT(most, 1u);
  EXPECT_GT(fast.state("w"), 9.0 * static_cast<double>(all)) << "adaptation by each spike";
  TestGroup slow(find_model("aeif_cond_exp"), 1, 0.1, {{"I_e", 1e5}, {"t_ref", 0.2}});
  for (int n = 0; n < 30; ++n) {
    EXPECT_EQ(slow.step().size(), n % 3 == 0 ? 1u : 0u);
    EXPECT_EQ(slow.state("V_m"), -60.0);
  }
}

TEST(IafCondExp, NegativeWeightIsAnInhibitoryConductance) {
  TestGroup g(find_model("iaf_cond_exp"), 1);
  g.receive(0, -12.0);
  g.receive(0, 5.0);
  g.step();
  EXPECT_NEAR(g.state("g_in"), 12.0, 1e-9);
  EXPECT_NEAR(g.state("g_ex"), 5.0, 1e-9);
  g.step();
  EXPECT_NEAR(g.state("g_in"), 12.0 * std::exp(-0.05), 1e-4);
}

}  // namespace
}  // namespace npl::nodes::test_rkf45
