// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "../levels.hpp"
#include "base/error.hpp"
#include "rng/distribution.hpp"
#include "rng/philox.hpp"
#include "rng/poisson.hpp"
#include "rng/saddle_point.hpp"
#include "statistics.hpp"

namespace npl::rng::test_counts {
namespace {

long double log_choose(long double n, long double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

double fresh_uniform(std::uint64_t stream, std::uint64_t i) {
  const Words w = draw(Key{21, 22}, stream, i);
  return uniform52(w[0], w[1]);
}

/// Inversion from the mode for p = 1/2, one subtraction after the other.
std::uint64_t fair_count(std::uint64_t n, double uniform) {
  const auto size = static_cast<double>(n);
  const double mode = std::floor((size + 1) * 0.5);
  double high = mode, low = mode, p_high = binomial_pmf(mode, size, 0.5, 0.5), p_low = p_high, left = uniform - p_high;
  if (left < 0) return static_cast<std::uint64_t>(mode);
  while (p_high + p_low > 1e-20) {
    p_high *= (size - high) / (high + 1), ++high;
    if ((left -= p_high) < 0) return static_cast<std::uint64_t>(high);
    p_low *= low / (size - low + 1), --low;
    if ((left -= p_low) < 0) return static_cast<std::uint64_t>(low);
  }
  return static_cast<std::uint64_t>(mode);
}

/// The table of small n gives what the subtractions give, also next to every number where the count changes.
TEST(Binomial, FairCountsBySubtraction) {
  for (std::uint64_t n = 1; n <= 70; ++n) {
    for (std::uint64_t i = 0; i < 3000; ++i)
      ASSERT_EQ(binomial(n, 0.5, fresh_uniform(500 + n, i)), fair_count(n, fresh_uniform(500 + n, i)));
    for (const double u : {0x1p-53, 0x1p-1074, 0.5, 1 - 0x1p-53}) ASSERT_EQ(binomial(n, 0.5, u), fair_count(n, u));
    for (std::uint64_t i = 0; i < 200; ++i) {  // bisection to a change
      double a = fresh_uniform(700 + n, 2 * i), b = fresh_uniform(700 + n, 2 * i + 1);
      while (fair_count(n, a) != fair_count(n, b) && std::nextafter(a, b) != b) {
        const double middle = a + (b - a) / 2;
        (fair_count(n, middle) == fair_count(n, a) ? a : b) = middle;
      }
      for (const double u : {a, b, std::nextafter(a, 0), std::nextafter(b, 0)})
        ASSERT_EQ(binomial(n, 0.5, u), fair_count(n, u)) << n << ' ' << u;
    }
  }
}

std::vector<std::uint16_t> poisson_draws(const PoissonTable& table, std::size_t n) {
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = draw(Key{7, 8}, 1, i)[0];
  std::vector<std::uint16_t> out(n);
  table.counts(words.data(), out.data(), n);
  return out;
}

class Poisson : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Means, Poisson, testing::Values(1e-3, 0.1, 1.3, 5.0, 12.5, 30.0, 100.0, 5000.0));
class SmallPoisson : public Poisson {};  ///< counts fit bytes
INSTANTIATE_TEST_SUITE_P(Means, SmallPoisson, testing::Values(1e-3, 0.1, 1.3, 5.0, 12.5, 30.0, 100.0));

TEST_P(Poisson, ChiSquare) {
  const double mean = GetParam();
  const PoissonTable table(mean);
  const std::size_t n = 200000;
  std::vector<double> observed(table.highest() + 2), expected(observed.size());
  for (auto c : poisson_draws(table, n)) ++observed[c];
  for (std::size_t k = 0; k < expected.size(); ++k)
    expected[k] =
        static_cast<double>(n) * std::exp(static_cast<double>(k) * std::log(mean) - mean - std::lgamma(static_cast<double>(k) + 1));
  EXPECT_GT(statistics::chi_square(observed, expected), 1e-3);
}

TEST_P(Poisson, Moments) {
  const double mean = GetParam();
  const std::size_t n = 200000;
  const auto m = statistics::Moments::of(poisson_draws(PoissonTable(mean), n));
  EXPECT_GT(statistics::normal_p((m.mean - mean) / std::sqrt(mean / n)), 1e-3);
  EXPECT_GT(statistics::normal_p((m.variance - mean) / std::sqrt((mean + 2 * mean * mean) / n)), 1e-3);
}

/// The whole table, not a sample: the words that give at most k are 2^32 times the cumulative distribution.
TEST_P(Poisson, ThresholdsAreTheCumulativeDistribution) {
  const double mean = GetParam();
  const PoissonTable table(mean);
  long double sum = 0;
  for (std::uint32_t k = 0; k <= table.highest(); ++k) {
    sum += std::exp(static_cast<long double>(k) * std::log(static_cast<long double>(mean)) - mean -
                    std::lgamma(static_cast<long double>(k) + 1));
    const auto words = static_cast<double>(sum * 0x1p32L);
    for (const double offset : {-2.0, 2.0}) {  // rounding to a word, and of the table's sum
      const double w = std::round(words) + offset;
      if (w < 0 || w > 0xffffffff) continue;
      const auto word = static_cast<std::uint32_t>(w);
      std::uint16_t count;
      table.counts(&word, &count, 1);
      if (offset < 0) {
        EXPECT_LE(count, k);
      } else {
        EXPECT_GT(count, k);
      }
    }
  }
}

TEST_P(Poisson, SameAtEveryLevelAndInAnyPartition) {
  const PoissonTable table(GetParam());
  const auto expected = poisson_draws(table, 3001);
  at_every_level([&](Isa) { EXPECT_EQ(poisson_draws(PoissonTable(GetParam()), 3001), expected); });
  std::vector<std::uint16_t> one(expected.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const std::uint32_t word = draw(Key{7, 8}, 1, i)[0];
    table.counts(&word, &one[i], 1);
  }
  EXPECT_EQ(one, expected);
}

/// All 65536 upper halves: whatever is not noted as undecided is what any lower half would give.
TEST_P(Poisson, SixteenBitsDecideWhatTheyCan) {
  const PoissonTable table(GetParam());
  std::vector<std::uint32_t> halves(32768 - 5), out(halves.size());  // a number that does not fill the vectors
  for (std::uint32_t i = 0; i < halves.size(); ++i) halves[i] = (2 * i) << 16 | (65535 - 2 * i);
  at_every_level([&](Isa) {
    std::vector<std::uint16_t> places(2 * halves.size());
    places.resize(table.counts_of_halves(halves.data(), out.data(), halves.size(), places.data()));
    EXPECT_LE(places.size(), table.highest() + 1u);
    const std::set<std::uint16_t> undecided(places.begin(), places.end());
    EXPECT_EQ(undecided.size(), places.size());
    for (std::uint32_t place = 0; place < 2 * halves.size(); ++place) {
      if (undecided.count(static_cast<std::uint16_t>(place))) continue;
      const std::uint32_t shift = 16 * (place % 2), upper = (halves[place / 2] >> shift & 0xffffu) << 16;
      const std::array<std::uint32_t, 2> ends{upper, upper | 0xffffu};
      std::array<std::uint16_t, 2> counts;
      table.counts(ends.data(), counts.data(), 2);
      ASSERT_EQ(counts[0], counts[1]) << place;
      ASSERT_EQ(counts[0], out[place / 2] >> shift & 0xffffu) << place;
    }
  });
}

/// Any number of words, of which some fill vectors: bytes say what 16 bits say, and nothing else is written.
TEST_P(SmallPoisson, CountsInBytesAreTheSame) {
  const PoissonTable table(GetParam());
  ASSERT_LE(table.highest(), 255u);
  constexpr std::size_t most = 300;
  std::vector<std::uint32_t> halves(most);
  for (std::size_t i = 0; i < most; ++i) halves[i] = i % 7 ? draw(Key{3, 4}, 2, i)[0] : 0xffff0000u;  // 0xffff is always undecided
  at_every_level([&](Isa) {
    for (std::size_t n = 0; n <= most; n += n < 70 ? 1 : 23) {
      std::vector<std::uint32_t> wide(most, 0x12345678u);
      std::vector<std::uint16_t> bytes(most, 0x1234u), places(2 * most), wide_places(2 * most);
      const std::size_t found = table.counts_of_halves(halves.data(), bytes.data(), n, places.data());
      ASSERT_EQ(found, table.counts_of_halves(halves.data(), wide.data(), n, wide_places.data())) << n;
      for (std::size_t u = 0; u < found; ++u) EXPECT_EQ(places[u], wide_places[u]) << n;
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bytes[i], (wide[i] & 0xffu) | wide[i] >> 16 << 8) << n << " " << i;
      for (std::size_t i = n; i < most; ++i) ASSERT_TRUE(bytes[i] == 0x1234u && wide[i] == 0x12345678u) << n << " " << i;
    }
  });
}

TEST(Poisson, Edges) {
  for (auto c : poisson_draws(PoissonTable(0.0), 100)) EXPECT_EQ(c, 0);
  for (auto c : poisson_draws(PoissonTable(), 100)) EXPECT_EQ(c, 0);
  EXPECT_LE(PoissonTable(60000).highest(), 65535u);
  const auto m = statistics::Moments::of(poisson_draws(PoissonTable(60000), 100000));
  EXPECT_NEAR(m.mean, 60000, 4 * std::sqrt(60000 / 1e5));
  for (double bad : {-1.0, 60001.0, std::nan("")}) EXPECT_THROW(PoissonTable{bad}, BadParameter);
}

TEST(SaddlePoint, StirlingRest) {
  for (double n : {1.0, 2.0, 5.0, 15.0, 16.0, 40.0, 300.0, 1e5}) {
    const long double m = n, exact = std::lgamma(m + 1) - ((m + 0.5L) * std::log(m) - m + 0.918938533204672741780329736406L);
    EXPECT_NEAR(stirling_rest(n), static_cast<double>(exact), 1e-13) << n;
  }
}

TEST(SaddlePoint, BinomialPmf) {
  for (const auto& [n, p] : {std::pair{10.0, 0.3}, {1.0, 0.5}, {500.0, 0.001}, {100000.0, 0.4}, {30.0, 0.97}})
    for (double x = 0; x <= std::min(n, 1000.0); ++x) {
      const auto exact = static_cast<double>(
          std::exp(log_choose(n, x) + x * std::log(static_cast<long double>(p)) + (n - x) * std::log1p(-static_cast<long double>(p))));
      EXPECT_NEAR(binomial_pmf(x, n, p, 1 - p), exact, 1e-11 * exact + 1e-300);
    }
}

TEST(SaddlePoint, BinomialPmfOfHugeNumbers) {
  // At the mode of a huge binomial the pmf is 1 / sqrt(2 pi n p q) up to relative terms of order 1 / (n p q).
  for (const auto& [n, p] : {std::pair{1e12, 0.5}, {1e15, 0.25}, {1e12, 1e-3}})
    EXPECT_NEAR(binomial_pmf(n * p, n, p, 1 - p) * std::sqrt(2 * M_PI * n * p * (1 - p)), 1.0, 1e-8);
}

struct BinomialCase {
  std::uint64_t n;
  double p;
};
class Binomial : public testing::TestWithParam<BinomialCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, Binomial,
                         testing::Values(BinomialCase{1, 0.3}, BinomialCase{10, 0.5}, BinomialCase{10, 0.95}, BinomialCase{500, 0.01},
                                         BinomialCase{1000, 0.5}, BinomialCase{20000, 0.7}, BinomialCase{1000000, 1e-6}));

