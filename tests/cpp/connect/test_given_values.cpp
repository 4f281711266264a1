// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "connect/edge_list.hpp"
#include "connect/given_values.hpp"
#include "rng/distribution.hpp"

namespace npl::connect::test_given_values {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<double> values(std::size_t n) {
  std::vector<double> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = 3.0 - static_cast<double>(i * 7 % 29) / 4.0;
  return all;
}

TEST(GivenValues, ScanFindsRangeAndFloatsWhereverTheyAre) {
  EXPECT_EQ(scan({}).low, 0.0);
  for (const std::size_t n : {1, 7, 8, 9, 16, 37})
    for (std::size_t k = 0; k < n; ++k) {
      auto all = values(n);
      ASSERT_TRUE(scan(all).finite && scan(all).floats);
      EXPECT_EQ(scan(all).low, *std::min_element(all.begin(), all.end()));
      EXPECT_EQ(scan(all).high, *std::max_element(all.begin(), all.end()));
      all[k] = -50.0;
      EXPECT_EQ(scan(all).low, -50.0);
      all[k] = 50.1;
      EXPECT_EQ(scan(all).high, 50.1);
      EXPECT_FALSE(scan(all).floats);
      all[k] = 1e300;  // beyond float32
      EXPECT_FALSE(scan(all).floats);
      for (const double x : {inf, -inf, std::nan("")}) {
        all[k] = x;
        EXPECT_FALSE(scan(all).finite);
      }
    }
}

TEST(GivenValues, FloatsAreTheValuesThatFit) {
  const auto all = values(100);
  const auto floats = to_floats(all);
  ASSERT_TRUE(scan(all).floats);
  EXPECT_TRUE(std::equal(all.begin(), all.end(), floats.begin(), floats.end()));
}

TEST(GivenValues, StepsAreThoseOfSingleDelays) {
  std::vector<double> ms;
  for (int i = 1; i < 1000; ++i) ms.push_back(0.05 + 0.0357 * i);
  const DelaySteps all = to_steps(ms, 0.1);
  for (std::size_t i = 0; i < ms.size(); ++i) ASSERT_EQ(all.steps[i], rng::delay_steps(ms[i], 0.1));
  EXPECT_EQ(all.lowest, all.steps.front());
  EXPECT_EQ(all.highest, all.steps.back());
  for (const double wrong : {0.0, -1.0, 0.04, 6554.0, 1e300, inf, -inf, std::nan("")}) {
    ms[500] = wrong;
    EXPECT_EQ(to_steps(ms, 0.1).lowest, 0);
    EXPECT_EQ(to_steps(ms, 0.1).steps[500], rng::steps_or_0(wrong, 0.1));
  }
}

TEST(EdgeList, IsMadeOfAscendingTargets) {
  const std::vector<std::int64_t> sources{4, 0, 4, 0xffffffff, 7}, targets{2, 2, 5, 9, 9};
  const auto list = ascending_edges(sources, targets);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 5);
  std::size_t k = 0;
  for (std::int64_t t = 0; t < 12; ++t)
    for (auto [i, end] = list->of(t); i < end; ++i, ++k) {
      EXPECT_EQ(t, targets[k]);
      EXPECT_EQ(list->source[i], sources[k]);
    }
  EXPECT_EQ(k, 5);
  EXPECT_TRUE(list->meets(3, 5) && list->meets(5, 6) && list->meets(0, 100));
  EXPECT_FALSE(list->meets(0, 1) || list->meets(6, 8) || list->meets(10, 20));
  EXPECT_EQ(ascending_edges({}, {})->size(), 0);
}

TEST(EdgeList, IsNotMadeOfWhatDoesNotFit) {
  using List = std::vector<std::int64_t>;
  EXPECT_FALSE(ascending_edges(List{1, 1}, List{3, 2}));
  EXPECT_FALSE(ascending_edges(List{1, 1}, List{-1, 2}));
  EXPECT_FALSE(ascending_edges(List{1, -1}, List{1, 2}));
  EXPECT_FALSE(ascending_edges(List{1, std::int64_t{1} << 32}, List{1, 2}));
}

}  // namespace
}  // namespace npl::connect::test_given_values
