// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "base/slabs.hpp"
#include "base/varint.hpp"

namespace npl::test_varint {
namespace {

TEST(Varint, BordersOfEveryLengthComeBack) {
  std::vector<std::uint64_t> numbers{0, 1, 127, 128, std::numeric_limits<std::uint64_t>::max()};
  for (unsigned bits = 7; bits < 64; bits += 7)
    for (std::uint64_t near : {-1, 0, 1}) numbers.push_back((std::uint64_t{1} << bits) + near);
  std::vector<std::uint8_t> bytes;
  std::size_t expected = 0;
  for (std::uint64_t x : numbers) {
    append_varint(bytes, x);
    expected += varint_bytes(x);
    EXPECT_LE(varint_bytes(x), longest_varint);
  }
  EXPECT_EQ(bytes.size(), expected);
  std::vector<std::uint8_t> written(bytes.size());
  std::uint8_t* to = written.data();
  for (std::uint64_t x : numbers) to = write_varint(to, x);
  EXPECT_EQ(written, bytes);
  const std::uint8_t* at = bytes.data();
  for (std::uint64_t x : numbers) EXPECT_EQ(read_varint(at), x);
  EXPECT_EQ(at, bytes.data() + bytes.size());
}

TEST(Slabs, PiecesDoNotOverlapAndStay) {
  Slabs slabs;
  std::vector<std::pair<std::byte*, std::size_t>> pieces;
  for (std::size_t k = 0; k < 3000; ++k) {
    const std::size_t bytes = 1 + k * 37 % 5000 + (k == 1234 ? std::size_t{9} << 20 : 0);
    pieces.emplace_back(slabs.take(bytes), bytes);
    std::fill_n(pieces.back().first, bytes, static_cast<std::byte>(k));
  }
  for (std::size_t k = 0; k < pieces.size(); ++k)
    for (std::size_t i = 0; i < pieces[k].second; ++i) ASSERT_EQ(pieces[k].first[i], static_cast<std::byte>(k));
  EXPECT_GE(slabs.bytes(), std::size_t{9} << 20);
}

}  // namespace
}  // namespace npl::test_varint
