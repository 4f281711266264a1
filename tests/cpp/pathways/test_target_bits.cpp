// SPDX-License-Identifier: Apache-2.0
// Rows counted bit by bit, compared with adding target by target.
#include <gtest/gtest.h>

#include <random>

#include "driven.hpp"
#include "pathways/target_bits.hpp"

namespace npl::pathways::test_target_bits {
namespace {

using namespace tables;

constexpr double to_fixed = 0x1p20;

/// Every source of 1 .. `sources` has so many targets of first .. first + nodes - 1, some more than once.
std::vector<Synapse> synapses_of(std::mt19937& random, int sources, int each, std::uint16_t first, unsigned nodes) {
  std::vector<Synapse> list;
  for (int source = 1; source <= sources; ++source)
    for (int k = 0; k < each; ++k) list.push_back({source, static_cast<std::uint16_t>(first + random() % nodes), 3, 0.0});
  return list;
}

struct Shape {
  int sources, each;
  std::uint16_t first;
  unsigned nodes;
};

class Bits : public testing::TestWithParam<Shape> {
 protected:
  void TearDown() override { set_isa(machine_isa()); }
};

TEST_P(Bits, AddTheSameAsTargets) {
  const Shape s = GetParam();
  std::mt19937 random(4);
  const TableSpec spec = spec_of(Weights::uniform);
  const EdgeTable table = table_of(spec, synapses_of(random, s.sources, s.each, s.first, s.nodes), Layout::single);
  const TargetBits bits(table);
  EXPECT_FALSE(bits.empty());
  for (const std::size_t n : {1u, 3u, 4u, 7u, 8u, 15u, 16u, 59u, 60u, 61u, 300u}) {
    std::vector<std::uint32_t> rows;
    for (std::size_t k = 0; k < n; ++k) rows.push_back(random() % static_cast<unsigned>(s.sources));  // most of them more than once
    for (const Fixed each : {Fixed{1}, Fixed{-3'000'000'000'001}, Fixed{1} << 43}) {
      const std::vector<Fixed> before(s.first + s.nodes, 7);
      std::vector<Fixed> wanted = before;
      for (const std::uint32_t r : rows)
        for (std::uint32_t i = table.rows[r].begin; i < table.rows[r].end; ++i) wanted[table.target[i]] += each;
      for (const Isa level : {Isa::baseline, Isa::v3, Isa::v4}) {
        if (!set_isa(level)) continue;
        std::vector<Fixed> sums = before;
        bits.add(rows, each, sums.data());
        EXPECT_EQ(sums, wanted) << n << " rows, " << isa_name(level);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bits,
                         testing::Values(Shape{20, 5, 0, 3}, Shape{20, 100, 0, 512}, Shape{9, 400, 1000, 1300}, Shape{30, 40, 511, 33},
                                         Shape{5, 3000, 0, 65000}));

/// Steps of a pathway in which all sources of a list spike, with the sums that they are to bring.
struct Steps {
  std::unique_ptr<Pathway> pathway;
  std::vector<Fixed> wanted;

  /// True if all steps brought the sums.
  bool run(Step begin, Step end) {
    bool right = true;
    for (Step step = begin; step < end; ++step) {
      std::uint64_t events = 0;
      const std::vector<Fixed> sums = due(*pathway, step, wanted.size(), to_fixed, &events);
      if (step >= begin + 3) right &= sums == wanted && events == pathway->table().n_synapses();
      for (Gid source = 1; source <= static_cast<Gid>(pathway->table().n_rows()); ++source) spike(*pathway, source, step);
    }
    return right;
  }
};

class Delivery : public testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t nodes = 1100;

  Delivery() : spec_(spec_of(Weights::uniform)), nodes_(nodes_of_slice(nodes)) {
    spec_.input = GetParam() ? TargetInput::counts : TargetInput::weights;
  }
  Steps steps(int sources, int each) {
    std::mt19937 random(5);
    const auto list = synapses_of(random, sources, each, 0, nodes);
    Steps made{make_pathway(std::make_unique<EdgeTable>(table_of(spec_, list, Layout::single)), {nodes_, nullptr, nullptr, 1}), {}};
    made.wanted.resize(nodes);
    for (const Synapse& s : list) made.wanted[s.target] += spec_.counts() ? 1 : std::llrint(spec_.uniform * to_fixed);
    return made;
  }

  TableSpec spec_;
  Residents nodes_;
};

/// Bytes that a pathway takes once many of its steps had enough spikes for bits.
std::size_t bytes_made_late(Steps& steps) {
  EXPECT_TRUE(steps.run(0, 20));
  const std::size_t before = steps.pathway->bytes();
  EXPECT_TRUE(steps.run(20, 100));
  return steps.pathway->bytes() - before;
}

TEST_P(Delivery, ByBitsBringsTheSameAsByTargets) {
  Steps dense = steps(20, 200);
  EXPECT_GE(bytes_made_late(dense), 20 * nodes / 8) << "no bits were made";
}

TEST_P(Delivery, SparseTablesHaveNoBits) {
  Steps sparse = steps(200, 40);
  EXPECT_EQ(bytes_made_late(sparse), 0);
}

TEST_P(Delivery, FollowsEdits) {
  Steps all = steps(20, 200);
  ASSERT_TRUE(all.run(0, 60));
  Edits edits;
  edits.out.resize(all.pathway->table().n_synapses());
  for (std::size_t i = 0; i < edits.out.size(); i += 3) edits.out[i] = 1;
  Moved moved;
  auto next = all.pathway->edited(std::move(edits), 60, moved);
  std::fill(all.wanted.begin(), all.wanted.end(), 0);
  for (std::size_t i = 0; i < next->table().n_synapses(); ++i)
    all.wanted[next->table().target[i]] += spec_.counts() ? 1 : std::llrint(spec_.uniform * to_fixed);
  all.pathway = std::move(next);
  EXPECT_TRUE(all.run(60, 140));
}

TEST_P(Delivery, FollowsWeightsThatAreNoLongerEqual) {
  Steps all = steps(20, 200);
  ASSERT_TRUE(all.run(0, 60));
  EdgeTable& table = all.pathway->table();
  const TableSpec wider = spec_.widened();
  table.widen(wider);
  table.set_weight(5, 4.0);
  all.pathway->refresh();
  if (!spec_.counts()) all.wanted[table.target[5]] += std::llrint((4.0 - spec_.uniform) * to_fixed);
  EXPECT_TRUE(all.run(60, 140));
  all.pathway.reset();  // before the spec
}

INSTANTIATE_TEST_SUITE_P(Both, Delivery, testing::Bool());

}  // namespace
}  // namespace npl::pathways::test_target_bits
