// SPDX-License-Identifier: Apache-2.0
// Rows are joined when nothing tells their spikes in flight apart: the same function for edits and for checkpoints.
#include <gtest/gtest.h>

#include "sim/joined_rows.hpp"

namespace npl::sim::test_joined_rows {
namespace {

using pathways::InFlight;
using pathways::QueuedRow;

template <class Spike>
Spike made(Step step, Step due, std::uint32_t at);
template <>
InFlight made(Step step, Step due, std::uint32_t at) {
  return {due, step + 1, at, {7, {0.5, 0.25}, 1, 0.125}, 0.0625};
}
template <>
QueuedRow made(Step step, Step, std::uint32_t at) {
  return {at, step, step + 1, {7, {0.5, 0.25}, 1, 0.125}, 0.0625};
}

template <class Spike>
class Joined : public ::testing::Test {};
using Spikes = ::testing::Types<InFlight, QueuedRow>;
TYPED_TEST_SUITE(Joined, Spikes);

TYPED_TEST(Joined, RowsWithTheSameSpikesAreOne) {
  JoinedRows<TypeParam> rows;
  EXPECT_EQ(rows.row(5, {}, {}), 0u);
  EXPECT_EQ(rows.row(5, {}, {made<TypeParam>(3, 9, 1)}), 1u);
  EXPECT_EQ(rows.row(5, {}, {made<TypeParam>(3, 11, 2)}), 1u);  // synapses of another delay, at another place
  EXPECT_EQ(rows.row(5, {}, {}), 0u);
  EXPECT_EQ(rows.row(6, {}, {}), 2u);
  EXPECT_EQ(rows.states().size(), 3u);
  EXPECT_EQ(rows.flying(1).size(), 1u);
}

TYPED_TEST(Joined, WhateverTellsSpikesApartTellsRowsApart) {
  const TypeParam spike = made<TypeParam>(3, 9, 1);
  const std::function<void(TypeParam&)> changes[] = {
      [](TypeParam& s) { s = made<TypeParam>(4, 9, 1); },
      [](TypeParam& s) { s.before.last = 6; },
      [](TypeParam& s) { s.before.value[0] = 0.75; },
      [](TypeParam& s) { s.before.value[1] = 0.75; },
      [](TypeParam& s) { s.before.repeat = 2; },
      [](TypeParam& s) { s.before.offset = 0.5; },
      [](TypeParam& s) { s.offset = 0.5; },
  };
  JoinedRows<TypeParam> rows;
  std::uint32_t row = 0;
  EXPECT_EQ(rows.row(5, {}, {spike}), row++);
  for (const auto& change : changes) {
    TypeParam other = spike;
    change(other);
    EXPECT_EQ(rows.row(5, {}, {other}), row++);
  }
  EXPECT_EQ(rows.row(5, {}, {spike, spike}), row++);
  EXPECT_EQ(rows.row(5, {}, {spike}), 0u);
}

}  // namespace
}  // namespace npl::sim::test_joined_rows
