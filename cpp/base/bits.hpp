// SPDX-License-Identifier: Apache-2.0
/// Set bits of a word, without instructions that the baseline CPU lacks.
#pragma once
#include <cstdint>

namespace npl {

/// Number of set bits.
constexpr unsigned ones(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return static_cast<unsigned>(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/// Position of the k-th set bit, 0 <= k < ones(x), by bisection.
constexpr unsigned select(std::uint64_t x, unsigned k) {
  unsigned at = 0;
  for (unsigned half = 32; half; half /= 2) {
    const unsigned low = ones(x & ((std::uint64_t{1} << half) - 1));
    if (k < low) continue;
    k -= low;
    at += half;
    x >>= half;
  }
  return at;
}

}  // namespace npl
