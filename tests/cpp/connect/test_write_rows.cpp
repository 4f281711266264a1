// SPDX-License-Identifier: Apache-2.0
// Edges written to rows through buckets, and rows sorted, compared with direct bookkeeping.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "../every_case.hpp"
#include "../levels.hpp"
#include "connect/buckets.hpp"
#include "connect/sort_row.hpp"

namespace npl::connect::test_write_rows {
namespace {

using tables::Weights;

struct Written {
  std::uint16_t target;
  Delay delay;
  double weight;
  double key = 0.0;
  friend bool operator==(const Written&, const Written&) = default;
};

template <class W>
struct Drawn {
  std::vector<Gid> source;
  std::vector<Local> target;
  std::vector<Delay> delay;
  std::vector<W> weight;

  Drawn(unsigned seed, std::size_t n, Gid lowest, std::size_t slots, Delay first, Delay last) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t slot = std::min(random() % slots, random() % slots);  // uneven
      source.push_back(lowest + static_cast<Gid>(slot)), target.push_back(random() % 65536);
      delay.push_back(static_cast<Delay>(first + random() % (last - first + 1u)));
      if constexpr (std::is_same_v<W, NoWeight>)
        weight.push_back({});
      else if constexpr (is_keyed<W>)
        weight.push_back({static_cast<float>(random()) / 7, std::bit_cast<std::uint64_t>(1.0 + static_cast<double>(i))});
      else
        weight.push_back(static_cast<W>(random()) / 7);
    }
  }
  EdgeColumns<W> batch(std::size_t i) const {
    return {std::min(batch_capacity, source.size() - i), &source[i], &target[i], &delay[i], &weight[i]};
  }
};

/// Writes all edges through buckets; returns the rows.
template <class W, class Key>
std::vector<std::vector<Written>> written(const Drawn<W>& edges, Gid lowest, std::size_t slots, Delay first, Delay last) {
  std::vector<std::uint32_t> next(slots + 1), begin;
  for (Gid g : edges.source) ++next[static_cast<std::size_t>(g - lowest) + 1];
  for (std::size_t s = 0; s < slots; ++s) next[s + 1] += next[s];
  begin = next;
  const std::size_t n = edges.source.size();
  std::vector<std::uint16_t> target(n);
  std::vector<float> weight32(n);
  std::vector<double> weight64(n), key(n);
  std::vector<std::uint16_t> code(n);
  std::vector<std::uint8_t> narrow(n);
  std::vector<Delay> wide(n);
  const bool bytes = last - first < 256;
  const RowColumns rows{next.data(),
                        target.data(),
                        weight32.data(),
                        weight64.data(),
                        code.data(),
                        bytes ? narrow.data() : nullptr,
                        bytes ? nullptr : wide.data(),
                        key.data()};
  Buckets<W, Key> buckets(slots, static_cast<double>(n), KeyFormat::of(first, last));
  for (std::size_t i = 0; i < n; i += batch_capacity) buckets.add(edges.batch(i), lowest, rows);
  buckets.finish(rows);
  std::vector<std::vector<Written>> found(slots);
  for (std::size_t s = 0; s < slots; ++s)
    for (std::uint32_t i = begin[s]; i < begin[s + 1]; ++i)
      found[s].push_back({target[i], bytes ? static_cast<Delay>(first + narrow[i]) : wide[i],
                          std::is_same_v<W, float> || std::is_same_v<W, Keyed<float>> ? static_cast<double>(weight32[i])
                          : std::is_same_v<W, std::uint16_t>                          ? static_cast<double>(code[i])
                                                                                      : weight64[i],
                          key[i]});
  return found;
}

template <class W, class Key>
void check(std::size_t n, std::size_t slots, Delay first, Delay last) {
  constexpr Gid lowest = 1000001;
  const Drawn<W> edges(static_cast<unsigned>(n + slots), n, lowest, slots, first, last);
  std::vector<std::vector<Written>> expected(slots);
  for (std::size_t i = 0; i < n; ++i) {
    double weight = 0, key = 0;
    if constexpr (is_keyed<W>)
      weight = static_cast<double>(edges.weight[i].weight), key = edges.weight[i].key();
    else if constexpr (!std::is_same_v<W, NoWeight>)
      weight = edges.weight[i];
    expected[static_cast<std::size_t>(edges.source[i] - lowest)].push_back(
        {static_cast<std::uint16_t>(edges.target[i]), edges.delay[i], weight, key});
  }
  at_every_level([&](Isa level) {
    EXPECT_EQ((written<W, Key>(edges, lowest, slots, first, last)), expected) << isa_name(level) << " " << n << " " << slots;
  });
}

