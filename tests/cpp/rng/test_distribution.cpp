// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "../levels.hpp"
#include "base/error.hpp"
#include "rng/distribution.hpp"
#include "rng/node_values.hpp"
#include "rng/normal.hpp"
#include "rng/philox.hpp"
#include "statistics.hpp"

namespace npl::rng::test_distribution {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

ValueSpec make(Kind kind, double a, double b, Limit limit = Limit::none, double min = -inf, double max = inf) {
  return {kind, a, b, limit, min, max, nullptr, nullptr};
}
ValueSpec coded(ValueSpec spec, int bits) {
  spec.bits = bits;
  return spec;
}

std::vector<std::uint32_t> random_words(std::size_t n, std::uint64_t stream = 1) {
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = draw(Key{11, 12}, stream, i)[0];
  return words;
}

/// Words that reach into both tails.
std::vector<std::uint32_t> all_scales() {
  std::vector<std::uint32_t> words{0, 1, 2, 3, 0x7fffffffu, 0x80000000u, 0xfffffffdu, 0xfffffffeu, 0xffffffffu};
  for (std::size_t i = 0; const std::uint32_t w : random_words(20000)) words.push_back(i++ % 2 ? w >> (i % 31) : ~(w >> (i % 31)));
  return words;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }
struct Tails {
  double below, above;
};

Tails unbounded(const ValueSpec& s, double x) {
  switch (s.kind) {
    case Kind::normal: return {upper_tail((s.a - x) / s.b), upper_tail((x - s.a) / s.b)};
    case Kind::lognormal: return x <= 0 ? Tails{0, 1} : Tails{upper_tail((s.a - std::log(x)) / s.b), upper_tail((std::log(x) - s.a) / s.b)};
    case Kind::exponential: return x <= 0 ? Tails{0, 1} : Tails{-std::expm1(-x / s.a), std::exp(-x / s.a)};
    default: return {std::clamp((x - s.a) / (s.b - s.a), 0.0, 1.0), std::clamp((s.b - x) / (s.b - s.a), 0.0, 1.0)};
  }
}

/// Probabilities below and above x given the redraw bounds; whichever tail of the unbounded distribution is smaller has the digits.
Tails bounded(const ValueSpec& s, double x) {
  const Tails t = unbounded(s, x);
  if (s.limit != Limit::redraw) return t;
  const Tails min = s.min == -inf ? Tails{0, 1} : unbounded(s, s.min), max = s.max == inf ? Tails{1, 0} : unbounded(s, s.max);
  if (t.below < 0.5) {
    const double below = (t.below - min.below) / (max.below - min.below);
    return {below, 1 - below};
  }
  const double above = (t.above - max.above) / (min.above - max.above);
  return {1 - above, above};
}

struct Case {
  const char* name;
  ValueSpec spec;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Distribution : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    All, Distribution,
    testing::Values(Case{"normal", make(Kind::normal, 87.8, 8.78)}, Case{"negative_normal", make(Kind::normal, -351.2, 35.12)},
                    Case{"normal_above", make(Kind::normal, 1.5, 0.75, Limit::redraw, 0.1)},
                    Case{"normal_between", make(Kind::normal, 0, 1, Limit::redraw, -0.5, 2)},
                    Case{"normal_far_tail", make(Kind::normal, 0, 1, Limit::redraw, 9, inf)},
                    Case{"normal_far_lower_tail", make(Kind::normal, 2, 0.5, Limit::redraw, -inf, -3)},
                    Case{"normal_wide_bounds", make(Kind::normal, 0, 1, Limit::redraw, -50, 50)},
                    Case{"lognormal", make(Kind::lognormal, -0.3, 0.8)}, Case{"lognormal_broad", make(Kind::lognormal, 1, 3)},
                    Case{"lognormal_below", make(Kind::lognormal, 0, 1, Limit::redraw, -inf, 2)},
                    Case{"exponential", make(Kind::exponential, 2.5, 0)},
                    Case{"exponential_above", make(Kind::exponential, 2.5, 0, Limit::redraw, 4, inf)},
                    Case{"exponential_between", make(Kind::exponential, 1, 0, Limit::redraw, 0.5, 0.75)},
                    Case{"uniform", make(Kind::uniform, -2, 5)}, Case{"uniform_between", make(Kind::uniform, 0, 10, Limit::redraw, 2, 3)}),
    [](const auto& info) { return info.param.name; });

TEST_P(Distribution, PassesKolmogorovSmirnov) {
  std::vector<double> values(100000);
  Sampler(GetParam().spec).draw(random_words(values.size()), values.data());
  EXPECT_GT(statistics::kolmogorov_smirnov(values, [&](double x) { return bounded(GetParam().spec, x).below; }), 1e-3);
}

/// The strong test: the probability of the value of a word must be that of the word, for words of all magnitudes from both ends.
TEST_P(Distribution, EveryWordInvertsTheCdf) {
  const Sampler sampler(GetParam().spec);
  for (const std::uint32_t w : all_scales()) {
    double x;
    sampler.draw({&w, 1}, &x);
    const Tails t = bounded(GetParam().spec, x);
    const bool lower = w < 0x80000000u;
    const double expected = lower ? uniform(w) : uniform(~w);
    EXPECT_NEAR(lower ? t.below : t.above, expected, 2e-6 * expected + 1e-8) << std::hex << w << " " << x;
  }
}

TEST_P(Distribution, BoundsHoldAllValues) {
  const ValueSpec& s = GetParam().spec;
  const Sampler sampler(s);
  const auto words = all_scales();
  std::vector<double> values(words.size());
  std::vector<float> floats(words.size());
  sampler.draw(words, values.data());
  sampler.draw(words, floats.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_LE(sampler.lowest(), values[i]);
    EXPECT_GE(sampler.highest(), values[i]);
    EXPECT_LE(sampler.lowest(), floats[i]);
    EXPECT_GE(sampler.highest(), floats[i]);
    EXPECT_EQ(floats[i], static_cast<float>(values[i]));
    if (s.limit == Limit::redraw) {
      EXPECT_TRUE(values[i] >= s.min && values[i] <= s.max);
    }
  }
  double ends[2];
  const std::uint32_t end_words[] = {0, 0xffffffffu};
  sampler.draw(end_words, ends);
  EXPECT_NEAR(sampler.lowest(), ends[0], 1e-6 * std::abs(ends[0]));
  EXPECT_NEAR(sampler.highest(), ends[1], 1e-6 * std::abs(ends[1]));
}

TEST_P(Distribution, SameBitsAtEveryLevelAndInAnyPartition) {
  const Sampler sampler(GetParam().spec);
  const auto words = all_scales();
  std::vector<float> expected(words.size()), got(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) sampler.draw({&words[i], 1}, &expected[i]);
  at_every_level([&](Isa) {
    Sampler(GetParam().spec).draw(words, got.data());
    EXPECT_EQ(got, expected);
  });
}

/// A word draws the quantile in the middle of the probabilities that its first bits leave.
TEST_P(Distribution, CodedValuesAreQuantiles) {
  for (const int bits : {1, 5, 12, 16}) {
    const Sampler sampler(coded(GetParam().spec, bits));
    const auto book = sampler.book();
    ASSERT_EQ(book.size(), std::size_t{1} << bits);
    for (std::size_t c = 0; c < book.size(); ++c) {
      const double p = (static_cast<double>(c) + 0.5) / static_cast<double>(book.size());
      const double x = static_cast<double>(book[c]), rounding = 1e-7 * std::abs(x);  // of float32
      EXPECT_LE(bounded(GetParam().spec, x - rounding).below, p + 1e-9) << c;
      EXPECT_GE(bounded(GetParam().spec, x + rounding).below, p - 1e-9) << c;
    }
    const auto words = all_scales();
    std::vector<float> values(words.size());
    std::vector<double> doubles(words.size());
    sampler.draw(words, values.data()), sampler.draw(words, doubles.data());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(values[i], book[words[i] >> (32 - bits)]);
      EXPECT_EQ(doubles[i], static_cast<double>(values[i]));
    }
    EXPECT_EQ(sampler.lowest(), static_cast<double>(*std::min_element(book.begin(), book.end())));
    EXPECT_EQ(sampler.highest(), static_cast<double>(*std::max_element(book.begin(), book.end())));
    EXPECT_NEAR(sampler.share_below_zero(), std::clamp(bounded(GetParam().spec, 0.0).below, 0.0, 1.0),
                0.5 / static_cast<double>(book.size()) + 1e-9);
  }
}