TEST_P(Binomial, ChiSquare) {
  const auto [n, p] = GetParam();
  const std::size_t draws = 50000;
  std::vector<double> observed(std::min<std::uint64_t>(n, 20000) + 1), expected(observed.size());
  for (std::size_t i = 0; i < draws; ++i) ++observed[binomial(n, p, fresh_uniform(n, i))];
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto x = static_cast<long double>(k), m = static_cast<long double>(n);
    expected[k] = static_cast<double>(draws * std::exp(log_choose(m, x) + x * std::log(static_cast<long double>(p)) +
                                                       (m - x) * std::log1p(-static_cast<long double>(p))));
  }
  EXPECT_GT(statistics::chi_square(observed, expected), 1e-3);
}

TEST(BinomialCount, HugeNumbers) {
  for (const auto& [n, p, draws] : {std::tuple{1e9, 0.5, 3000}, {1e12, 1e-4, 2000}, {1e12, 0.3, 200}, {1e15, 1e-9, 1000}}) {
    std::vector<double> z;
    for (int i = 0; i < draws; ++i) {
      const auto x = static_cast<double>(
          binomial(static_cast<std::uint64_t>(n), p, fresh_uniform(static_cast<std::uint64_t>(n) + 1, static_cast<std::uint64_t>(i))));
      z.push_back((x - n * p) / std::sqrt(n * p * (1 - p)));
    }
    EXPECT_GT(statistics::kolmogorov_smirnov(z, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 1e-3) << n << " " << p;
  }
}

TEST(BinomialCount, EdgesAndExtremeUniforms) {
  EXPECT_EQ(binomial(0, 0.5, 0.5), 0u);
  EXPECT_EQ(binomial(10, 0, 0.5), 0u);
  EXPECT_EQ(binomial(10, 1, 0.5), 10u);
  for (double u : {0x1p-53, 1 - 0x1p-53})
    for (std::uint64_t n : {1ull, 7ull, 1000ull, 1000000007ull, 1000000000000ull})
      for (double p : {1e-15, 0.1, 0.5, 0.9999}) EXPECT_LE(binomial(n, p, u), n);
}

/// P(X <= x), summed from x downwards as far as it matters.
template <class Pmf>
double cumulative(double x, Pmf&& pmf) {
  double sum = 0;
  for (double p = 1; p > 1e-14 && x >= 0; --x) sum += p = pmf(x);
  return sum;
}

/// Where the variance is just above 2^28 the normal expansion answers: its cumulative probabilities are those of the exact distribution.
TEST(Counts, WideOnesAreQuantiles) {
  const double total = 0x1p40;
  for (const double p : {0.5, 0.01}) {
    const double n = std::ceil(0x1.1p28 / (p * (1 - p)));
    for (const double u : {0.001, 0.3, 0.5, 0.9}) {
      const auto x = static_cast<double>(binomial(static_cast<std::uint64_t>(n), p, u));
      EXPECT_NEAR(cumulative(x, [&](double k) { return binomial_pmf(k, n, p, 1 - p); }), u, 3e-5) << p;  // a step is 2.5e-5 at most
      const double m = p * total;
      const auto y = static_cast<double>(
          hypergeometric(static_cast<std::uint64_t>(total), static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), u));
      EXPECT_NEAR(cumulative(y, [&](double k) { return hypergeometric_pmf(k, m, total - m, n); }), u, 3e-5) << p;
    }
  }
}

