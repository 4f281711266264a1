// SPDX-License-Identifier: Apache-2.0
/// The random numbers by which elements are paired, and synapses go.
#include "growth/matching.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace npl::growth::test_matching {
namespace {

TEST(Matching, lots_are_uniform_differ_and_follow_from_the_neuron_alone) {
  const rng::Key key = key_of(3, 5, Draw::sources, 1);
  std::vector<Lot> lots, again;
  for (Gid gid = 1; gid <= 100; ++gid) draw_lots(key, {gid, 1 + gid % 50}, lots);
  draw_lots(key, {100, 1}, again);
  EXPECT_EQ(again[0], lots.back());
  double sum = 0;
  std::set<std::uint64_t> numbers;
  std::map<Gid, std::int64_t> n;
  std::vector<int> sorted(7);
  for (const Lot& l : lots)
    sum += static_cast<double>(l.number) * 0x1p-64, numbers.insert(l.number), ++n[l.gid],
        ++sorted.at(static_cast<std::size_t>(sorter_of(l.number, 7)));
  EXPECT_EQ(numbers.size(), lots.size());
  for (const auto& [gid, k] : n) EXPECT_EQ(k, 1 + gid % 50);
  const auto all = static_cast<double>(lots.size());
  EXPECT_NEAR(sum / all, 0.5, 5 / std::sqrt(12 * all));
  for (const int k : sorted) EXPECT_NEAR(k, all / 7, 5 * std::sqrt(all / 7));
  EXPECT_EQ(sorter_of(0, 7), 0);
  EXPECT_EQ(sorter_of(~std::uint64_t{0}, 7), 6);
}

TEST(Matching, priorities_are_uniform_and_differ) {
  const rng::Key key = key_of(3, 5, Draw::axons, 1);
  double sum = 0;
  for (Gid source = 1; source <= 100; ++source)
    for (Gid target = 1; target <= 10; ++target)
      for (std::uint32_t nth = 0; nth < 10; ++nth) sum += static_cast<double>(priority(key, source, target, nth)) * 0x1p-64;
  EXPECT_NEAR(sum / 1e4, 0.5, 5 / std::sqrt(12 * 1e4));
  EXPECT_NE(priority(key, 1, 2, 0), priority(key, 2, 1, 0));
}

}  // namespace
}  // namespace npl::growth::test_matching
