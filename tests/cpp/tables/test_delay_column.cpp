// SPDX-License-Identifier: Apache-2.0
// Delays encoded as runs, compared with a walk from delay to delay.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tables/delay_column.hpp"

namespace npl::tables::test_delay_column {
namespace {

/// Rows of these lengths with sorted delays, encoded.
void check_runs(const std::vector<std::uint32_t>& lengths, Delay lowest, Delay highest) {
  std::mt19937 random(highest);
  std::vector<std::uint32_t> begin{0};
  for (std::uint32_t n : lengths) begin.push_back(begin.back() + n);
  std::vector<Delay> delays;
  for (std::uint32_t n : lengths) {
    const unsigned kinds = 1 + random() % (highest - lowest + 1u);
    std::vector<Delay> row;
    for (std::uint32_t i = 0; i < n; ++i) row.push_back(static_cast<Delay>(lowest + random() % kinds));
    std::sort(row.begin(), row.end());
    delays.insert(delays.end(), row.begin(), row.end());
  }
  EdgeTable t;
  t.target = Buffer<std::uint16_t>(delays.size());
  t.rows = RowOffsets::choose(begin, false);
  DelayColumn column(lowest, highest);
  column.allocate(delays.size());
  for (std::size_t i = 0; i < delays.size(); ++i) column.put(i, delays[i]);
  std::move(column).encode(t, Layout::runs);
  std::vector<std::pair<Delay, std::uint32_t>> expected, found;
  std::vector<std::uint32_t> run_begin;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    run_begin.push_back(static_cast<std::uint32_t>(expected.size()));
    for (std::uint32_t i = begin[r]; i < begin[r + 1]; ++i) {
      const bool on = expected.size() > run_begin.back() && expected.back().first == delays[i] && expected.back().second < 0xffff;
      if (!on) expected.emplace_back(delays[i], 0);
      ++expected.back().second;
    }
  }
  run_begin.push_back(static_cast<std::uint32_t>(expected.size()));
  for (const Run& run : t.runs) found.emplace_back(run.delay, run.length);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(std::vector<std::uint32_t>(t.run_begin.begin(), t.run_begin.end()), run_begin);
}

TEST(DelayColumn, RunsOfEqualDelays) {
  for (Delay highest : {Delay{5}, Delay{6}, Delay{9}, Delay{260}, Delay{261}, Delay{4000}, npl::longest_delay}) {
    check_runs({1}, 5, highest);
    check_runs({1, 2, 3, 7, 8, 9, 17, 1, 64, 300, 2000}, 5, highest);
    check_runs({4, 200000, 5, 0xffff, 0x10000, 0xfffe, 2 * 0xffff}, 5, highest);
  }
}

}  // namespace
}  // namespace npl::tables::test_delay_column
