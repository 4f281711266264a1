// SPDX-License-Identifier: Apache-2.0
#include "rng/philox_line.hpp"

#include <cstring>

#include "base/simd.hpp"
#if defined(__x86_64__) && !defined(__clang__)
#define NPL_VECTOR_PHILOX  // the products are builtins of gcc
#include <immintrin.h>
#pragma GCC diagnostic ignored "-Wpsabi"  // about vectors in functions that are only ever inlined
#endif

// Written with vector types and not as a loop through Dispatch: in a loop gcc 12 shuffles lanes for every 32 x 32 -> 64 bit product (8 ns
// per block instead of 2). Only integers are used, so all SIMD levels give the same words.
namespace npl::rng {
namespace {

#ifdef NPL_VECTOR_PHILOX
template <int Lanes>
struct Vector {
  using type [[gnu::vector_size(Lanes * 8)]] = std::uint64_t;
  using half [[gnu::vector_size(Lanes * 8)]] = int;
};

/// Product of the low halves of each lane.
template <int Lanes, class V>
NPL_INLINE void low_product(const V& a, std::uint64_t factor, V& product) {
  using H = typename Vector<Lanes>::half;
  const V b = V{} + factor;
  if constexpr (Lanes == 2) product = (V)__builtin_ia32_pmuludq128((H)a, (H)b);
  if constexpr (Lanes == 4) product = (V)__builtin_ia32_pmuludq256((H)a, (H)b);
  if constexpr (Lanes == 8) product = (V)__builtin_ia32_pmuludq512_mask((H)a, (H)b, __v8di{}, 0xff);
}

/// Two vectors of counters at a time: the even and the odd members of the line. A counter word is in the low half of its 64-bit lane; the
/// high half is arbitrary, since products read low halves only.
template <int Lanes>
NPL_INLINE std::size_t draw_vectors(Key key, CounterLine line, std::size_t n, WordColumns out) {
  using V = typename Vector<Lanes>::type;
  constexpr std::uint64_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u, width = 2 * Lanes;
  std::uint32_t* const to[] = {out.w0, out.w1, out.w2, out.w3};
  V index[2] = {};
  for (std::uint64_t j = 0; j < Lanes; ++j) index[0][j] = 2 * j, index[1][j] = 2 * j + 1;
  V a[2] = {index[0] * line.step_a + line.a, index[1] * line.step_a + line.a};
  V b[2] = {index[0] * line.step_b + line.b, index[1] * line.step_b + line.b};
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    V c[2][4];
    for (int h = 0; h < 2; ++h) {
      c[h][0] = a[h], c[h][1] = a[h] >> 32, c[h][2] = b[h], c[h][3] = b[h] >> 32;
      a[h] += width * line.step_a, b[h] += width * line.step_b;
    }
    V k0 = V{} + key.k0, k1 = V{} + key.k1;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      for (auto& s : c) {
        V p0, p1;
        low_product<Lanes>(s[0], m0, p0);
        low_product<Lanes>(s[2], m1, p1);
        s[0] = (p1 >> 32) ^ k0 ^ s[1], s[1] = p1;
        s[2] = (p0 >> 32) ^ k1 ^ s[3], s[3] = p0;
      }
      k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    for (int w = 0; w < 4; ++w) {
      const V words = (c[0][w] & 0xffffffffu) | (c[1][w] << 32);
      std::memcpy(to[w] + i, &words, sizeof words);
    }
  }
  return i;
}

std::size_t sse2(Key key, CounterLine line, std::size_t n, WordColumns out) { return draw_vectors<2>(key, line, n, out); }
NPL_TARGET_V3 std::size_t avx2(Key key, CounterLine line, std::size_t n, WordColumns out) { return draw_vectors<4>(key, line, n, out); }
NPL_TARGET_V4 std::size_t avx512(Key key, CounterLine line, std::size_t n, WordColumns out) { return draw_vectors<8>(key, line, n, out); }

/// Draws as many as fill whole vectors; returns how many.
std::size_t whole_vectors(Key key, CounterLine line, std::size_t n, WordColumns out) {
  switch (isa()) {
    case Isa::v4: return avx512(key, line, n, out);
    case Isa::v3: return avx2(key, line, n, out);
    default: return sse2(key, line, n, out);
  }
}
#else
std::size_t whole_vectors(Key, CounterLine, std::size_t, WordColumns) { return 0; }
#endif

void one_by_one(Key key, CounterLine line, std::size_t n, WordColumns out) {
  for (std::size_t i = 0; i < n; ++i) {
    const Words w = draw(key, line.a + i * line.step_a, line.b + i * line.step_b);
    out.w0[i] = w[0], out.w1[i] = w[1], out.w2[i] = w[2], out.w3[i] = w[3];
  }
}

}  // namespace

void draw_line(Key key, CounterLine line, std::size_t n, WordColumns out) {
  constexpr std::size_t worthwhile = 4;
  const std::size_t done = n < worthwhile ? 0 : whole_vectors(key, line, n, out), rest = n - done;
  const WordColumns end{out.w0 + done, out.w1 + done, out.w2 + done, out.w3 + done};
  line.a += done * line.step_a, line.b += done * line.step_b;
  if (rest < worthwhile) return one_by_one(key, line, rest, end);
  for (const std::size_t width : {8, 16}) {  // the rest as one more whole vector, of which a part is kept
    std::uint32_t w[4][16];
    if (rest > width || whole_vectors(key, line, width, {w[0], w[1], w[2], w[3]}) < width) continue;
    std::uint32_t* const to[] = {end.w0, end.w1, end.w2, end.w3};
    for (int k = 0; k < 4; ++k) std::memcpy(to[k], w[k], rest * sizeof(std::uint32_t));
    return;
  }
  one_by_one(key, line, rest, end);
}

}  // namespace npl::rng
