// SPDX-License-Identifier: Apache-2.0
/// Samplers that make their tables later, and their cache.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "rng/philox.hpp"
#include "rng/sampler_cache.hpp"

namespace npl::rng::test_sampler_cache {
namespace {

ValueSpec spec(Kind kind, double a, double b, Limit limit = Limit::none, double min = 0, double max = 0) {
  return {kind, a, b, limit, min, max, nullptr, nullptr};
}

std::vector<ValueSpec> specs() {
  return {spec(Kind::normal, 10, 1),
          spec(Kind::normal, 10, 1, Limit::redraw, 9.5, 30),
          spec(Kind::normal, -3, 2, Limit::clip, -4, 1),
          spec(Kind::lognormal, 0.5, 0.7),
          spec(Kind::uniform, 1, 4),
          spec(Kind::exponential, 2, 0, Limit::redraw, 0.5, 20),
          spec(Kind::normal, 2, 0)};
}

std::vector<std::uint32_t> words(std::size_t n) {
  std::vector<std::uint32_t> all{0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  for (std::size_t i = 0; all.size() < n; ++i) all.push_back(draw(Key{3, 4}, 5, i)[0]);
  all.resize(n);
  return all;
}

template <class T>
std::vector<T> in_parts(const Sampler& sampler, const std::vector<std::uint32_t>& from, std::size_t part) {
  std::vector<T> out(from.size());
  for (std::size_t i = 0; i < from.size(); i += part) {
    const std::size_t n = std::min(part, from.size() - i);
    sampler.draw({from.data() + i, n}, out.data() + i);
  }
  return out;
}

TEST(LazySampler, GivesTheSameBitsBeforeAndAfterItsTableIsMade) {
  const auto w = words(5000);
  for (const ValueSpec& s : specs()) {
    const Sampler whole(s), a(s, Sampler::Table::when_worth), b(s, Sampler::Table::when_worth);
    EXPECT_EQ(in_parts<double>(a, w, 7), in_parts<double>(whole, w, 5000));
    EXPECT_EQ(in_parts<float>(b, w, 300), in_parts<float>(whole, w, 5000));
    EXPECT_EQ(a.lowest(), whole.lowest());
    EXPECT_EQ(a.highest(), whole.highest());
  }
}

TEST(LazySampler, MayBeSharedByThreads) {
  const auto w = words(4000);
  const ValueSpec s = specs()[1];
  const auto expected = in_parts<double>(Sampler(s), w, 4000);
  const Sampler shared(s, Sampler::Table::when_worth);
  std::vector<std::vector<double>> got(4);
  std::vector<std::thread> threads;
  for (auto& out : got) threads.emplace_back([&] { out = in_parts<double>(shared, w, 13); });
  for (auto& t : threads) t.join();
  for (const auto& out : got) EXPECT_EQ(out, expected);
}

TEST(LazySampler, KnowsTheShareBelowZero) {
  EXPECT_NEAR(Sampler(spec(Kind::normal, 0, 1)).share_below_zero(), 0.5, 1e-12);
  EXPECT_EQ(Sampler(spec(Kind::normal, 0, 1, Limit::clip, 0, 5)).share_below_zero(), 0.0);
  EXPECT_NEAR(Sampler(spec(Kind::uniform, -1, 3)).share_below_zero(), 0.25, 1e-12);
  EXPECT_EQ(Sampler(spec(Kind::normal, -2, 0)).share_below_zero(), 1.0);
}

TEST(DelaySampler, GivesTheSameDelaysWithAndWithoutGuide) {
  const auto w = words(20000);
  for (const ValueSpec& s :
       {spec(Kind::normal, 3, 1.5, Limit::redraw, 0.1, 1e4), spec(Kind::uniform, 0.1, 100), spec(Kind::uniform, 1, 2)}) {
    const DelaySampler once(s, 0.1), parts(s, 0.1);
    std::vector<Delay> expected(w.size()), got(w.size());
    once.draw(w, expected.data());  // with the guide at once, if there is one
    for (std::size_t i = 0; i < w.size(); i += 10) parts.draw({w.data() + i, 10}, got.data() + i);
    EXPECT_EQ(got, expected);
    const std::vector<double> shares = once.shares();
    ASSERT_EQ(shares.size(), static_cast<std::size_t>(once.highest() - once.lowest()) + 1);
    std::vector<double> counted(shares.size());
    for (const Delay d : expected) counted[static_cast<std::size_t>(d - once.lowest())] += 1.0 / static_cast<double>(w.size());
    double sum = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      sum += shares[k];
      EXPECT_NEAR(counted[k], shares[k], 6 * std::sqrt(shares[k] / static_cast<double>(w.size())) + 1e-3);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(SamplerCache, EqualSpecsShareAndOthersDoNot) {
  SamplerCache cache;
  const ValueSpec base = spec(Kind::normal, 10, 1, Limit::redraw, 0, 30);
  const auto one = cache.weights(base);
  EXPECT_EQ(cache.weights(base), one);
  std::vector<ValueSpec> others(7, base);
  others[0].kind = Kind::lognormal, others[1].a = 11, others[2].b = 2, others[3].limit = Limit::clip, others[4].min = -0.0,
  others[5].max = 31, others[6].bits = 12;
  for (const ValueSpec& other : others) EXPECT_NE(cache.weights(other), one);
  EXPECT_EQ(cache.weights(base), one);
  const auto delays = cache.delays(spec(Kind::uniform, 1, 5), 0.1);
  EXPECT_EQ(cache.delays(spec(Kind::uniform, 1, 5), 0.1), delays);
  EXPECT_NE(cache.delays(spec(Kind::uniform, 1, 5), 0.2), delays);
  cache.clear();
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_NE(cache.delays(spec(Kind::uniform, 1, 5), 0.1), delays);
}

TEST(SamplerCache, IsBoundedAndKeepsWhatWasAskedForLast) {
  SamplerCache cache(3);
  const auto one = cache.weights(spec(Kind::normal, 0, 1));
  for (int k = 1; k < 50; ++k) {
    cache.weights(spec(Kind::normal, k, 1));
    EXPECT_EQ(cache.weights(spec(Kind::normal, 0, 1)), one);  // stays, as it is used
    EXPECT_LE(cache.size(), 3u);
  }
  const auto old = cache.weights(spec(Kind::normal, 1, 1));
  for (int k = 2; k < 6; ++k) cache.weights(spec(Kind::normal, k, 1));
  EXPECT_NE(cache.weights(spec(Kind::normal, 1, 1)), old);
  float value;
  const std::uint32_t word = 7;
  old->draw({&word, 1}, &value);  // who has it may use it
}

TEST(SamplerCache, ChecksWhatItDoesNotKnow) {
  SamplerCache cache;
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_THROW(cache.check_weight(spec(Kind::normal, 0, -1)), BadParameter);
    EXPECT_THROW(cache.check_delay(spec(Kind::uniform, 2, 1), 0.1), BadParameter);
    EXPECT_THROW(cache.delays(spec(Kind::normal, 1, 1), 0.1), BadDelay);
    EXPECT_THROW(cache.check_weight(spec(Kind::constant, std::numeric_limits<double>::quiet_NaN(), 0)), BadParameter);
  }
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace npl::rng::test_sampler_cache
