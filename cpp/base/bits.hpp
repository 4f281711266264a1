// SPDX-License-Identifier: Apache-2.0
/// Set bits of a word, without instructions that the baseline CPU lacks, and without branches: what depends on random bits is mispredicted.
#pragma once
#include <array>
#include <cstdint>

namespace npl {

namespace bits {

constexpr std::uint64_t each_byte = 0x0101010101010101u;

/// Number of set bits in each byte.
constexpr std::uint64_t ones_by_byte(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

/// [k][byte] position of the k-th set bit of a byte.
inline constexpr auto select_in_byte = [] {
  std::array<std::array<std::uint8_t, 256>, 8> at{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, k = 0; bit < 8; ++bit)
      if (byte >> bit & 1) at[k++][byte] = static_cast<std::uint8_t>(bit);
  return at;
}();

}  // namespace bits

/// Number of set bits.
constexpr unsigned ones(std::uint64_t x) { return static_cast<unsigned>(bits::ones_by_byte(x) * bits::each_byte >> 56); }

/// Position of the k-th set bit, 0 <= k < ones(x). Bits are counted byte by byte: the byte in which the count exceeds k has the k-th set
/// bit (Vigna 2008).
constexpr unsigned select(std::uint64_t x, unsigned k) {
  constexpr std::uint64_t tops = 0x80 * bits::each_byte;
  const std::uint64_t up_to = bits::ones_by_byte(x) * bits::each_byte;               // each byte: of it and those below
  const std::uint64_t below = (((k * bits::each_byte | tops) - up_to) & tops) >> 7;  // each byte: 1 if that is at most k
  const auto shift = static_cast<unsigned>(8 * (below * bits::each_byte >> 56));
  const auto left = k - static_cast<unsigned>(up_to << 8 >> shift & 0xff);
  return shift + bits::select_in_byte[left][x >> shift & 0xff];
}

}  // namespace npl
