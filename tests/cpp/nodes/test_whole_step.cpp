// SPDX-License-Identifier: Apache-2.0
// Time steps in one piece: channels follow their closed forms, neurons their equations, whether a step is done at once or in substeps.
#include "nodes/whole_step.hpp"

#include "harness.hpp"

namespace npl::nodes::test_whole_step {
namespace {

TEST(WholeStep, FlowIsTheSolutionOfTheTwoEquations) {
  for (double rate : {0.05, 0.5, 5.0})
    for (double rise : {0.05, 0.5, 0.5 * (1.0 + 1e-12), 5.0}) {
      const double h = 0.1;
      const Flow f = flow_of(rate, rise, h);
      for (std::size_t j = 0; j < n_stages; ++j) {
        const long double t = static_cast<long double>(stage_times[j]) * h, difference = static_cast<long double>(rate) - rise;
        EXPECT_NEAR(f.a[j], static_cast<double>(expl(-rate * t)), 1e-15);
        const long double b = expl(-rate * t) * (difference == 0 ? t : expm1l(difference * t) / difference);
        EXPECT_NEAR(f.b[j], static_cast<double>(b), 1e-16) << rate << ' ' << rise;
      }
      EXPECT_NEAR(f.c, std::exp(-rise * h), 1e-15);
    }
}

TEST(WholeStep, ConductancesAreExact) {
  struct Shape {
    const char* model;
    Values values;
    double rise, decay;
  };
  for (const auto& [model, values, rise, decay] :
       {Shape{"iaf_cond_alpha", {{"tau_syn_ex", 0.3}}, 0.3, 0.3},
        Shape{"iaf_cond_beta", {{"tau_rise_ex", 0.2}, {"tau_decay_ex", 3.0}}, 0.2, 3.0},
        Shape{"aeif_cond_alpha", {{"tau_syn_ex", 0.3}}, 0.3, 0.3}, Shape{"aeif_cond_exp", {{"tau_syn_ex", 0.3}}, 0.0, 0.3}}) {
    TestGroup g(find_model(model), 1, 0.1, values);
    g.receive(0, 2.0);
    g.step();
    const double peak = rise == decay ? 1.0 : std::log(decay / rise) * rise * decay / (decay - rise);
    const auto shape = [&, rise = rise, decay = decay](double t) {
      if (rise == 0.0) return std::exp(-t / decay);
      return rise == decay ? t * std::exp(-t / decay) : std::exp(-t / decay) - std::exp(-t / rise);
    };
    const double top = rise == 0.0 ? 1.0 : rise == decay ? shape(decay) : shape(peak);
    for (int n = 1; n < 60; ++n) {
      g.step();
      EXPECT_NEAR(g.state("g_ex"), 2.0 * shape(0.1 * n) / top, 1e-8) << model << ' ' << n;  // weights are rounded to fixed point
    }
  }
}

/// An alpha conductance and a leak, in long double.
struct Leaky {
  long double V = -70, g = 0, dg = 0;
  void run(long double time, int steps) {
    const long double h = time / steps;
    const auto slope = [](long double v, long double c) { return (-16.6667L * (v + 70) - c * v + 200) / 250; };
    const auto decayed = [&](long double t) { return (g + dg * t) * expl(-t / 0.2L); };
    long double t = 0;
    for (int n = 0; n < steps; ++n, t += h) {
      const long double a = slope(V, decayed(t)), b = slope(V + h / 2 * a, decayed(t + h / 2)),
                        c = slope(V + h / 2 * b, decayed(t + h / 2)), d = slope(V + h * c, decayed(t + h));
      V += h / 6 * (a + 2 * b + 2 * c + d);
    }
    const long double P = expl(-time / 0.2L);
    g = (g + dg * time) * P, dg *= P;
  }
};

TEST(WholeStep, PotentialFollowsItsEquation) {
  TestGroup g(find_model("iaf_cond_alpha"), 1, 0.1, {{"I_e", 200.0}});
  Leaky reference;
  double worst = 0.0;
  for (int n = 0; n < 200; ++n) {
    if (n % 40 == 10) g.receive(0, 3.0);
    ASSERT_TRUE(g.step().empty());
    reference.run(0.1L, 200);
    if (n % 40 == 10) reference.dg += 3.0L * expl(1.0L) / 0.2L;
    worst = std::max(worst, std::abs(g.state("V_m") - static_cast<double>(reference.V)));
    EXPECT_EQ(g.state("_h"), 0.1) << "substeps in " << n;
  }
  EXPECT_LT(worst, 2e-5);  // tolerance: 1e-4 per substep
}

TEST(WholeStep, ChannelsWithoutInputAreTheSameAsZeros) {
  // Two neurons in a group: what flows in one makes channels of the other be computed, too.
  for (const char* name : {"glif_cond", "aeif_cond_alpha_multisynapse", "gif_cond_exp_multisynapse", "iaf_cond_beta", "aeif_psc_alpha"}) {
    TestGroup both(find_model(name), 2), alone(find_model(name), 1);
    both.state("V_m", 0) = both.state("V_m", 1) = alone.state("V_m") = -60.25;
    for (int n = 0; n < 100; ++n) {
      if (n % 7 == 0) both.receive(1, n % 2 ? 5.0 : -5.0);
      if (n % 31 == 0) both.receive(0, 3.0), alone.receive(0, 3.0);
      both.step();
      alone.step();
      const auto a = both.bits(), b = alone.bits();
      for (std::size_t k = 0; k < b.size(); ++k) ASSERT_EQ(a[2 * k], b[k]) << name << ' ' << n << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace npl::nodes::test_whole_step
