// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/precise_event.hpp"

namespace npl::test_precise_event {
namespace {

bool same(const PreciseEvent& a, const PreciseEvent& b) { return !canonical(a, b) && !canonical(b, a); }

/// Runs as spikes deliver them, some of them long, some of one event, some with targets more than once.
std::vector<PreciseEvent> delivered(std::mt19937& random, std::size_t runs, std::size_t length) {
  std::vector<PreciseEvent> events;
  for (std::size_t r = 0; r < runs; ++r) {
    const double offset = static_cast<double>(random() % 3) * 0.01;
    Local target = 0;
    for (std::size_t k = random() % (length + 1); k > 0; --k) {
      target += random() % 4;
      events.push_back({target, static_cast<int>(random() % 2), offset, static_cast<double>(random() % 5) - 2.0});
    }
  }
  return events;
}

TEST(PreciseEvent, AnyRunsAreBroughtIntoCanonicalOrder) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    auto events = delivered(random, random() % 24, trial % 2 ? 3 : 60), expected = events;
    std::stable_sort(expected.begin(), expected.end(), canonical);
    sort_canonically(events);
    ASSERT_TRUE(std::equal(events.begin(), events.end(), expected.begin(), expected.end(), same)) << trial;
  }
}

TEST(PreciseEvent, OrderIsByNodeThenTimeThenReceptorThenWeight) {
  std::vector<PreciseEvent> events{{1, 0, 0.0, 1.0}, {0, 1, 0.0, 1.0}, {0, 0, 0.0, 2.0}, {0, 0, 0.0, -1.0}, {0, 1, 0.05, 9.0}};
  sort_canonically(events);
  const double weights[] = {9.0, -1.0, 2.0, 1.0, 1.0};
  for (std::size_t k = 0; k < events.size(); ++k) EXPECT_EQ(events[k].weight, weights[k]);
  EXPECT_EQ(events.back().target, 1u);
}

}  // namespace
}  // namespace npl::test_precise_event
