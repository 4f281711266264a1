// SPDX-License-Identifier: Apache-2.0
// One synapse with another delay, compared with a list that is sorted again.
#include <gtest/gtest.h>

#include <random>

#include "made_tables.hpp"

namespace npl::tables::test_move_to_delay {
namespace {

TEST(MoveToDelay, TheRowStaysSortedAndColumnsGoAlong) {
  std::mt19937 random(3);
  const TableSpec spec = spec_of(Weights::f64);
  std::vector<Synapse> list;
  for (Gid source = 1; source <= 5; ++source)
    for (unsigned k = 0; k < 1 + static_cast<unsigned>(source) * 3; ++k)
      list.push_back(
          {source, static_cast<std::uint16_t>(random() % 9), static_cast<Delay>(1 + random() % 4), static_cast<double>(list.size())});
  EdgeTable t = table_of(spec, list, Layout::words);
  struct Item {
    Delay delay;
    double weight;
    std::uint16_t target;
  };
  std::vector<std::vector<Item>> rows(t.n_rows());
  for (std::uint32_t r = 0; r < t.n_rows(); ++r)
    t.for_row(r, [&](std::uint32_t i, Delay delay) { rows[r].push_back({delay, t.weight(i), t.target[i]}); });
  for (int edit = 0; edit < 500; ++edit) {
    const auto i = static_cast<std::uint32_t>(random() % t.n_synapses());
    const std::uint32_t row = t.row_of(i);
    const auto delay = static_cast<Delay>(1 + random() % 6);
    auto& items = rows[row];
    const auto at = items.begin() + (i - t.rows[row].begin);
    Item moved = *at;
    moved.delay = delay;
    items.erase(at);
    const auto behind = std::upper_bound(items.begin(), items.end(), delay, [](Delay d, const Item& item) { return d < item.delay; });
    const auto expected = static_cast<std::uint32_t>(behind - items.begin()) + t.rows[row].begin;
    items.insert(behind, moved);
    ASSERT_EQ(t.move_to_delay(i, delay), expected);
    for (std::uint32_t r = 0; r < t.n_rows(); ++r) {
      std::size_t k = 0;
      t.for_row(r, [&](std::uint32_t j, Delay d) {
        ASSERT_EQ(d, rows[r][k].delay);
        ASSERT_EQ(t.weight(j), rows[r][k].weight);
        ASSERT_EQ(t.target[j], rows[r][k++].target);
      });
    }
  }
}

}  // namespace
}  // namespace npl::tables::test_move_to_delay
