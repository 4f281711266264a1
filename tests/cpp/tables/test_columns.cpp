// SPDX-License-Identifier: Apache-2.0
// A new column is one line in one place: a struct that declares two more has bytes, predicted bytes, lengths, look-up by name, hash and
// merge.
#include <gtest/gtest.h>

#include "made_tables.hpp"
#include "tables/hash.hpp"
#include "tables/merge_columns.hpp"

namespace npl::tables::test_columns {
namespace {

/// Columns as a model with eligibility traces would want them: two values per synapse, one number per row.
struct MoreColumns : Columns {
  Buffer<double> eligibility;
  Buffer<int> group;

  static constexpr auto declared() {
    return std::tuple_cat(Columns::declared(),
                          std::tuple{Column<MoreColumns, double>{"eligibility", Per::synapse, &MoreColumns::eligibility,
                                                                 [](const TableSpec& s, Layout) { return s.plasticity ? 2u : 0u; }},
                                     Column<MoreColumns, int>{"group", Per::row, &MoreColumns::group, [](const TableSpec& s, Layout) {
                                                                return unsigned{s.plasticity != nullptr};
                                                              }}});
  }
};

const TableSpec& plastic() {
  static const TableSpec spec = spec_of(Weights::f64, "stdp_synapse", {20, 20, 0.1, 1, 1, 1, 100});
  return spec;
}

constexpr std::size_t synapses = 5, rows = 2;

/// @param base values are base, base + 1, ...
MoreColumns filled(double base, const TableSpec& spec = plastic()) {
  MoreColumns c;
  allocate_columns(c, spec, Layout::words, Per::synapse, synapses);
  allocate_columns(c, spec, Layout::words, Per::row, rows);
  visit_columns(c, [&](const auto&, auto& values) {
    double next = base;
    for (auto& value : values) value = static_cast<std::remove_reference_t<decltype(value)>>(next++);
  });
  return c;
}

TEST(Columns, LengthsFollowTheDeclaration) {
  const MoreColumns c = filled(1);
  EXPECT_EQ(c.eligibility.size(), 2 * synapses);
  EXPECT_EQ(c.group.size(), rows);
  EXPECT_EQ(c.weight64.size(), synapses);
  EXPECT_EQ(c.pre_last.size(), rows);
  EXPECT_TRUE(c.weight32.empty());
  const TableSpec spec = spec_of(Weights::f32);
  const MoreColumns fixed = filled(1, spec);
  EXPECT_TRUE(fixed.eligibility.empty());
  EXPECT_TRUE(fixed.group.empty());
  EXPECT_EQ(fixed.weight32.size(), synapses);
}

TEST(Columns, AllocationStartsFromZeroAndKeepsWhatHasItsLength) {
  MoreColumns c;
  c.group = buffer_of(std::vector<int>{4, 5});
  c.eligibility = buffer_of(std::vector<double>{1, 2, 3});  // another length
  allocate_columns(c, plastic(), Layout::words, Per::synapse, synapses);
  allocate_columns(c, plastic(), Layout::words, Per::row, rows);
  EXPECT_EQ(c.group[1], 5);
  EXPECT_EQ(std::count(c.eligibility.begin(), c.eligibility.end(), 0.0), static_cast<std::ptrdiff_t>(2 * synapses));
}

TEST(Columns, BytesAndTheirPrediction) {
  const MoreColumns c = filled(1);
  const Columns& less = c;
  EXPECT_EQ(column_bytes(c, Per::synapse) - column_bytes(less, Per::synapse), synapses * 2 * sizeof(double));
  EXPECT_EQ(column_bytes(c, Per::row) - column_bytes(less, Per::row), rows * sizeof(int));
  for (const Layout layout : {Layout::runs, Layout::words, Layout::single}) {
    EXPECT_EQ(expected_bytes<MoreColumns>(plastic(), layout, Per::synapse) - expected_bytes(plastic(), layout, Per::synapse),
              2 * sizeof(double));
    EXPECT_EQ(expected_bytes<MoreColumns>(plastic(), layout, Per::row) - expected_bytes(plastic(), layout, Per::row), sizeof(int));
  }
  EXPECT_EQ(static_cast<double>(column_bytes(c, Per::synapse)),
            synapses * expected_bytes<MoreColumns>(plastic(), Layout::words, Per::synapse));
  EXPECT_EQ(static_cast<double>(column_bytes(c, Per::row)), rows * expected_bytes<MoreColumns>(plastic(), Layout::words, Per::row));
}

TEST(Columns, AreFoundByName) {
  const MoreColumns c = filled(10);
  EXPECT_EQ(find_values(c, plastic(), Layout::words, "eligibility", 3), std::vector<double>({16, 17}));
  EXPECT_EQ(find_values(c, plastic(), Layout::words, "group", 1), std::vector<double>{11});
  EXPECT_EQ(find_values(c, plastic(), Layout::words, "target", 4), std::vector<double>{14});
  EXPECT_FALSE(find_values(c, plastic(), Layout::words, "weight32", 0));
  EXPECT_FALSE(find_values(c, plastic(), Layout::words, "no_such", 0));
  EXPECT_FALSE(find_values(static_cast<const Columns&>(c), plastic(), Layout::words, "eligibility", 3));
}

std::uint64_t hashed(const MoreColumns& c) {
  Hash hash;
  hash_columns(hash, c);
  return hash.value();
}

TEST(Columns, EveryValueIsHashed) {
  MoreColumns c = filled(1);
  const std::uint64_t same = hashed(filled(1));
  EXPECT_EQ(hashed(c), same);
  for (std::size_t i = 0; i < c.eligibility.size(); ++i) {
    c.eligibility[i] += 0.5;
    EXPECT_NE(hashed(c), same) << i;
    c.eligibility[i] -= 0.5;
  }
  c.group[1] = 77;
  EXPECT_NE(hashed(c), same);
}

TEST(Columns, MergedTablesHaveThem) {
  const MoreColumns old = filled(0), fresh = filled(100);
  MoreColumns merged;
  const std::array<const MoreColumns*, 2> from{&old, &fresh};
  merge_columns(merged, from, plastic(), Per::synapse, std::vector<Stretch>{{0, 3, 2}, {1, 0, 1}, {0, 0, 1}, {1, 4, 1}});
  merge_columns(merged, from, plastic(), Per::row, std::vector<Stretch>{{1, 1, 1}, {0, 0, 2}});
  const auto list = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
  EXPECT_EQ(list(merged.eligibility), (std::vector<double>{6, 7, 8, 9, 100, 101, 0, 1, 108, 109}));
  EXPECT_EQ(list(merged.group), (std::vector<double>{101, 0, 1}));
  EXPECT_EQ(list(merged.weight64), (std::vector<double>{3, 4, 100, 0, 104}));
  EXPECT_EQ(list(merged.target), (std::vector<double>{3, 4, 100, 0, 104}));
  EXPECT_EQ(list(merged.pre_last), (std::vector<double>{101, 0, 1}));
  EXPECT_TRUE(merged.delay.empty());
}

TEST(Columns, OneSideMayBeMissing) {
  const MoreColumns fresh = filled(100);
  MoreColumns merged;
  const std::array<const MoreColumns*, 2> from{nullptr, &fresh};
  merge_columns(merged, from, plastic(), Per::synapse, std::vector<Stretch>{{1, 1, 2}});
  EXPECT_EQ(merged.eligibility[0], 102);
  EXPECT_EQ(merged.eligibility.size(), 4u);
}

/// All that is known of a table is of its columns, its rows and its index.
TEST(Columns, BytesOfATableAreThoseOfItsColumnsAndItsIndex) {
  const std::vector<Synapse> list{{1, 0, 3, 1.0}, {1, 1, 4, 2.0}, {5, 0, 3, 3.0}};
  for (const Layout layout : {Layout::runs, Layout::words}) {
    const EdgeTable t = table_of(plastic(), list, layout);
    EXPECT_EQ(static_cast<double>(t.payload_bytes()), 3 * expected_bytes(plastic(), layout, Per::synapse));
    const std::size_t index = t.sources.bytes() + t.rows.bytes() + t.run_begin.bytes() + t.runs.bytes();
    EXPECT_EQ(static_cast<double>(t.index_bytes() - index), 2 * expected_bytes(plastic(), layout, Per::row));
  }
}

}  // namespace
}  // namespace npl::tables::test_columns