TEST(Counts, VeryManyPairs) {
  const auto total = static_cast<unsigned __int128>(1) << 88;
  const std::uint64_t edges = std::uint64_t{1} << 52;
  EXPECT_NEAR(static_cast<double>(hypergeometric(total, total / 2, edges, 0.5)), 0x1p51, 2);
  EXPECT_NEAR(static_cast<double>(hypergeometric(total, total / 2, edges, 0.8413447460685429)), 0x1p51 + 0x1p25, 2);  // one s.d.
  EXPECT_LE(hypergeometric(total, 5, edges, 0.999), 5u);
  EXPECT_NEAR(static_cast<double>(binomial(edges, 0.25, 0.5)), 0x1p50, 2);
}

double hypergeometric_expected(double total, double marked, double draws, double x) {
  return static_cast<double>(std::exp(log_choose(marked, x) + log_choose(total - marked, draws - x) - log_choose(total, draws)));
}

struct HyperCase {
  std::uint64_t total, marked, draws;
};
class Hypergeometric : public testing::TestWithParam<HyperCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, Hypergeometric,
                         testing::Values(HyperCase{10, 4, 5}, HyperCase{10, 9, 9}, HyperCase{2, 1, 1}, HyperCase{1000, 500, 100},
                                         HyperCase{1000, 10, 900}, HyperCase{100000, 50000, 300}, HyperCase{5000, 2500, 4990}));

