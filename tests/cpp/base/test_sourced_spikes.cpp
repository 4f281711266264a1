// SPDX-License-Identifier: Apache-2.0
// Spikes in the order of their sources: as a stable sort finds it.
#include "base/sourced_spikes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace npl::base::test_sourced_spikes {
namespace {

constexpr std::size_t nodes = 50;

SourcedSpikes some_spikes(std::size_t n, std::size_t n_offsets) {
  std::mt19937 random(static_cast<unsigned>(n + 1000 * n_offsets));
  SourcedSpikes all;
  for (std::size_t i = 0; i < n; ++i) {
    const auto source = static_cast<Local>(random() % nodes);
    all.spikes.push_back({Gid{100} + source, static_cast<Step>(i / 7)});
    all.sources.push_back(source);
    if (i < n_offsets) all.offsets.push_back(0.001 * static_cast<double>(i));
  }
  return all;
}

TEST(SourcedSpikes, AreSortedAsByAStableSort) {
  SourcedSpikes spare = some_spikes(90, 30);  // what it holds does not matter
  for (std::size_t n : {0, 1, 500})
    for (std::size_t n_offsets : {std::size_t{0}, n / 3, n}) {
      const SourcedSpikes before = some_spikes(n, n_offsets);
      SourcedSpikes sorted = before;
      sorted.sort_by_source(nodes, spare);
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before.sources[a] < before.sources[b]; });
      ASSERT_EQ(sorted.spikes.size(), n);
      ASSERT_EQ(sorted.sources.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(sorted.spikes[i], before.spikes[order[i]]);
        ASSERT_EQ(sorted.sources[i], before.sources[order[i]]);
        ASSERT_EQ(sorted.offset(i), before.offset(order[i]));
      }
    }
}

}  // namespace
}  // namespace npl::base::test_sourced_spikes
