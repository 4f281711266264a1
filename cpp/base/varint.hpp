// SPDX-License-Identifier: Apache-2.0
/// Unsigned integers in as few bytes as they need (LEB128): 7 bits per byte, the top bit says that more bytes follow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npl {

inline constexpr std::size_t longest_varint = 10;  ///< bytes

/// Encoded length of x [bytes].
constexpr std::size_t varint_bytes(std::uint64_t x) {
  std::size_t n = 1;
  while (x >>= 7) ++n;
  return n;
}

/// Writes x, for which there must be room; returns the address after it.
inline std::uint8_t* write_varint(std::uint8_t* at, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) *at++ = static_cast<std::uint8_t>(x | 0x80);
  *at++ = static_cast<std::uint8_t>(x);
  return at;
}

/// Appends x.
inline void append_varint(std::vector<std::uint8_t>& out, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) out.push_back(static_cast<std::uint8_t>(x | 0x80));
  out.push_back(static_cast<std::uint8_t>(x));
}

/// Reads a number and moves `at` behind it. The caller makes sure that the number is complete.
inline std::uint64_t read_varint(const std::uint8_t*& at) {
  std::uint64_t x = *at++;
  if (x < 0x80) return x;
  x &= 0x7f;
  for (unsigned shift = 7; shift < 64; shift += 7) {
    const std::uint64_t byte = *at++;
    x |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return x;
}

}  // namespace npl
