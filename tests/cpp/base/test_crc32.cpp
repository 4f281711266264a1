// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "base/crc32.hpp"

namespace npl::test_crc32 {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Bit by bit.
std::uint32_t plain(std::span<const std::byte> bytes) {
  std::uint32_t c = ~0u;
  for (const std::byte b : bytes) {
    c ^= static_cast<std::uint32_t>(b);
    for (int k = 0; k < 8; ++k) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0);
  }
  return ~c;
}

TEST(Crc32, CheckValue) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926u);  // the check value of its definition
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Crc32, IsThatOfEveryBitWhateverTheLengthAndPlace) {
  std::mt19937 random(3);
  std::vector<std::byte> data(700);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  for (std::size_t begin = 0; begin < 17; ++begin)
    for (std::size_t n = 0; n + begin <= data.size(); n += 1 + n / 40) {
      const std::span<const std::byte> some(data.data() + begin, n);
      EXPECT_EQ(crc32(some), plain(some)) << begin << " " << n;
      EXPECT_EQ(crc32_by_tables(some), plain(some)) << begin << " " << n;
    }
}

TEST(Crc32, GoesOn) {
  std::vector<std::byte> data(1000, std::byte{7});
  const std::span<const std::byte> all(data);
  for (std::size_t cut : {0, 1, 63, 64, 65, 500, 999, 1000}) EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), plain(all));
}

}  // namespace
}  // namespace npl::test_crc32