TEST_P(Hypergeometric, PmfIsExact) {
  const auto [total, marked, draws] = GetParam();
  const std::uint64_t unmarked = total - marked, least = draws > unmarked ? draws - unmarked : 0, most = std::min(draws, marked);
  for (std::uint64_t x = least; x <= most; ++x) {
    const double exact = hypergeometric_expected(static_cast<double>(total), static_cast<double>(marked), static_cast<double>(draws),
                                                 static_cast<double>(x));
    EXPECT_NEAR(
        hypergeometric_pmf(static_cast<double>(x), static_cast<double>(marked), static_cast<double>(unmarked), static_cast<double>(draws)),
        exact, 1e-10 * exact);
  }
}

TEST_P(Hypergeometric, ChiSquare) {
  const auto [total, marked, draws] = GetParam();
  const std::uint64_t unmarked = total - marked, least = draws > unmarked ? draws - unmarked : 0, most = std::min(draws, marked);
  const std::size_t n = 50000;
  std::vector<double> observed(most + 1), expected(most + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = hypergeometric(total, marked, draws, fresh_uniform(total * 7 + draws, i));
    ASSERT_GE(x, least);
    ASSERT_LE(x, most);
    ++observed[x];
  }
  for (std::uint64_t x = least; x <= most; ++x)
    expected[x] = n * hypergeometric_expected(static_cast<double>(total), static_cast<double>(marked), static_cast<double>(draws),
                                              static_cast<double>(x));
  EXPECT_GT(statistics::chi_square(observed, expected), 1e-3);
}

