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
template <int Lanes, class Counters>
NPL_INLINE std::size_t draw_vectors(Key key, Counters counters, std::size_t n, WordColumns out) {
  using V = typename Vector<Lanes>::type;
  constexpr std::uint64_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u, width = 2 * Lanes;
  std::uint32_t* const to[] = {out.w0, out.w1, out.w2, out.w3};
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    V a[2], b[2], c[2][4];
    counters.next(i, a, b);
    for (int h = 0; h < 2; ++h) c[h][0] = a[h], c[h][1] = a[h] >> 32, c[h][2] = b[h], c[h][3] = b[h] >> 32;
    V k0 = V{} + key.k0, k1 = V{} + key.k1;
    NPL_UNROLL(10)
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

/// Counters on a line, advanced by each call of next().
template <int Lanes>
struct OnLine {
  using V = typename Vector<Lanes>::type;
  V a[2], b[2];
  std::uint64_t step_a, step_b;

  NPL_INLINE explicit OnLine(const CounterLine& line) : step_a(2 * Lanes * line.step_a), step_b(2 * Lanes * line.step_b) {
    V index[2] = {};
    for (std::uint64_t j = 0; j < Lanes; ++j) index[0][j] = 2 * j, index[1][j] = 2 * j + 1;
    for (int h = 0; h < 2; ++h) a[h] = index[h] * line.step_a + line.a, b[h] = index[h] * line.step_b + line.b;
  }
  NPL_INLINE void next(std::size_t, V* to_a, V* to_b) {
    for (int h = 0; h < 2; ++h) to_a[h] = a[h], to_b[h] = b[h], a[h] += step_a, b[h] += step_b;
  }
};

/// Listed counters.
template <int Lanes>
struct Listed {
  using V = typename Vector<Lanes>::type;
  const std::uint64_t *a, *b;

  NPL_INLINE void next(std::size_t i, V* to_a, V* to_b) const { split(a + i, to_a), split(b + i, to_b); }
  /// Even and odd members.
  NPL_INLINE static void split(const std::uint64_t* from, V* to) {
    V low, high;
    std::memcpy(&low, from, sizeof low), std::memcpy(&high, from + Lanes, sizeof high);
    V even{}, odd{};
    for (std::uint64_t j = 0; j < Lanes; ++j) even[j] = 2 * j, odd[j] = 2 * j + 1;
    to[0] = __builtin_shuffle(low, high, even), to[1] = __builtin_shuffle(low, high, odd);
  }
};

std::size_t sse2(Key key, CounterLine line, std::size_t n, WordColumns out) { return draw_vectors<2>(key, OnLine<2>(line), n, out); }
[[maybe_unused]] NPL_TARGET_V3 std::size_t avx2(Key key, CounterLine line, std::size_t n, WordColumns out) {
  return draw_vectors<4>(key, OnLine<4>(line), n, out);
}
NPL_TARGET_V4 std::size_t avx512(Key key, CounterLine line, std::size_t n, WordColumns out) {
  return draw_vectors<8>(key, OnLine<8>(line), n, out);
}
std::size_t sse2(Key key, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, WordColumns out) {
  return draw_vectors<2>(key, Listed<2>{a, b}, n, out);
}
[[maybe_unused]] NPL_TARGET_V3 std::size_t avx2(Key key, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, WordColumns out) {
  return draw_vectors<4>(key, Listed<4>{a, b}, n, out);
}
NPL_TARGET_V4 std::size_t avx512(Key key, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, WordColumns out) {
  return draw_vectors<8>(key, Listed<8>{a, b}, n, out);
}

/// Draws as many as fill whole vectors; returns how many. @param counters a CounterLine, or two lists
template <class... Counters>
std::size_t whole_vectors(Key key, std::size_t n, WordColumns out, const Counters&... counters) {
  if constexpr (has_isa(Isa::v4))
    if (isa() == Isa::v4) return avx512(key, counters..., n, out);
  if constexpr (has_isa(Isa::v3))
    if (isa() == Isa::v3) return avx2(key, counters..., n, out);
  return sse2(key, counters..., n, out);
}
#else
template <class... Counters>
std::size_t whole_vectors(Key, std::size_t, WordColumns, const Counters&...) {
  return 0;
}
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
  const std::size_t done = n < worthwhile ? 0 : whole_vectors(key, n, out, line), rest = n - done;
  const WordColumns end{out.w0 + done, out.w1 + done, out.w2 + done, out.w3 + done};
  line.a += done * line.step_a, line.b += done * line.step_b;
  if (rest < worthwhile) return one_by_one(key, line, rest, end);
  for (const std::size_t width : {8, 16}) {  // the rest as one more whole vector, of which a part is kept
    std::uint32_t w[4][16];
    if (rest > width || whole_vectors(key, width, {w[0], w[1], w[2], w[3]}, line) < width) continue;
    std::uint32_t* const to[] = {end.w0, end.w1, end.w2, end.w3};
    for (int k = 0; k < 4; ++k) std::memcpy(to[k], w[k], rest * sizeof(std::uint32_t));
    return;
  }
  one_by_one(key, line, rest, end);
}

void draw_listed(Key key, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, WordColumns out) {
  for (std::size_t i = whole_vectors(key, n, out, a, b); i < n; ++i) {
    const Words w = draw(key, a[i], b[i]);
    out.w0[i] = w[0], out.w1[i] = w[1], out.w2[i] = w[2], out.w3[i] = w[3];
  }
}

}  // namespace npl::rng
