// SPDX-License-Identifier: Apache-2.0
/// Whole numbers in as many bytes as they need: 7 bits each, the top bit says that more follow (LEB128).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npl {

inline constexpr std::size_t longest_varint = 10;  ///< bytes

constexpr std::size_t varint_bytes(std::uint64_t x) {
  std::size_t n = 1;
  while (x >>= 7) ++n;
  return n;
}

/// Returns the place after the number.
inline std::uint8_t* write_varint(std::uint8_t* at, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) *at++ = static_cast<std::uint8_t>(x | 0x80);
  *at++ = static_cast<std::uint8_t>(x);
  return at;
}

inline void append_varint(std::vector<std::uint8_t>& out, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) out.push_back(static_cast<std::uint8_t>(x | 0x80));
  out.push_back(static_cast<std::uint8_t>(x));
}

/// Moves `at` behind the number.
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
