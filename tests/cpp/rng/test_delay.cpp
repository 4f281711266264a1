// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "../levels.hpp"
#include "base/error.hpp"
#include "rng/distribution.hpp"
#include "rng/philox.hpp"
#include "statistics.hpp"

namespace npl::rng::test_delay {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

ValueSpec make(Kind kind, double a, double b, Limit limit = Limit::none, double min = -inf, double max = inf) {
  return {kind, a, b, limit, min, max, nullptr, nullptr};
}

std::vector<Delay> draws(const DelaySampler& sampler, std::size_t n) {
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = draw(Key{3, 4}, 2, i)[2];
  std::vector<Delay> out(n);
  sampler.draw(words, out.data());
  return out;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

/// Chi-square against the probabilities of rounded values, P(step) = F(step + 1/2) - F(step - 1/2).
template <class Cdf>
double agreement(const ValueSpec& spec, double h, Cdf cdf) {
  const DelaySampler sampler(spec, h);
  std::vector<double> observed(sampler.highest() + 2u), expected(observed.size());
  const std::size_t n = 200000;
  for (const Delay d : draws(sampler, n)) ++observed[d];
  for (std::size_t k = 1; k < expected.size(); ++k)
    expected[k] = n * (cdf((static_cast<double>(k) + 0.5) * h) - cdf((static_cast<double>(k) - 0.5) * h));
  return statistics::chi_square(observed, expected);
}

TEST(Delay, RedrawnNormal) {
  const double low = upper_tail((1.5 - 0.1) / 0.75);
  const auto cdf = [&](double x) { return std::max(0.0, (upper_tail((1.5 - x) / 0.75) - low) / (1 - low)); };
  EXPECT_GT(agreement(make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.1), 0.1, cdf), 1e-3);
}

TEST(Delay, ClippedNormal) {
  const auto cdf = [&](double x) { return x < 0.1 ? 0.0 : x >= 2.0 ? 1.0 : upper_tail((1.5 - x) / 0.75); };
  EXPECT_GT(agreement(make(Kind::normal, 1.5, 0.75, Limit::clip, 0.1, 2.0), 0.1, cdf), 1e-3);
}

TEST(Delay, ManySteps) {
  EXPECT_GT(agreement(make(Kind::uniform, 1, 60), 0.05, [](double x) { return std::clamp((x - 1) / 59, 0.0, 1.0); }), 1e-3);
}

TEST(Delay, OtherKinds) {
  EXPECT_GT(agreement(make(Kind::uniform, 0.5, 2.0), 0.1, [](double x) { return std::clamp((x - 0.5) / 1.5, 0.0, 1.0); }), 1e-3);
  EXPECT_GT(agreement(make(Kind::lognormal, 0.5, 0.5, Limit::redraw, 0.1), 0.1,
                      [](double x) { return x <= 0.1 ? 0 : upper_tail((0.5 - std::log(x)) / 0.5); }),
            1e-3);
  EXPECT_GT(agreement(make(Kind::exponential, 1.0, 0, Limit::redraw, 0.1, 3.0), 0.1,
                      [](double x) { return std::clamp(-std::expm1(-(x - 0.1)) / -std::expm1(-2.9), 0.0, 1.0); }),
            1e-3);
}

TEST(Delay, WholeNumbers) {
  ValueSpec spec = make(Kind::uniform_int, 6, 0);
  spec.shift = 1.0, spec.factor = -0.1;
  const auto cdf = [](double x) { return std::clamp(std::floor((x - 0.5) * 10 + 1 + 1e-9) / 6, 0.0, 1.0); };
  EXPECT_GT(agreement(spec, 0.1, cdf), 1e-3);
  spec.factor = 1.0;
  EXPECT_EQ(DelaySampler(spec, 0.1).lowest(), 10);
  EXPECT_EQ(DelaySampler(spec, 0.1).highest(), 60);
  EXPECT_EQ(DelaySampler(make(Kind::uniform_int, 4, 0, Limit::redraw, 2, 9), 1.0).lowest(), 2);
  EXPECT_THROW(DelaySampler(make(Kind::uniform_int, 4, 0), 1.0), BadDelay);  // 0 steps
}

TEST(Delay, IsTheRoundedValueOfTheSameWord) {
  for (const ValueSpec& spec :
       {make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.1), make(Kind::uniform, 0.3, 9), make(Kind::lognormal, 0.7, 0.3)}) {
    const DelaySampler delays(spec, 0.1);
    const Sampler values(spec);
    std::size_t different = 0;
    for (std::uint64_t i = 0; i < 100000; ++i) {
      const std::uint32_t w = draw(Key{1, 1}, 0, i)[0] >> (i % 3 == 0 ? i % 31 : 0);
      Delay d;
      double v;
      delays.draw({&w, 1}, &d);
      values.draw({&w, 1}, &v);
      different += d != static_cast<Delay>(std::floor(v / 0.1 + 0.5));
    }
    EXPECT_LE(different, 2u);  // the interpolated value may fall on the other side of a boundary
  }
}