TEST(Buckets, RowsHoldTheirEdgesInOrder) {
  for (std::size_t slots : {std::size_t{1}, std::size_t{17}, std::size_t{700}, std::size_t{40000}})
    for (std::size_t n : {std::size_t{1}, std::size_t{3000}, std::size_t{90000}})
      for (Delay last : {Delay{3}, Delay{60}, Delay{258}, Delay{259}, Delay{1000}}) {
        if (!every_case() && (std::popcount(slots) + (n == 3000) + last) % 2) continue;  // all pairs of factors are left
        check<NoWeight, std::uint32_t>(n, slots, 3, last);
        check<float, std::uint32_t>(n, slots, 3, last);
        check<double, std::uint32_t>(n, slots, 3, last);
        check<Keyed<float>, std::uint32_t>(n, slots, 3, last);
        check<Keyed<double>, std::uint32_t>(n, slots, 3, last);
        check<std::uint16_t, std::uint32_t>(n, slots, 3, last);
      }
}

TEST(Buckets, DelaysThatShortKeysHaveNoRoomFor) {
  EXPECT_TRUE(KeyFormat::of(1, 1024).short_keys());
  EXPECT_FALSE(KeyFormat::of(1, 1025).short_keys());
  check<NoWeight, std::uint64_t>(20000, 300, 1, longest_delay);
  check<float, std::uint64_t>(20000, 300, 1, longest_delay);
  check<std::uint16_t, std::uint64_t>(20000, 300, 1, longest_delay);
  check<double, std::uint64_t>(20000, 3, 1, 1025);
}

TEST(Buckets, TakeAtMostAByteForEachEdge) {
  for (double slots : {1.0, 1000.0, 80000.0, 1e7})
    for (double edges : {1e4, 1e6, 1e9})
      for (unsigned bits : {6u, 8u, 16u})
        for (std::size_t edge_bytes : {4u, 8u, 16u}) {
          const BucketShape s = BucketShape::of(slots, edges, bits, edge_bytes);
          EXPECT_LE(s.rows_log2, bits);
          EXPECT_GE(static_cast<double>(s.buckets << s.rows_log2), slots);
          const double ranges = std::max(1.0, slots / static_cast<double>(std::uint64_t{1} << s.rows_log2));
          if (s.capacity > BucketShape::least) {
            EXPECT_LE(ranges * static_cast<double>(s.capacity * edge_bytes), 1.01 * edges);
          }
        }
}

template <class D>
void check_sort(Weights weights, std::uint32_t n, unsigned bins, D base) {
  std::mt19937 random(n);
  tables::EdgeTable t;
  t.target = Buffer<std::uint16_t>(n);
  if (weights == Weights::f32) t.weight32 = Buffer<float>(n);
  if (weights == Weights::f64) t.weight64 = Buffer<double>(n);
  if (weights == Weights::coded) t.code = Buffer<tables::Code>(n);
  std::vector<D> delay(n);
  std::vector<std::tuple<D, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < n; ++i) {
    delay[i] = static_cast<D>(base + random() % bins), t.target[i] = static_cast<std::uint16_t>(i);
    if (weights == Weights::f32) t.weight32[i] = static_cast<float>(i);
    if (weights == Weights::f64) t.weight64[i] = i;
    if (weights == Weights::coded) t.code[i] = static_cast<tables::Code>(i);
    order.emplace_back(delay[i], i);
  }
  const std::uint32_t begin = n / 10, end = n - n / 10;  // the rest stays
  std::sort(order.begin() + begin, order.begin() + end);
  RowSorter(t, bins).sort(delay.data(), {begin, end}, base);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto [d, was] = order[i];
    ASSERT_EQ(delay[i], d);
    ASSERT_EQ(t.target[i], static_cast<std::uint16_t>(was));
    if (weights == Weights::f32) {
      ASSERT_EQ(t.weight32[i], static_cast<float>(was));
    }
    if (weights == Weights::f64) {
      ASSERT_EQ(t.weight64[i], was);
    }
    if (weights == Weights::coded) {
      ASSERT_EQ(t.code[i], was);
    }
  }
}

TEST(RowSorter, SortsByDelayAndKeepsOrder) {
  for (Weights weights : {Weights::uniform, Weights::f32, Weights::f64, Weights::coded})
    for (std::uint32_t n : {0u, 1u, 2u, 5u, 77u, 5000u}) {
      check_sort<std::uint8_t>(weights, n, 256, 0);
      check_sort<std::uint8_t>(weights, n, 3, 0);
      check_sort<Delay>(weights, n, 3000, 17);
    }
}

}  // namespace
}  // namespace npl::connect::test_write_rows
