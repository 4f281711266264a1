// SPDX-License-Identifier: Apache-2.0
// Counts and positions of set bits, compared with a loop over the bits.
#include "base/bits.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace npl::test_bits {
namespace {

std::vector<std::uint64_t> words() {
  std::vector<std::uint64_t> all{0, 1, std::uint64_t{1} << 63, ~std::uint64_t{0}, 0x8000000000000001u, 0xff00ff00ff00ff00u};
  std::mt19937_64 random(7);
  for (int k = 0; k < 2000; ++k) {
    const std::uint64_t a = random(), b = random(), c = random();
    all.insert(all.end(), {a, a & b, a & b & c, a | b, a | b | c, a << (b % 64), a >> (b % 64)});
  }
  return all;
}

TEST(Bits, AreCountedAndFound) {
  for (const std::uint64_t word : words()) {
    unsigned k = 0;
    for (unsigned bit = 0; bit < 64; ++bit)
      if (word >> bit & 1) {
        ASSERT_EQ(select(word, k), bit) << std::hex << word;
        ++k;
      }
    ASSERT_EQ(ones(word), k) << std::hex << word;
  }
}

}  // namespace
}  // namespace npl::test_bits
