// SPDX-License-Identifier: Apache-2.0
// Rows and sources in every encoding compared with plain lists.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "made_tables.hpp"

namespace npl::tables::test_rows {
namespace {

/// Begins of rows with 1 .. longest synapses.
std::vector<std::uint32_t> random_begins(unsigned seed, std::size_t rows, unsigned longest) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> begin{0};
  for (std::size_t r = 0; r < rows; ++r) begin.push_back(begin.back() + 1 + random() % longest);
  return begin;
}

RowOffsets marked(const std::vector<std::uint32_t>& begin) {
  Buffer<std::uint64_t> marks(begin.back() / 64 + 1);
  for (std::size_t r = 0; r + 1 < begin.size(); ++r) marks[begin[r] / 64] |= std::uint64_t{1} << begin[r] % 64;
  return RowOffsets(std::move(marks), begin.back());
}

TEST(RowOffsets, BothEncodingsKnowTheRows) {
  for (unsigned longest : {1u, 2u, 3u, 200u})
    for (std::size_t rows : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{5000}}) {
      const auto begin = random_begins(longest, rows, longest);
      for (const RowOffsets& offsets : {RowOffsets(buffer_of(begin)), marked(begin)}) {
        ASSERT_EQ(offsets.rows(), rows);
        for (std::size_t r = 0; r < rows; ++r) {
          ASSERT_EQ(offsets[r].begin, begin[r]) << "row " << r << " of " << rows;
          ASSERT_EQ(offsets[r].end, begin[r + 1]);
        }
      }
    }
}

TEST(RowOffsets, NoRows) {
  EXPECT_EQ(RowOffsets().rows(), 0u);
  EXPECT_EQ(RowOffsets(Buffer<std::uint64_t>(1), 0).rows(), 0u);
}

TEST(RowOffsets, BytesAsPlanned) {
  const auto begin = random_begins(1, 100000, 2);
  EXPECT_NEAR(static_cast<double>(marked(begin).bytes()), RowOffsets::marked_bytes(100000, begin.back()), 64);
  EXPECT_EQ(static_cast<double>(RowOffsets(buffer_of(begin)).bytes()), RowOffsets::plain_bytes(100000));
}

std::vector<std::uint64_t> random_numbers(std::size_t n, std::uint64_t below) {
  std::mt19937_64 random(n);
  std::set<std::uint64_t> numbers;
  while (numbers.size() < n) numbers.insert(random() % below);
  return {numbers.begin(), numbers.end()};
}

TEST(SourceList, FindsWhatIsThereAndNothingElse) {
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{129}, std::size_t{1000}})
    for (std::uint64_t below : {std::uint64_t{2000}, std::uint64_t{1} << 63}) {
      const auto numbers = random_numbers(n, below);
      SourceList::Writer writer;
      for (std::uint64_t x : numbers) writer.add(x);
      const SourceList list = std::move(writer).finish();
      ASSERT_EQ(list.size(), n);
      std::vector<std::uint64_t> read;
      for (SourceList::Cursor c(list); !c.at_end(); c.next()) read.push_back(*c);
      EXPECT_EQ(read, numbers);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(list.find(numbers[i]), i);
        for (std::uint64_t near : {numbers[i] - 1, numbers[i] + 1}) {
          if (std::binary_search(numbers.begin(), numbers.end(), near)) continue;
          EXPECT_EQ(list.find(near), n);
        }
      }
    }
}

/// Lists of every form: bits, buckets with 1, 2, 4 and 8 bytes, clusters, repeats, far from zero.
TEST(SourceList, AgreesWithASortedVector) {
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 600; ++trial) {
    const std::uint64_t below = generator() % (std::uint64_t{1} << (1 + generator() % 62)) + 1;
    const std::uint64_t first = trial % 2 ? generator() % (std::uint64_t{1} << 40) : 0;
    std::vector<std::uint64_t> numbers(generator() % (trial % 20 ? 300 : 20000));
    for (std::uint64_t& x : numbers) x = first + (trial % 7 ? generator() % below : generator() % below / 50 * 50);
    std::sort(numbers.begin(), numbers.end());
    if (trial % 3) numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    SourceList::Writer writer;
    for (const std::uint64_t x : numbers) writer.add(x);
    const SourceList list = std::move(writer).finish();
    for (int k = 0; k < 200; ++k) {
      const std::uint64_t x = k % 3 == 0 || numbers.empty() ? first + generator() % below : numbers[generator() % numbers.size()] + k % 2;
      const auto at = std::lower_bound(numbers.begin(), numbers.end(), x);
      const bool there = at != numbers.end() && *at == x;
      ASSERT_EQ(list.find(x), there ? static_cast<std::size_t>(at - numbers.begin()) : list.size());
      auto next = at;
      list.for_range(x, x + below, [&](std::size_t i, std::uint64_t number) {
        ASSERT_EQ(i, static_cast<std::size_t>(next - numbers.begin()));
        ASSERT_EQ(number, *next++);
      });
      ASSERT_EQ(next, std::lower_bound(numbers.begin(), numbers.end(), x + below));
    }
  }
}

