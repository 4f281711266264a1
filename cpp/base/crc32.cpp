// SPDX-License-Identifier: Apache-2.0
#include "base/crc32.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace npl {
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320u;  // of the reversed bits
constexpr std::size_t lanes = 8;

/// [lane][byte] what a byte contributes that is followed by `lane` others.
using Tables = std::array<std::array<std::uint32_t, 256>, lanes>;

constexpr Tables make_tables() {
  Tables t{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t c = byte;
    for (int k = 0; k < 8; ++k) c = (c >> 1) ^ (c & 1 ? polynomial : 0);
    t[0][byte] = c;
  }
  for (std::size_t lane = 1; lane < lanes; ++lane)
    for (std::size_t byte = 0; byte < 256; ++byte) t[lane][byte] = (t[lane - 1][byte] >> 8) ^ t[0][t[lane - 1][byte] & 0xff];
  return t;
}
constexpr Tables tables = make_tables();

/// @param c inverted checksum
std::uint32_t by_tables(const std::byte* data, std::size_t n, std::uint32_t c) {
  for (; n >= lanes; n -= lanes, data += lanes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, lanes);
    word ^= c;
    c = 0;
    for (std::size_t k = 0; k < lanes; ++k) c ^= tables[lanes - 1 - k][(word >> (8 * k)) & 0xff];
  }
  for (; n > 0; --n, ++data) c = (c >> 8) ^ tables[0][(c ^ static_cast<std::uint32_t>(*data)) & 0xff];
  return c;
}

#if defined(__x86_64__)
/// Folds 64 bytes at a time (V. Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ, Intel 2009). The numbers are
/// powers of x modulo the polynomial, with their bits reversed. @param n a multiple of 16, at least 64
__attribute__((target("sse4.1,pclmul"))) std::uint32_t by_folding(const std::byte* data, std::size_t n, std::uint32_t c) {
  const auto* at = reinterpret_cast<const __m128i*>(data);
  const auto load = [&](std::size_t k) { return _mm_loadu_si128(at + k); };
  const auto fold = [](__m128i x, __m128i powers, __m128i next) __attribute__((target("sse4.1,pclmul"))) {
    return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00), _mm_clmulepi64_si128(x, powers, 0x11)), next);
  };
  __m128i x[4];
  for (std::size_t k = 0; k < 4; ++k) x[k] = load(k);
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(static_cast<int>(c)));
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4), by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  for (at += 4, n -= 64; n >= 64; at += 4, n -= 64)
    for (std::size_t k = 0; k < 4; ++k) x[k] = fold(x[k], by_512, load(k));
  __m128i all = fold(fold(fold(x[0], by_128, x[1]), by_128, x[2]), by_128, x[3]);
  for (; n >= 16; ++at, n -= 16) all = fold(all, by_128, load(0));
  // 128 bits to 64, to 32; then Barrett's reduction
  const __m128i low = _mm_setr_epi32(-1, 0, -1, 0);
  all = _mm_xor_si128(_mm_srli_si128(all, 8), _mm_clmulepi64_si128(all, by_128, 0x10));
  all = _mm_xor_si128(_mm_srli_si128(all, 4), _mm_clmulepi64_si128(_mm_and_si128(all, low), _mm_cvtsi64_si128(0x0163cd6124), 0x00));
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(all, low), barrett, 0x10);
  q = _mm_clmulepi64_si128(_mm_and_si128(q, low), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(all, q), 1));
}
bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}
#endif

}  // namespace

std::uint32_t crc32_by_tables(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~by_tables(bytes.data(), bytes.size(), ~before);
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t c = ~before;
  const std::byte* data = bytes.data();
  std::size_t n = bytes.size();
#if defined(__x86_64__)
  if (n >= 64 && can_fold()) {
    const std::size_t folded = n / 16 * 16;
    c = by_folding(data, folded, c);
    data += folded, n -= folded;
  }
#endif
  return ~by_tables(data, n, c);
}

}  // namespace npl
