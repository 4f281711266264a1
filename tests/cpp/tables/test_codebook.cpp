// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "made_tables.hpp"

namespace npl::tables::test_codebook {
namespace {

std::vector<float> values_from(float first, std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Codebook, HoldsTheBooksOneAfterTheOther) {
  Codebook book;
  EXPECT_FALSE(book.find(1.0f));
  EXPECT_EQ(book.add(values_from(1, 4)), 0);
  EXPECT_EQ(book.add(values_from(10, 8)), 4);
  EXPECT_EQ(book.add(values_from(1, 4)), 0) << "the same again";
  EXPECT_EQ(book.size(), 12u);
  for (Code c = 0; c < 12; ++c) EXPECT_EQ(book.find(book.values()[c]), c);
  EXPECT_FALSE(book.find(5.0f));
  EXPECT_FALSE(book.find(std::nextafterf(10.0f, 11.0f)));
}

TEST(Codebook, KnowsZeroesApartAndOneOfEqualValues) {
  Codebook book;
  book.add(std::vector<float>{-0.0f, 2.0f, 2.0f});
  EXPECT_EQ(book.find(-0.0f), 0);
  EXPECT_FALSE(book.find(0.0f)) << "reading it back would give another bit";
  EXPECT_EQ(book.values()[book.find(2.0f).value()], 2.0f);
  EXPECT_FALSE(book.find(std::nanf("")));
}

TEST(Codebook, HasRoomForAllCodes) {
  Codebook book;
  book.add(values_from(0, 65000));
  EXPECT_TRUE(book.fits(values_from(-536, 536)));
  EXPECT_FALSE(book.fits(values_from(-537, 537)));
  EXPECT_EQ(book.add(values_from(-536, 536)), 65000);
  EXPECT_FALSE(book.fits(values_from(7, 1)));
  EXPECT_TRUE(book.fits(values_from(0, 65000))) << "is there";
  EXPECT_EQ(book.find(-1.0f), 65535);
}

TEST(Codebook, InFixedPointOnceForEachScale) {
  Codebook book;
  book.add(std::vector<float>{0.1f, -3.75f, 1e-30f});
  const FixedBook small = book.in_fixed(0x1p40), other = book.in_fixed(0x1p41), large = book.in_fixed(0x1p130);
  EXPECT_EQ(book.in_fixed(0x1p40), small);
  EXPECT_NE(other, small);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ((*small)[c], std::llrint(static_cast<double>(book.values()[c]) * 0x1p40));
  EXPECT_EQ((*large)[2], std::llrint(static_cast<double>(1e-30f) * 0x1p130));
  book.add(std::vector<float>{7.0f});
  EXPECT_EQ(book.in_fixed(0x1p40)->size(), 4u);
  EXPECT_EQ(small->size(), 3u);
}

TEST(Codebook, WidenedTablesKeepTheirWeights) {
  for (const Weights weights : {Weights::coded, Weights::uniform}) {
    const TableSpec spec = spec_of(weights), wider = spec.widened();
    EdgeTable t = table_of(spec, {{1, 0, 3, 2.5}, {1, 7, 4, weights == Weights::coded ? 0.25 : 2.5}, {2, 3, 3, 2.5}}, Layout::words);
    EXPECT_TRUE(spec.holds(2.5));
    EXPECT_FALSE(spec.holds(1e6));
    EXPECT_TRUE(wider.holds(1e6));
    const std::vector<double> before{t.weight(0), t.weight(1), t.weight(2)};
    t.widen(wider);
    EXPECT_EQ((std::vector<double>{t.weight(0), t.weight(1), t.weight(2)}), before);
    EXPECT_EQ(t.payload_bytes(), static_cast<std::size_t>(3 * expected_bytes(wider, Layout::words, Per::synapse)));
    t.set_weight(1, 1e6);
    EXPECT_EQ(t.weight(1), 1e6);
  }
}

TEST(Codebook, CodesTakeTwoBytes) {
  const TableSpec spec = spec_of(Weights::coded);  // the table keeps its address
  const EdgeTable t = table_of(spec, {{1, 0, 3, 2.5}, {1, 7, 4, 0.25}}, Layout::runs);
  EXPECT_EQ(t.payload_bytes(), 8u);
  EXPECT_EQ(t.weight(1), 0.25);
}

}  // namespace
}  // namespace npl::tables::test_codebook