TEST(SourceList, TakesAQuarterOfAByteWhereAllNumbersOccur) {
  SourceList::Writer writer;
  for (std::uint64_t i = 0; i < 100000; ++i) writer.add(i + 7);
  EXPECT_LE(std::move(writer).finish().bytes(), 25100u);
}

TEST(SourceList, BytesAreAsExpected) {
  for (const std::uint64_t gap : {1, 2, 10, 60, 1000, 50000, 100000000}) {
    SourceList::Writer writer;
    for (std::uint64_t i = 0; i < 20000; ++i) writer.add(i * gap);
    const double bytes = static_cast<double>(std::move(writer).finish().bytes());
    EXPECT_NEAR(bytes / SourceList::expected_bytes(20000, 20000.0 * static_cast<double>(gap)), 1.0, 0.01) << gap;
  }
}

TEST(SourceList, Ranges) {
  const auto numbers = random_numbers(1000, 5000);
  SourceList::Writer writer;
  for (std::uint64_t x : numbers) writer.add(x);
  const SourceList list = std::move(writer).finish();
  for (std::uint64_t from : {0u, 1u, 700u, 4990u, 6000u})
    for (std::uint64_t until : {0u, 1u, 701u, 2500u, 9000u}) {
      std::vector<std::uint64_t> found;
      list.for_range(from, until, [&](std::size_t place, std::uint64_t number) {
        EXPECT_EQ(numbers[place], number);
        found.push_back(number);
      });
      const auto begin = std::lower_bound(numbers.begin(), numbers.end(), from),
                 end = std::lower_bound(numbers.begin(), numbers.end(), until);
      EXPECT_EQ(found, std::vector<std::uint64_t>(begin, std::max(begin, end)));
    }
}

TEST(SourceList, TakesLittleMoreThanAByteWhereGapsAreSmall) {
  SourceList::Writer writer;
  for (std::uint64_t i = 0; i < 100000; ++i) writer.add(i * 59);
  EXPECT_LT(std::move(writer).finish().bytes(), 126000u);
}

TEST(SourceOrder, KeysSortByRankThenGidAndComeBack) {
  const SourceOrder order{7, 100};
  std::vector<std::pair<Gid, Gid>> expected;
  std::vector<std::pair<std::uint64_t, Gid>> keys;
  for (Gid gid = 1; gid <= 700; ++gid) {
    EXPECT_EQ(order.gid(order.key(gid)), gid);
    EXPECT_TRUE(order.has(gid));
    expected.emplace_back((gid - 1) % 7, gid);
    keys.emplace_back(order.key(gid), gid);
  }
  EXPECT_FALSE(order.has(701));
  EXPECT_FALSE(order.has(0));
  std::sort(expected.begin(), expected.end());
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i].second, expected[i].second);
}

TEST(SourceOrder, GidsOf40BitsOnAMillionRanks) {
  const Gid gids = Gid{1} << 40;
  const SourceOrder order{1000000, gids / 1000000 + 1};
  for (Gid gid : {Gid{1}, Gid{999999}, Gid{1000000}, Gid{1000001}, gids - 1, gids}) EXPECT_EQ(order.gid(order.key(gid)), gid);
}

TEST(SourceIndex, NodesThatCameAfterATableByRankAreNotInIt) {
  const SourceOrder order{3, 10};
  SourceList::Writer writer;
  for (Gid gid : {1, 4, 28, 2, 29, 3, 30}) writer.add(order.key(gid));
  SourceIndex index(std::move(writer).finish(), order);
  EXPECT_TRUE(index.by_rank());
  EXPECT_EQ(index.row(4), 1u);
  EXPECT_EQ(index.row(30), 6u);
  for (Gid later = 31; later < 100; ++later) EXPECT_EQ(index.row(later), SourceIndex::none);
  index.keep_only([](Gid gid) { return gid == 29 || gid == 4; });
  EXPECT_EQ(index.row(29), 4u);
  EXPECT_EQ(index.row(4), 1u);
  EXPECT_EQ(index.row(30), SourceIndex::none);
}

TEST(SourceIndex, NumbersFromZero) {
  const SourceIndex index(std::vector<SourceIndex::Pair>{{4, 0}, {9, 1}, {3, 7}});
  EXPECT_EQ(index.row(0), 4u);
  EXPECT_EQ(index.row(1), 9u);
  EXPECT_EQ(index.row(7), 3u);
  EXPECT_EQ(index.row(2), SourceIndex::none);
}

