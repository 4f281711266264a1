// SPDX-License-Identifier: Apache-2.0
// Tables of synapses of other tables, for edits and for checkpoints: rows are joined when nothing tells their spikes in flight apart.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "pathways/row_builder.hpp"

#include "../tables/made_tables.hpp"

namespace npl::pathways::test_row_builder {
namespace {

Flight made(Step step, Step due, std::uint32_t at) {
  return {.at = at, .sent = step, .before = {7, {0.5, 0.25}, 1, 0.125}, .offset = 0.0625, .due = due};
}

TEST(BuiltRows, RowsWithTheSameSpikesAreOne) {
  RowBuilder rows;
  EXPECT_EQ(rows.row(5, {}, {}), 0u);
  EXPECT_EQ(rows.row(5, {}, {made(3, 9, 1)}), 1u);
  EXPECT_EQ(rows.row(5, {}, {made(3, 11, 2)}), 1u);  // synapses of another delay, at another place
  EXPECT_EQ(rows.row(5, {}, {}), 0u);
  EXPECT_EQ(rows.row(6, {}, {}), 2u);
}

TEST(BuiltRows, SynapsesBetweenTwoNodesStayInOrder) {
  const std::vector<Flight> none, one{made(3, 9, 1)};
  RowBuilder rows;
  EXPECT_EQ(rows.row(5, 20, {}, none), 0u);
  EXPECT_EQ(rows.row(5, 21, {}, one), 1u);
  EXPECT_EQ(rows.row(5, 20, {}, one), 1u);
  EXPECT_EQ(rows.row(5, 22, {}, none), 0u);
  EXPECT_EQ(rows.row(5, 21, {}, none), 2u) << "not before its row 1";
  EXPECT_EQ(rows.row(5, 20, {}, none), 2u);
  EXPECT_EQ(rows.row(6, {}, none), 3u);
  EXPECT_EQ(rows.row(5, {}, none, 1), 2u);
}

TEST(BuiltRows, SynapsesKeepTheirValuesAndSpikes) {
  const tables::TableSpec spec = tables::spec_of(tables::Weights::f64);
  const tables::EdgeTable from = tables::table_of(spec, {{8, 1, 4, 2.5}, {9, 2, 3, 3.5}, {9, 3, 3, 4.5}}, tables::Layout::words);
  RowBuilder rows;
  const std::vector<Flight> none, one{made(3, 9, 1)};
  for (const std::uint32_t i : {2u, 0u, 1u}) {  // of source 9 with a spike in flight, of 8, of 9 without one
    const Gid source = i ? 9 : 8;
    rows.add(rows.row(source, {}, i == 2 ? one : none), source, from, i, i ? 3 : 4, from.target[i]);
  }
  const tables::Listed built = rows.table(spec, {});
  ASSERT_EQ(built.table->n_rows(), 3u);
  for (std::size_t j = 0; j < 3; ++j) {
    const std::uint32_t i = std::array{2u, 0u, 1u}[j];
    EXPECT_EQ(built.table->weight(built.position[j]), from.weight(i));
    EXPECT_EQ(built.table->target[built.position[j]], from.target[i]);
  }
  std::vector<std::pair<std::uint32_t, Step>> flying;
  rows.for_flying(*built.table, built.position, [&](const Flight& spike) { flying.push_back({spike.at, spike.emitted()}); });
  EXPECT_EQ(flying, (std::vector<std::pair<std::uint32_t, Step>>{{built.table->row_of(built.position[0]), 3}}));
}

TEST(BuiltRows, WhateverTellsSpikesApartTellsRowsApart) {
  const Flight spike = made(3, 9, 1);
  const std::function<void(Flight&)> changes[] = {
      [](Flight& s) { s = made(4, 9, 1); },        [](Flight& s) { s.before.last = 6; },   [](Flight& s) { s.before.value[0] = 0.75; },
      [](Flight& s) { s.before.value[1] = 0.75; }, [](Flight& s) { s.before.repeat = 2; }, [](Flight& s) { s.before.offset = 0.5; },
      [](Flight& s) { s.offset = 0.5; },           [](Flight& s) { s.emission = 0.5; },
  };
  RowBuilder rows;
  std::uint32_t row = 0;
  EXPECT_EQ(rows.row(5, {}, {spike}), row++);
  for (const auto& change : changes) {
    Flight other = spike;
    change(other);
    EXPECT_EQ(rows.row(5, {}, {other}), row++);
  }
  EXPECT_EQ(rows.row(5, {}, {spike, spike}), row++);
  EXPECT_EQ(rows.row(5, {}, {spike}), 0u);
}

}  // namespace
}  // namespace npl::pathways::test_row_builder