TEST(Sampler, CodedSingleValuesAndBounds) {
  const Sampler single(coded(make(Kind::normal, 3.5, 0), 3));
  EXPECT_EQ(single.book().size(), 8u);
  for (const float x : single.book()) EXPECT_EQ(x, 3.5f);
  const Sampler clipped(coded(make(Kind::normal, 0, 1, Limit::clip, -1, 1), 4));
  EXPECT_EQ(clipped.book().front(), -1.0f);
  EXPECT_EQ(clipped.book().back(), 1.0f);
}

TEST(Sampler, ClipsAtTheBounds) {
  const ValueSpec spec = make(Kind::normal, 0, 1, Limit::clip, -1, 0.5);
  std::vector<double> free(100000), clipped(free.size());
  Sampler(make(Kind::normal, 0, 1)).draw(random_words(free.size()), free.data());
  Sampler(spec).draw(random_words(free.size()), clipped.data());
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_EQ(clipped[i], std::clamp(free[i], -1.0, 0.5));
  EXPECT_EQ(Sampler(spec).lowest(), -1);
  EXPECT_EQ(Sampler(spec).highest(), 0.5);
}

ValueSpec moved(ValueSpec spec, double shift, double factor) {
  spec.shift = shift, spec.factor = factor;
  return spec;
}