TEST(SourceIndex, KeepsWhatIsOfOneRank) {
  const SourceOrder order{3, 10};
  SourceList::Writer writer;
  for (Gid gid : {1, 4, 28, 2, 29, 3, 30}) writer.add(order.key(gid));
  SourceIndex index(std::move(writer).finish(), order);
  index.keep_rank(1);
  EXPECT_EQ(index.row(2), 3u);
  EXPECT_EQ(index.row(29), 4u);
  for (Gid gid : {1, 4, 28, 3, 30}) EXPECT_EQ(index.row(gid), SourceIndex::none);
}

TEST(SourceIndex, PairsInAnyOrderDenseOrNot) {
  for (Gid far : {Gid{12}, Gid{1} << 40}) {
    const SourceIndex index(std::vector<SourceIndex::Pair>{{7, 10}, {2, far}, {9, 11}});
    EXPECT_EQ(index.row(10), 7u);
    EXPECT_EQ(index.row(11), 9u);
    EXPECT_EQ(index.row(far), 2u);
    for (Gid other : {Gid{9}, far - 1 == 11 ? Gid{13} : far - 1, far + 1}) EXPECT_EQ(index.row(other), SourceIndex::none);
  }
}

TEST(SourceIndex, DenseAndSparseSources) {
  for (const std::vector<Gid>& gids :
       {std::vector<Gid>{}, std::vector<Gid>{7}, std::vector<Gid>{2, 3, 4, 9}, std::vector<Gid>{1, 1000000, 5000000000}}) {
    const SourceIndex index(gids);
    std::vector<Gid> found;
    index.for_each([&](std::uint32_t row, Gid gid) {
      EXPECT_EQ(row, found.size());
      found.push_back(gid);
    });
    EXPECT_EQ(found, gids);
    for (std::size_t i = 0; i < gids.size(); ++i) {
      EXPECT_EQ(index.row(gids[i]), i);
      for (Gid near : {gids[i] - 1, gids[i] + 1})
        if (std::find(gids.begin(), gids.end(), near) == gids.end()) {
          EXPECT_EQ(index.row(near), SourceIndex::none);
        }
    }
  }
}

TEST(SourceIndex, FromNumbersOfSynapses) {
  std::mt19937 random(5);
  for (unsigned every : {1u, 2u, 5u, 40u})
    for (std::size_t slots : {std::size_t{0}, std::size_t{1}, std::size_t{300}}) {
      std::vector<std::uint32_t> synapses(slots);
      std::vector<Gid> gids;
      for (std::size_t i = 0; i < slots; ++i)
        if (random() % every == 0) synapses[i] = 1 + random() % 9, gids.push_back(1000 + static_cast<Gid>(i));
      const SourceIndex index(1000, synapses), expected(gids);
      EXPECT_EQ(index.bytes(), expected.bytes());
      for (Gid gid = 990; gid < 1310; ++gid) EXPECT_EQ(index.row(gid), expected.row(gid)) << gid;
      std::vector<Gid> found;
      index.for_each([&](std::uint32_t, Gid gid) { found.push_back(gid); });
      EXPECT_EQ(found, gids);
    }
}

// Rows of one source are neighbours; the first one is found, and the others from it.
TEST(SourceIndex, SeveralRowsOfASource) {
  std::vector<Gid> many;
  for (Gid gid = 1; gid < 200; ++gid)
    many.insert(many.end(), static_cast<std::size_t>(gid % 70 == 0 ? 100 : 1 + gid % 3), gid * gid * 1000);
  for (const std::vector<Gid>& gids :
       {std::vector<Gid>{4, 4}, std::vector<Gid>{2, 3, 3, 3, 4, 9, 9}, std::vector<Gid>{1, 1, 1000000, 5000000000, 5000000000}, many}) {
    SourceIndex index(gids);
    const auto check = [&] {
      std::vector<Gid> found(gids.size());
      index.for_each([&](std::uint32_t row, Gid gid) { found[row] = gid; });
      EXPECT_EQ(found, gids);
      for (const Gid gid : gids) {
        std::vector<std::uint32_t> rows, expected;
        index.for_rows(gid, [&](std::uint32_t row) { rows.push_back(row); });
        for (std::uint32_t row = 0; row < gids.size(); ++row)
          if (gids[row] == gid) expected.push_back(row);
        EXPECT_EQ(rows, expected);
      }
    };
    check();
    index.keep_only([](Gid) { return true; });
    check();
  }
}

}  // namespace
}  // namespace npl::tables::test_rows
