// SPDX-License-Identifier: Apache-2.0
/// What e-prop reads: spikes of a source, bit by bit; factors of blocks of steps, beside the steps one by one.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "synapses/eligibility_blocks.hpp"

namespace npl::synapses::test_eligibility {
namespace {

TEST(SpikeSteps, FindsEverySpikeOfTheLastSteps) {
  std::mt19937 random(5);
  for (const int typical : {1, 3, 20, 47, 48, 49, 200, 700}) {
    std::vector<double> kept(SpikeSteps::words, 0.0);
    std::set<Step> all;
    Step now = 0;
    for (int n = 0; n < 60; ++n) {
      const Step gap = std::uniform_int_distribution<Step>(n > 0 && n % 9 == 0 ? 0 : 1, 2 * typical)(random);
      now += gap;
      SpikeSteps::add(kept.data(), n == 0 ? now : gap);
      all.insert(now);
      const SpikeSteps seen(kept.data(), now + 7);  // arrivals
      for (Step t = std::max<Step>(1, now - SpikeSteps::steps + 1); t <= now + 2; ++t) {
        const auto next = all.lower_bound(t);
        ASSERT_EQ(seen.first_from(t + 7), next == all.end() ? SpikeSteps::never : *next + 7) << typical << " " << n << " " << now - t;
      }
    }
  }
  EXPECT_EQ(SpikeSteps().first_from(1), SpikeSteps::never);
}

TEST(LastSpikes, TellsHowManyArrivedInAStep) {
  LastSpikes spikes{100, 1};
  for (const Step gap : {3, 0, 0, 1}) spikes = {spikes.last + gap, LastSpikes::with_another(spikes.counts, gap)};
  const std::vector<double> counts{1, 0, 0, 3, 1};
  for (Step t = 95; t < 110; ++t) EXPECT_EQ(spikes.at(t), t >= 100 && t < 105 ? counts[static_cast<std::size_t>(t - 100)] : 0.0) << t;
  EXPECT_FALSE(spikes.single());
  EXPECT_TRUE((LastSpikes{7, LastSpikes::with_another(LastSpikes::with_another(1, 2), 5)}.single()));
  EXPECT_FALSE(LastSpikes{}.single());
}

/// A history of random levels, up to step `until`.
TargetHistory recorded(std::size_t n, bool adapts, Step until) {
  TargetHistory h(0, n, 0, n_learner_rows);
  h.reserve(600, 0);
  h.keep_constants(n_learner, [&](double* constants) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(i);
      Learner l{};
      l.decay = 0.9 - 0.01 * x, l.filtered = i % 3 != 0 ? 1.0 : 0.0, l.lag = 3;
      if (adapts) l.rho = 0.99, l.beta = 0.02 + 0.01 * x;
      reinterpret_cast<Learner*>(constants)[i] = l;
    }
  });
  std::mt19937 random(7);
  std::uniform_real_distribution<double> level(-1.0, 1.0);
  for (Step t = 1; t <= until; ++t) {
    h.begin(t);
    std::generate_n(h.level_row(), n_learner_rows * n, [&] { return level(random); });
    h.end();
  }
  return h;
}

/// z, a, E, sum of e, gradient of synapses onto one target, by the equations of eligibility.hpp.
using Values = std::array<double, 5>;

Values step_by_step(const TargetHistory& h, std::size_t i, double kappa, Values v, Step first, Step n) {
  const Learner& l = learner_of(h, i);
  const double k = l.filtered != 0.0 ? kappa : 0.0;
  auto& [z, a, E, sum, gradient] = v;
  for (Step t = first; t < first + n; ++t) {
    const double psi = h.levels_at(t)[surrogate * h.size() + i], L = h.levels_at(t + 3)[signal * h.size() + i];
    z *= l.decay;
    const double e = psi * (z - l.beta * a);
    a = psi * z + (l.rho - psi * l.beta) * a;
    E = k * E + (1.0 - k) * e, sum += e, gradient += L * E;
  }
  return v;
}

Values at_once(const double* f, std::size_t n, std::size_t i, bool adapts, const Values& v) {
  const auto of = [&](EligibilityFactor k) { return k < n_plain_factors || adapts ? f[k * n + i] : 0.0; };
  const auto [z, a, E, sum, gradient] = v;
  return {of(z_z) * z, of(a_z) * z + of(a_a) * a, of(e_e) * E + of(e_z) * z + of(e_a) * a, sum + of(r_z) * z + of(r_a) * a,
          gradient + of(g_e) * E + of(g_z) * z + of(g_a) * a};
}

TEST(EligibilityBlocks, AreTheStepsOneByOne) {
  for (const bool adapts : {false, true}) {
    const std::size_t n = 13;
    const TargetHistory h = recorded(n, adapts, 590);
    auto& blocks = h.digest<EligibilityBlocks>(0.8);
    EXPECT_EQ(&blocks, &h.digest<EligibilityBlocks>(0.8));
    for (const auto& [first, end, steps] : std::vector<std::array<Step, 3>>{{64, 200, 64},
                                                                            {128, 191, 64},
                                                                            {128, 190, 16},
                                                                            {48, 200, 16},
                                                                            {68, 71, 4},
                                                                            {4, 500, 4},
                                                                            {64, 66, 0},
                                                                            {65, 200, 0},
                                                                            {512, 580, 64}}) {
      const EligibilityBlocks::Block b = blocks.from(first, end);
      ASSERT_EQ(b.steps, steps) << first << " " << end;
      for (std::size_t i = 0; i < n && steps > 0; ++i) {
        const Values begin{0.7, adapts ? 0.3 : 0.0, 0.2, 0.1, -0.4};
        const Values expected = step_by_step(h, i, 0.8, begin, first, steps), found = at_once(b.factors, n, i, adapts, begin);
        for (std::size_t k = 0; k < expected.size(); ++k)
          if (adapts || k != 1) {
            EXPECT_NEAR(found[k], expected[k], 1e-14) << first << " " << i << " " << k;
          }
      }
    }
  }
}

TEST(EligibilityBlocks, AreForgottenWithTheConstants) {
  TargetHistory h = recorded(3, false, 100);
  const double before = *h.digest<EligibilityBlocks>(0.5).from(64, 80).factors;
  const std::size_t bytes = h.bytes();
  const std::vector<double> constants(h.constants(), h.constants() + 3 * n_learner);
  h.keep_constants(n_learner, [&](double* to) { std::copy(constants.begin(), constants.end(), to); });
  EXPECT_EQ(h.bytes(), bytes);
  h.keep_constants(n_learner, [&](double* to) {
    std::copy(constants.begin(), constants.end(), to);
    reinterpret_cast<Learner*>(to)[0].decay = 0.5;
  });
  EXPECT_LT(h.bytes(), bytes);
  EXPECT_NE(*h.digest<EligibilityBlocks>(0.5).from(64, 80).factors, before);
}

}  // namespace
}  // namespace npl::synapses::test_eligibility