TEST(Sampler, ShiftAndFactorActBeforeTheBounds) {
  const std::vector<std::uint32_t> words = all_scales();
  std::vector<double> plain(words.size()), turned(words.size());
  std::vector<std::uint32_t> opposite;
  for (const std::uint32_t w : words) opposite.push_back(~w);
  Sampler(make(Kind::exponential, 2, 0, Limit::redraw, 1, 5)).draw(words, plain.data());
  Sampler(moved(make(Kind::exponential, 2, 0, Limit::redraw, -5.5, 2.5), 4.5, -2)).draw(opposite, turned.data());
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_NEAR(turned[i], 4.5 - 2 * plain[i], 1e-7);
}

TEST(Sampler, WholeNumbersByTheUpperHalfOfAProduct) {
  const std::vector<std::uint32_t> words = all_scales();
  std::vector<double> rising(words.size()), falling(words.size()), kept(words.size()), cut(words.size());
  Sampler(moved(make(Kind::uniform_int, 7, 0), 1, 0.5)).draw(words, rising.data());
  Sampler(moved(make(Kind::uniform_int, 7, 0), 1, -0.5)).draw(words, falling.data());
  Sampler(make(Kind::uniform_int, 7, 0, Limit::redraw, 1.5, 4)).draw(words, kept.data());
  Sampler(make(Kind::uniform_int, 7, 0, Limit::clip, 1.5, 4)).draw(words, cut.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto k = static_cast<double>(std::uint64_t{words[i]} * 7 >> 32);
    EXPECT_EQ(rising[i], 1 + 0.5 * k);
    EXPECT_EQ(falling[i], 1 - 0.5 * (6 - k));
    EXPECT_EQ(kept[i], 2 + static_cast<double>(std::uint64_t{words[i]} * 3 >> 32));
    EXPECT_EQ(cut[i], std::clamp(k, 1.5, 4.0));
  }
  EXPECT_EQ(Sampler(moved(make(Kind::uniform_int, 4, 0), -1, 1)).share_below_zero(), 0.25);
  EXPECT_EQ(Sampler(make(Kind::uniform_int, 4, 0)).highest(), 3);
}

TEST(Sampler, MomentsOfTheNormal) {
  std::vector<double> values(1000000);
  Sampler(make(Kind::normal, 87.8, 8.78)).draw(random_words(values.size()), values.data());
  const auto m = statistics::Moments::of(values);
  EXPECT_GT(statistics::normal_p((m.mean - 87.8) / (8.78 / 1000)), 1e-3);
  EXPECT_GT(statistics::normal_p((m.variance / (8.78 * 8.78) - 1) / std::sqrt(2e-6)), 1e-3);
}

TEST(Sampler, SingleValues) {
  const ValueSpec singles[] = {make(Kind::constant, 2.5, 0), make(Kind::normal, 2.5, 0), make(Kind::uniform, 2.5, 2.5),
                               make(Kind::normal, 9, 1, Limit::clip, 2.5, 2.5), make(Kind::constant, 9, 0, Limit::clip, 0, 2.5)};
  for (const ValueSpec& s : singles) {
    const Sampler sampler(s);
    double values[3];
    sampler.draw(random_words(3), values);
    for (double v : values) EXPECT_EQ(v, 2.5);
    EXPECT_EQ(sampler.lowest(), 2.5);
    EXPECT_EQ(sampler.highest(), 2.5);
  }
}

std::string refusal(const ValueSpec& s) {
  try {
    check(s, "weight");
  } catch (const BadParameter& e) {
    EXPECT_EQ(e.parameter.substr(0, 6), "weight");
    return e.what();
  }
  return "";
}

TEST(Check, ValuesOfNodesMayExceedThoseOfSynapses) {
  const ValueSpec wide = make(Kind::lognormal, 10, 20), too_wide = make(Kind::lognormal, 10, 200);
  EXPECT_NE(refusal(wide).find("3e38"), std::string::npos);
  EXPECT_NO_THROW(check_node_values(wide, "V_m"));
  EXPECT_THROW(check_node_values(too_wide, "V_m"), BadParameter);
  ValueSpec coded = wide;
  coded.bits = 16;
  EXPECT_THROW(check_node_values(coded, "V_m"), BadParameter);
}