TEST(Delay, ConstantsRoundToTheNearestStep) {
  EXPECT_EQ(delay_steps(1.5, 0.1), 15);
  EXPECT_EQ(delay_steps(0.1, 0.1), 1);
  EXPECT_EQ(delay_steps(0.14, 0.1), 1);
  EXPECT_EQ(delay_steps(0.16, 0.1), 2);
  EXPECT_EQ(delay_steps(6553.5, 0.1), 65535);
  const DelaySampler sampler(make(Kind::constant, 0.8, 0), 0.1);
  EXPECT_EQ(sampler.lowest(), 8);
  EXPECT_EQ(sampler.highest(), 8);
  for (Delay d : draws(sampler, 100)) EXPECT_EQ(d, 8);
}

TEST(Delay, LowestAndHighestDoOccur) {
  for (const ValueSpec& spec :
       {make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.1), make(Kind::uniform, 0.3, 9), make(Kind::normal, 2, 0.1)}) {
    const DelaySampler sampler(spec, 0.1);
    const std::uint32_t words[] = {0, 0xffffffffu};
    Delay ends[2];
    sampler.draw(words, ends);
    EXPECT_EQ(ends[0], sampler.lowest());
    EXPECT_EQ(ends[1], sampler.highest());
    for (Delay d : draws(sampler, 10000)) EXPECT_TRUE(d >= sampler.lowest() && d <= sampler.highest());
  }
}

TEST(Delay, RefusesTooShortAndTooLong) {
  EXPECT_THROW(delay_steps(0.04, 0.1), BadDelay);
  EXPECT_THROW(delay_steps(-1, 0.1), BadDelay);
  EXPECT_THROW(delay_steps(std::nan(""), 0.1), BadDelay);
  EXPECT_THROW(delay_steps(6553.6, 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::constant, 0.04, 0), 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::normal, 1.5, 0.75), 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.04), 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::normal, 1.5, 0.75, Limit::clip, 0.0), 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::uniform, 1, 7000), 0.1), BadDelay);
  EXPECT_THROW(DelaySampler(make(Kind::normal, 1.5, -1), 0.1), BadParameter);
  EXPECT_NO_THROW(DelaySampler(make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.05), 0.1));
}

TEST(Delay, RefusalSaysWhatToDo) {
  try {
    DelaySampler(make(Kind::normal, 1.5, 0.75), 0.1);
    FAIL();
  } catch (const BadDelay& e) {
    EXPECT_EQ(e.parameter, "delay");
    EXPECT_NE(std::string(e.what()).find(".redraw(min=0.1)"), std::string::npos) << e.what();
  }
}

TEST(Delay, SameAtEveryLevel) {
  const ValueSpec few = make(Kind::normal, 0.8, 0.1, Limit::redraw, 0.1), many = make(Kind::normal, 10, 3, Limit::redraw, 0.1);
  for (const ValueSpec& spec : {few, many}) {
    const auto expected = draws(DelaySampler(spec, 0.1), 10001);
    at_every_level([&](Isa) { EXPECT_EQ(draws(DelaySampler(spec, 0.1), 10001), expected); });
  }
}

}  // namespace
}  // namespace npl::rng::test_delay
