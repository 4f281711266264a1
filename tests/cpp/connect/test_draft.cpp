// SPDX-License-Identifier: Apache-2.0
// Tables built by sorting compared with tables built by counting, from the same edges.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "connect/draft.hpp"
#include "connect/sort_pile.hpp"

namespace npl::connect::test_draft {
namespace {

using tables::EdgeTable;
using tables::Weights;

struct Drawn {
  Gid source;
  std::uint16_t target;
  Delay delay;
  double weight;
};

std::vector<Drawn> draw(unsigned seed, std::size_t n, Gid lowest, Gid highest, Delay longest) {
  std::mt19937_64 random(seed);
  std::vector<Drawn> edges;
  for (std::size_t i = 0; i < n; ++i)
    edges.push_back({lowest + static_cast<Gid>(random() % static_cast<std::uint64_t>(highest - lowest + 1)),
                     static_cast<std::uint16_t>(random()), static_cast<Delay>(1 + random() % longest),
                     static_cast<double>(static_cast<int>(random() % 1000))});
  return edges;
}

template <class W>
void add(Draft& draft, std::span<const Drawn> edges) {
  std::vector<Gid> source;
  std::vector<Local> target;
  std::vector<Delay> delay;
  std::vector<double> weight;
  for (const Drawn& e : edges) source.push_back(e.source), target.push_back(e.target), delay.push_back(e.delay), weight.push_back(e.weight);
  if constexpr (std::is_same_v<W, NoWeight>) {
    draft.add<W>({edges.size(), source.data(), target.data(), delay.data(), nullptr});
  } else {
    const std::vector<W> rounded(weight.begin(), weight.end());
    draft.add<W>({edges.size(), source.data(), target.data(), delay.data(), rounded.data()});
  }
}

template <class W>
std::unique_ptr<EdgeTable> table_of(const tables::TableSpec& spec, const std::vector<Drawn>& edges, const DraftShape& shape, bool sorted) {
  Draft draft(spec, shape, sorted);
  if (!sorted) {
    for (const Drawn& e : edges) draft.count({&e.source, 1});
    draft.place();
  }
  for (std::size_t i = 0; i < edges.size(); i += batch_capacity)
    add<W>(draft, std::span(edges).subspan(i, std::min(batch_capacity, edges.size() - i)));
  return draft.finish();
}

using Row = std::vector<std::tuple<Delay, std::uint16_t, double>>;

std::map<Gid, Row> rows_of(const EdgeTable& t) {
  std::map<Gid, Row> rows;
  t.sources.for_each([&](std::uint32_t row, Gid gid) {
    EXPECT_EQ(t.sources.row(gid), row);
    t.for_row(row, [&](std::uint32_t i, Delay d) { rows[gid].emplace_back(d, t.target[i], t.weight(i)); });
  });
  return rows;
}

/// Rows by direct bookkeeping: sorted by delay, in order of generation among equal ones.
std::map<Gid, Row> expected_rows(const tables::TableSpec& spec, const std::vector<Drawn>& edges) {
  std::map<Gid, Row> rows;
  for (const Drawn& e : edges) rows[e.source].emplace_back(e.delay, e.target, spec.weights == Weights::uniform ? spec.uniform : e.weight);
  for (auto& [gid, row] : rows)
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  return rows;
}

template <class W>
void check(Weights weights, const DraftShape& shape, std::size_t n) {
  tables::TableSpec spec;
  spec.synapse = &synapses::find_synapse("static_synapse");
  spec.weights = weights;
  spec.uniform = 2.5;
  if (weights == Weights::coded) {
    std::vector<float> values(1000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);  // the code of k is k
    const auto book = std::make_shared<tables::Codebook>();
    book->add(values), spec.book = book;
  }
  const auto edges = draw(static_cast<unsigned>(n), n, shape.lowest, shape.highest, shape.highest_delay);
  const auto expected = expected_rows(spec, edges);
  for (bool sorted : {false, true}) {
    if (!sorted && shape.highest > 10000000) continue;
    const auto table = table_of<W>(spec, edges, shape, sorted);
    ASSERT_TRUE(table);
    EXPECT_EQ(rows_of(*table), expected) << (sorted ? "sorted" : "counted");
  }
}

TEST(Draft, SortedAndCountedTablesHaveTheSameRows) {
  for (Delay longest : {Delay{1}, Delay{30}, Delay{3000}})
    for (Gid highest : {Gid{50}, Gid{100000}, Gid{1} << 40})
      for (std::size_t n : {std::size_t{1}, std::size_t{900}, std::size_t{40000}}) {
        const DraftShape shape{7, highest, 1, longest, static_cast<double>(n)};
        check<NoWeight>(Weights::uniform, shape, n);
        check<float>(Weights::f32, shape, n);
        check<double>(Weights::f64, shape, n);
        check<tables::Code>(Weights::coded, shape, n);
      }
}

TEST(Draft, FarMoreEdgesThanExpected) { check<float>(Weights::f32, {1, 3, 1, 9, 10.0}, 150000); }

TEST(Draft, RowsByRankWhereNodesAreDealtInTurn) {
  DraftShape shape{1, 100000, 1, 9, 5000.0};
  shape.order = {13, (100000 + 12) / 13};
  check<float>(Weights::f32, shape, 5000);
}

TEST(Draft, WithoutEdgesThereIsNoTable) {
  tables::TableSpec spec;
  for (bool sorted : {false, true}) EXPECT_FALSE(table_of<NoWeight>(spec, {}, {1, 1000, 1, 5, 100.0}, sorted));
}

TEST(PileSorter, SortsBySlotThenDelayAndKeepsOrder) {
  std::mt19937 random(3);
  for (std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{10000}, std::size_t{70000}}) {
    std::vector<Edge<NoWeight>> edges;
    for (std::size_t i = 0; i < n; ++i) edges.push_back({static_cast<std::uint32_t>(random()), 0, static_cast<Delay>(random() % 3), {}});
    for (std::size_t i = 1; i < n; i += 3) edges[i].slot = edges[i - 1].slot;
    PileSorter sorter(32, true);
    const auto& order = sorter.order(edges);
    ASSERT_EQ(order.size(), n);
    for (std::size_t i = 1; i < n; ++i) {
      const auto key = [&](std::size_t k) { return std::tuple(edges[order[k]].slot, edges[order[k]].delay, order[k]); };
      ASSERT_LT(key(i - 1), key(i));
    }
  }
}

}  // namespace
}  // namespace npl::connect::test_draft
