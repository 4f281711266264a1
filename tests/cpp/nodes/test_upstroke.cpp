// SPDX-License-Identifier: Apache-2.0
// Sharp upstrokes: the adaptive exponential neurons against an integration that shortens its steps as the upstroke steepens.
#include "../every_case.hpp"
#include "harness.hpp"

namespace npl::nodes::test_upstroke {
namespace {

struct Case {
  double Delta_T, I_e, tolerance, h, t_ref = 0.0;
};

/// The membrane in long double, by classical Runge-Kutta with steps of 1 % of the time left until V diverges, but at most 2 us. There is a
/// spike at V_peak, or once that time is below 1e-13 ms.
struct Reference {
  Case c;
  long double V = -70.6L, w = 0.0L, t = 0.0L, free = 0.0L;  ///< free: end of refractoriness [ms]
  std::vector<double> spikes{};                             ///< [ms]

  long double slope(long double v, long double u) const {
    return (-30 * (v + 70.6L) + 30 * c.Delta_T * expl((v + 50.4L) / c.Delta_T) - u + c.I_e) / 281;
  }
  static long double slope_w(long double v, long double u) { return (4 * (v + 70.6L) - u) / 144; }
  bool clamped() const { return t < free - 1e-12L; }
  void substep(long double h) {
    const long double fixed = clamped() ? 0.0L : 1.0L;
    const long double a1 = fixed * slope(V, w), b1 = slope_w(V, w);
    const long double a2 = fixed * slope(V + h / 2 * a1, w + h / 2 * b1), b2 = slope_w(V + h / 2 * a1, w + h / 2 * b1);
    const long double a3 = fixed * slope(V + h / 2 * a2, w + h / 2 * b2), b3 = slope_w(V + h / 2 * a2, w + h / 2 * b2);
    const long double a4 = fixed * slope(V + h * a3, w + h * b3), b4 = slope_w(V + h * a3, w + h * b3);
    V += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    t += h;
  }
  void run_until(long double end) {
    while (t < end - 1e-13L) {
      const long double left = 281.0L / 30 * expl((-50.4L - V) / c.Delta_T);  // until V diverges, if the exponential current were alone
      if (!clamped() && (V >= 0.0L || left < 1e-13L)) {
        spikes.push_back(static_cast<double>(t));
        V = -60, w += 80.5L;
        // the rest of this step and t_ref more
        if (c.t_ref > 0.0) free = (std::floor(static_cast<double>(t) / c.h + 1e-9) + 1.0) * c.h + c.t_ref;
        continue;
      }
      long double h = std::min(2e-3L, left * 0.01L);
      if (clamped()) h = std::min(2e-3L, free - t);
      substep(std::min(h, end - t));
    }
  }
};

const std::array aeif_models{"aeif_cond_exp",
                             "aeif_cond_alpha",
                             "aeif_psc_exp",
                             "aeif_psc_alpha",
                             "aeif_psc_delta",
                             "aeif_cond_alpha_multisynapse",
                             "aeif_cond_beta_multisynapse"};

void compare(const Case& c, const char* name) {
  TestGroup g(find_model(name), 1, c.h, {{"Delta_T", c.Delta_T}, {"I_e", c.I_e}, {"gsl_error_tol", c.tolerance}, {"t_ref", c.t_ref}});
  Reference reference{c};
  std::vector<double> spikes;
  double worst_V = 0.0, worst_w = 0.0;
  for (int n = 0; n < static_cast<int>(60.0 / c.h + 0.5); ++n) {
    for (std::size_t k = g.step().size(); k > 0; --k) spikes.push_back(c.h * (n + 1));
    reference.run_until(static_cast<long double>(c.h) * (n + 1));
    // V changes fast just before a spike, where an error of the time counts most
    const double steepness = 1.0 + std::exp((static_cast<double>(reference.V) + 50.4) / c.Delta_T);
    worst_V = std::max(worst_V, std::abs(g.state("V_m") - static_cast<double>(reference.V)) / steepness);
    worst_w = std::max(worst_w, std::abs(g.state("w") - static_cast<double>(reference.w)));
  }
  // a spike comes at the end of the substep that passes V_peak, which shows where the upstroke is slow
  EXPECT_LT(worst_V, c.Delta_T < 5.0 ? 2e-4 : 2e-3) << name << ' ' << c.Delta_T << ' ' << c.I_e << ' ' << c.tolerance;
  EXPECT_LT(worst_w, 1e-3) << name << ' ' << c.Delta_T << ' ' << c.I_e;
  ASSERT_EQ(spikes.size(), reference.spikes.size()) << name << ' ' << c.Delta_T << ' ' << c.I_e;
  for (std::size_t k = 0; k < spikes.size(); ++k) EXPECT_NEAR(spikes[k] - 0.5 * c.h, reference.spikes[k], 0.5 * c.h + 1e-4) << k;
}

TEST(Aeif, SharpUpstrokesFollowTheEquations) {
  for (const char* name : aeif_models)
    for (double tolerance : {1e-6, 1e-9}) {
      compare({0.5, 900.0, tolerance, 0.1}, name);
      compare({0.1, 700.0, tolerance, 0.1}, name);
    }
}

TEST(Aeif, SharpUpstrokesOfManyKinds) {
  for (double Delta_T : {0.08, 0.2, 0.5, 1.0, 2.0, 5.0})
    for (double I_e : {600.0, 1380.0, 2500.0})
      for (double h : {0.1, 1.0}) {
        if (!every_case() && (I_e > 2000.0) == (h < 0.5)) continue;  // all pairs with Delta_T
        compare({Delta_T, I_e, 1e-6, h}, "aeif_cond_exp");
        compare({Delta_T, I_e, 1e-6, h, 2.0}, "aeif_cond_exp");
      }
}

TEST(Aeif, SpikesOfNest) {  // NEST 3.10 with these parameters: 12.1 22.1 35.3 54.2 ms; at 60 ms V_m -55.4684, w 286.6096
  TestGroup g(find_model("aeif_cond_exp"), 1, 0.1, {{"Delta_T", 0.5}, {"I_e", 900.0}, {"gsl_error_tol", 1e-9}});
  std::vector<int> spikes;
  for (int n = 1; n <= 600; ++n)
    if (!g.step().empty()) spikes.push_back(n);
  EXPECT_EQ(spikes, (std::vector{121, 221, 353, 542}));
  EXPECT_NEAR(g.state("V_m"), -55.46842, 1e-4);
  EXPECT_NEAR(g.state("w"), 286.60962, 1e-4);
}

TEST(Aeif, PotentialsBeyondThePeakFireAtOnce) {
  for (const char* name : aeif_models)
    for (double V : {-30.0, -1.0, 0.0, 50.0, 1e5}) {
      TestGroup g(find_model(name), 1, 0.1, {{"Delta_T", 0.1}});
      g.state("V_m") = V;
      EXPECT_EQ(g.step().size(), 1u) << name << ' ' << V;
      EXPECT_NEAR(g.state("V_m"), -60.0, 0.5) << name << ' ' << V;
      EXPECT_NEAR(g.state("w"), 80.5, 0.5) << name << ' ' << V;
    }
}

TEST(PpPscDelta, RateBeyondAllNumbersGivesTheMostSpikes) {
  TestGroup large(find_model("pp_psc_delta"), 1, 0.1, {{"dead_time", 0.0}, {"V_m", 2000.0}});  // exp(500)
  TestGroup infinite(find_model("pp_psc_delta"), 1, 0.1, {{"dead_time", 0.0}, {"V_m", 1e6}});
  const auto most = large.step().size();
  EXPECT_EQ(most, 1000u);
  EXPECT_EQ(infinite.step().size(), most);
}

}  // namespace
}  // namespace npl::nodes::test_upstroke