TEST(HypergeometricCount, HugeNumbers) {
  for (const auto& [total, marked, draws] : {std::tuple{1e12, 5e11, 1e9}, {1e16, 5e15, 1e8}, {1e12, 3e11, 9e11}}) {
    std::vector<double> z;
    const double mean = draws * (marked / total), variance = mean * (1 - marked / total) * ((total - draws) / (total - 1));
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto x = hypergeometric(static_cast<std::uint64_t>(total), static_cast<std::uint64_t>(marked),
                                    static_cast<std::uint64_t>(draws), fresh_uniform(77, i));
      z.push_back((static_cast<double>(x) - mean) / std::sqrt(variance));
    }
    EXPECT_GT(statistics::kolmogorov_smirnov(z, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 1e-3);
  }
}

TEST(HypergeometricCount, Edges) {
  EXPECT_EQ(hypergeometric(10, 0, 5, 0.5), 0u);
  EXPECT_EQ(hypergeometric(10, 10, 5, 0.5), 5u);
  EXPECT_EQ(hypergeometric(10, 3, 10, 0.5), 3u);
  EXPECT_EQ(hypergeometric(10, 3, 0, 0.5), 0u);
  EXPECT_EQ(hypergeometric(~std::uint64_t{0}, 1, ~std::uint64_t{0}, 0.5), 1u);
}

}  // namespace
}  // namespace npl::rng::test_counts