TEST(Check, RefusesWhatCannotBeDrawn) {
  const double nan = std::nan("");
  const ValueSpec bad[] = {make(Kind::constant, nan, 0),
                           make(Kind::constant, inf, 0),
                           make(Kind::normal, nan, 1),
                           make(Kind::normal, 0, inf),
                           make(Kind::normal, 0, -1),
                           make(Kind::lognormal, 0, -0.1),
                           make(Kind::lognormal, 0, 1000),
                           make(Kind::uniform, 2, 1),
                           make(Kind::exponential, 0, 0),
                           make(Kind::exponential, -1, 0),
                           make(Kind::normal, 0, 1, Limit::redraw, 1, 0),
                           make(Kind::normal, 0, 1, Limit::redraw, nan, 1),
                           make(Kind::normal, 0, 1, Limit::clip, 0, nan),
                           make(Kind::normal, 0, 1, Limit::redraw, 1, 1),
                           make(Kind::normal, 0, 1, Limit::redraw, 60, inf),
                           make(Kind::exponential, 1, 0, Limit::redraw, -2, -1),
                           make(Kind::uniform, 0, 1, Limit::redraw, 2, 3),
                           coded(make(Kind::normal, 0, 1), 17),
                           coded(make(Kind::normal, 0, 1), -1),
                           coded(make(Kind::constant, 5, 0), 12),
                           make(Kind::uniform_int, 0, 0),
                           make(Kind::uniform_int, 2.5, 0),
                           make(Kind::uniform_int, 0x1p32, 0),
                           make(Kind::uniform_int, 4, 0, Limit::redraw, 1.2, 1.8),
                           moved(make(Kind::normal, 0, 1), 0, 0),
                           moved(make(Kind::normal, 0, 1), inf, 1),
                           make(Kind::constant, 5, 0, Limit::redraw, 6, 7)};
  for (const ValueSpec& s : bad) EXPECT_NE(refusal(s), "") << static_cast<int>(s.kind) << " " << s.a << " " << s.b;
  EXPECT_EQ(refusal(make(Kind::normal, 0, -1)), "weight = normal(0, -1): must be a distribution with standard deviation >= 0");
}

TEST(Check, RefusesBadArrays) {
  ValueSpec s = make(Kind::array, 0, 0);
  EXPECT_NE(refusal(s), "");
  s.values = std::make_shared<const std::vector<double>>(std::vector<double>{1, std::nan("")});
  EXPECT_EQ(refusal(s).substr(0, 10), "weight[1] ");
  s.values = std::make_shared<const std::vector<double>>(std::vector<double>{1, -2});
  EXPECT_EQ(refusal(s), "");
}

TEST_P(Distribution, IsAccepted) { EXPECT_EQ(refusal(GetParam().spec), ""); }

TEST(NodeValues, DependOnNothingButTheirNode) {
  const ValueSpec spec = make(Kind::normal, -65, 5);
  std::vector<Gid> gids(1000);
  for (std::size_t i = 0; i < gids.size(); ++i) gids[i] = static_cast<Gid>(i + 1);
  std::vector<double> all(gids.size()), one(1), other(gids.size());
  draw_node_values(spec, 42, 0, gids, all.data());
  for (std::size_t i : {0, 17, 999}) {
    draw_node_values(spec, 42, 0, std::span(gids).subspan(i, 1), one.data());
    EXPECT_EQ(one[0], all[i]);
  }
  EXPECT_GT(statistics::kolmogorov_smirnov(all, [](double x) { return upper_tail((-65 - x) / 5); }), 1e-3);
  draw_node_values(spec, 42, 1, gids, other.data());
  EXPECT_NE(all, other);
  draw_node_values(spec, 43, 0, gids, other.data());
  EXPECT_NE(all, other);
}

TEST(NodeValues, ArraysAreTakenAsTheyAre) {
  ValueSpec s = make(Kind::array, 0, 0);
  s.values = std::make_shared<const std::vector<double>>(std::vector<double>{1, 2});
  const Gid gids[] = {5, 9, 11};
  double out[3];
  draw_node_values(s, 1, 0, std::span(gids).first(2), out);
  EXPECT_EQ(out[1], 2);
  EXPECT_THROW(draw_node_values(s, 1, 0, gids, out), BadLength);
}

TEST(Normal, TailAgreesWithErfc) {
  for (double x = -37; x < 37; x += 0.0137) {
    const auto expected = static_cast<double>(0.5L * std::erfc(static_cast<long double>(x) / std::sqrt(2.0L)));
    EXPECT_NEAR(normal_upper(x), expected, 2e-13 * expected);
  }
}

TEST(Normal, QuantileInvertsTheTail) {
  for (double x = -36; x < 36; x += 0.0137) EXPECT_NEAR(normal_quantile(normal_upper(-x), normal_upper(x)), x, 1e-13 * (1 + std::abs(x)));
}

}  // namespace
}  // namespace npl::rng::test_distribution
