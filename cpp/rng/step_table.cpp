// SPDX-License-Identifier: Apache-2.0
#include "rng/step_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/simd.hpp"
#ifdef NPL_WITH_V4
#define NPL_SEARCH_HALVES
#include <immintrin.h>
#endif
#pragma GCC diagnostic ignored "-Wpsabi"  // about vectors in functions that are only ever inlined

namespace npl::rng {
namespace {

constexpr std::size_t guide_bits = 12;
constexpr std::size_t most_compared = 40;         ///< thresholds; with more of them the guide table is faster (measured, AVX2)
constexpr std::size_t most_halves_compared = 56;  ///< the same for 16-bit halves
constexpr std::size_t few_draws = 4;              ///< words for which a vector loop does not pay
constexpr std::size_t at_once = 4;                ///< thresholds per pass over the words
constexpr std::size_t chunk = 256;                ///< words per pass, with their counts in L1

/// Counts the thresholds below each word, in plain loops that vectorise on every level.
struct Compare {
  NPL_INLINE static void one_chunk(const std::uint32_t* last, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* words,
                                   std::uint16_t* out, std::size_t n) {
    std::int32_t w[chunk], count[chunk];
    for (std::size_t i = 0; i < n; ++i) w[i] = static_cast<std::int32_t>(words[i] ^ 0x80000000u);  // unsigned order by signed comparison
    for (std::size_t i = 0; i < n; ++i) count[i] = static_cast<std::int32_t>(lowest);
    for (std::size_t k = 0; k < thresholds; k += at_once) {
      std::int32_t t[at_once];
      for (std::size_t j = 0; j < at_once; ++j) t[j] = static_cast<std::int32_t>(last[k + j] ^ 0x80000000u);
      for (std::size_t i = 0; i < n; ++i) count[i] += (w[i] > t[0]) + (w[i] > t[1]) + (w[i] > t[2]) + (w[i] > t[3]);
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint16_t>(count[i]);
  }

  NPL_INLINE static void run(const std::uint32_t* last, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* words,
                             std::uint16_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; i += chunk) one_chunk(last, thresholds, lowest, words + i, out + i, std::min(chunk, n - i));
  }
};

template <int Bytes>
struct VectorOf {
  using lanes [[gnu::vector_size(Bytes)]] = std::int16_t;
  using longs [[gnu::vector_size(Bytes)]] = std::uint64_t;
};

/// The same for 16-bit halves: four vectors at a time, which stay in registers while their lanes count. Where a half equals that of a
/// threshold, the lower bits decide; such indices are listed. The vector types have the size of the level's registers: gcc 12 splits larger
/// ones into scalars.
template <int Bytes>
struct CompareHalves {
  static constexpr std::size_t vectors = 4, vector_words = Bytes / sizeof(std::uint32_t), words = vectors * vector_words;
  using Lanes = typename VectorOf<Bytes>::lanes;
  using Longs = typename VectorOf<Bytes>::longs;

  /// Four vectors. equal[v]: all ones in the lanes where a half equals that of a threshold.
  NPL_INLINE static void count(const std::int16_t* upper, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* halves,
                               std::uint32_t* out, Lanes* equal) {
    Lanes half[vectors], below[vectors];
    NPL_UNROLL(4)
    for (std::size_t v = 0; v < vectors; ++v) {
      std::memcpy(&half[v], halves + v * vector_words, sizeof(Lanes));
      half[v] ^= Lanes{} + INT16_MIN;  // unsigned order by signed comparison
      below[v] = equal[v] = Lanes{};
    }
    for (std::size_t k = 0; k < thresholds; ++k) {
      const Lanes t = Lanes{} + upper[k];
      NPL_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v) below[v] += half[v] > t, equal[v] |= half[v] == t;
    }
    NPL_UNROLL(4)
    for (std::size_t v = 0; v < vectors; ++v) {
      const Lanes number = Lanes{} + static_cast<std::int16_t>(lowest) - below[v];  // true is -1
      std::memcpy(out + v * vector_words, &number, sizeof(Lanes));
    }
  }

  NPL_INLINE static bool any(const Lanes* equal) {
    Longs all{};
    NPL_UNROLL(4)
    for (std::size_t v = 0; v < vectors; ++v) all |= (Longs)equal[v];
    std::uint64_t some = 0;
    NPL_UNROLL(4)
    for (std::size_t k = 0; k < Bytes / sizeof some; ++k) some |= all[k];
    return some != 0;
  }

  /// Lists the undecided halves among the first n words of a block; returns their number.
  static std::size_t note(const Lanes* equal, std::size_t begin, std::size_t n, std::uint16_t* undecided) {
    std::uint32_t flags[words];
    std::memcpy(flags, equal, sizeof flags);
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t half = 0; half < 2; ++half)
        if (flags[i] >> (16 * half) & 1) undecided[found++] = static_cast<std::uint16_t>(2 * (begin + i) + half);
    return found;
  }

  NPL_INLINE static void run(const std::int16_t* upper, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* halves,
                             std::uint32_t* out, std::size_t n, std::uint16_t* undecided, std::size_t* found) {
    Lanes equal[vectors];
    std::size_t i = 0;
    for (; i + words <= n; i += words) {
      count(upper, thresholds, lowest, halves + i, out + i, equal);
      if (any(equal)) *found += note(equal, i, words, undecided + *found);
    }
    if (i == n) return;
    std::uint32_t rest[words] = {}, numbers[words];
    std::memcpy(rest, halves + i, (n - i) * sizeof *rest);
    count(upper, thresholds, lowest, rest, numbers, equal);
    std::memcpy(out + i, numbers, (n - i) * sizeof *out);
    *found += note(equal, i, n - i, undecided + *found);
  }
};

/// Pairs of values below 256 from 16 bits each to bytes.
struct Narrow {
  NPL_INLINE static void run(const std::uint32_t* wide, std::uint16_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint16_t>((wide[i] & 0xffu) | wide[i] >> 8);
  }
};

constexpr std::size_t in_register = 32;  ///< 16-bit lanes of AVX-512

/// Tables for a binary search among fewer than 32 ascending thresholds. Table j says at [k] which threshold is compared when k are known to
/// be below and up to 2^(j + 1) - 1 more may be. Beyond the thresholds stands 2^16 - 1, which no half exceeds.
std::vector<std::uint16_t> search_tables(const std::vector<std::int16_t>& upper) {
  std::vector<std::uint16_t> tables;
  for (std::size_t step = 1; step <= upper.size(); step *= 2)
    for (std::size_t k = 0; k < in_register; ++k) {
      const std::size_t at = k + step - 1;
      tables.push_back(at < upper.size() ? static_cast<std::uint16_t>(upper[at] ^ INT16_MIN) : UINT16_MAX);
    }
  return tables;
}

#ifdef NPL_SEARCH_HALVES
/// How many thresholds lie below each of 32 halves. @param equal bits of the halves that equal one: undecided
template <std::size_t levels>
NPL_TARGET_V4 NPL_INLINE __m512i search(const std::uint16_t* tables, __m512i halves, std::uint32_t* equal) {
  __m512i below = _mm512_setzero_si512(), table = below;
  NPL_UNROLL(5)
  for (std::size_t passed = 0; passed < levels; ++passed) {
    const std::size_t j = levels - 1 - passed;
    table = _mm512_loadu_si512(tables + j * in_register);
    const __mmask32 above = _mm512_cmpgt_epu16_mask(halves, _mm512_permutexvar_epi16(below, table));
    below = _mm512_mask_add_epi16(below, above, below, _mm512_set1_epi16(static_cast<std::int16_t>(1 << j)));
  }
  *equal = _mm512_cmpeq_epi16_mask(halves, _mm512_permutexvar_epi16(below, table));
  return below;
}

NPL_TARGET_V4 NPL_INLINE void store(std::uint32_t* out, __mmask16 words, __m512i values) { _mm512_mask_storeu_epi32(out, words, values); }
NPL_TARGET_V4 NPL_INLINE void store(std::uint16_t* out, __mmask16 words, __m512i values) {
  _mm256_mask_storeu_epi16(out, words, _mm512_maskz_cvtepi16_epi8(~__mmask32{0}, values));
}

template <std::size_t levels, class Pair>
NPL_TARGET_V4 std::size_t search_halves(const std::uint16_t* tables, std::uint32_t lowest, const std::uint32_t* halves, Pair* out,
                                        std::size_t n, std::uint16_t* undecided) {
  constexpr std::size_t words = in_register / 2;
  constexpr __mmask16 all = 0xffff;
  const __m512i offset = _mm512_set1_epi16(static_cast<std::int16_t>(lowest));
  std::size_t found = 0, i = 0;
  const auto note = [&](std::size_t begin, std::uint64_t equal) {
    for (; equal; equal &= equal - 1) undecided[found++] = static_cast<std::uint16_t>(2 * begin + std::countr_zero(equal));
  };
  for (; i + 2 * words <= n; i += 2 * words) {
    std::uint32_t equal[2];
    const __m512i first = search<levels>(tables, _mm512_loadu_si512(halves + i), &equal[0]);
    const __m512i second = search<levels>(tables, _mm512_loadu_si512(halves + i + words), &equal[1]);
    store(out + i, all, _mm512_add_epi16(first, offset));
    store(out + i + words, all, _mm512_add_epi16(second, offset));
    note(i, equal[0] | std::uint64_t{equal[1]} << 32);
  }
  for (; i < n; i += words) {
    const std::size_t left = std::min(words, n - i);
    const auto here = static_cast<__mmask16>((1u << left) - 1);
    std::uint32_t equal;
    const __m512i below = search<levels>(tables, _mm512_maskz_loadu_epi32(here, halves + i), &equal);
    store(out + i, here, _mm512_add_epi16(below, offset));
    note(i, equal & ((std::uint64_t{1} << 2 * left) - 1));
  }
  return found;
}

template <class... A>
std::size_t search_halves(const std::vector<std::uint16_t>& tables, A... a) {
  switch (tables.size() / in_register) {
    case 1: return search_halves<1>(tables.data(), a...);
    case 2: return search_halves<2>(tables.data(), a...);
    case 3: return search_halves<3>(tables.data(), a...);
    case 4: return search_halves<4>(tables.data(), a...);
    default: return search_halves<5>(tables.data(), a...);
  }
}
#endif

}  // namespace

StepTable::StepTable(std::uint32_t first, std::span<const double> cdf, bool guided) { assign(first, cdf, guided); }

void StepTable::assign(std::uint32_t first, std::span<const double> cdf, bool guided) {
  lowest_ = first;
  last_.clear(), upper_.clear(), tables_.clear(), guide_.clear();
  for (double p : cdf) {
    const double words = p * 0x1p32 + 0.5;  // how many words stay at or below this value
    if (words < 1.0)
      ++lowest_;
    else if (words < 0x1p32)
      last_.push_back(static_cast<std::uint32_t>(words) - 1);
  }
  last_.push_back(0xffffffffu);
  values_ = static_cast<std::uint32_t>(last_.size());
  for (std::size_t k = 0; guided && k < last_.size(); ++k) {
    upper_.push_back(static_cast<std::int16_t>((last_[k] >> 16) ^ 0x8000u));
    if (upper_.back() == INT16_MAX) break;  // no half lies above
  }
  if (upper_.size() < in_register) tables_ = search_tables(upper_);
  if (values_ <= most_compared) {
    last_.resize((values_ + at_once - 1) / at_once * at_once, 0xffffffffu);  // no word lies above the filling
    return;
  }
  if (guided) add_guide();
}

std::vector<double> StepTable::shares() const {
  std::vector<double> found(values_);
  double below = 0;  // words
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double up_to = last_[k] + 1.0;
    found[k] = (up_to - below) * 0x1p-32;
    below = up_to;
  }
  return found;
}

bool StepTable::wants_guide() const { return guide_.empty() && values_ > most_compared; }

void StepTable::add_guide() {
  guide_.resize(std::size_t{1} << guide_bits);
  std::size_t k = 0;
  for (std::size_t g = 0; g < guide_.size(); ++g) {
    while (last_[k] < g << (32 - guide_bits)) ++k;
    guide_[g] = static_cast<std::uint16_t>(k);
  }
}

void StepTable::draw(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const {
  if (values_ <= most_compared && n >= few_draws) return Dispatch<Compare>::run(last_.data(), last_.size(), lowest_, words, out, n);
  if (guide_.empty()) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<std::uint16_t>(
          lowest_ + static_cast<std::uint32_t>(std::lower_bound(last_.begin(), last_.end(), words[i]) - last_.begin()));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t w = words[i];
    std::uint32_t k = guide_[w >> (32 - guide_bits)];
    k += w > last_[k];  // almost always enough, and no branch to mispredict
    while (w > last_[k]) ++k;
    out[i] = static_cast<std::uint16_t>(lowest_ + k);
  }
}

std::size_t StepTable::draw_halves(const std::uint32_t* halves, std::uint16_t* out, std::size_t n, std::uint16_t* undecided) const {
#ifdef NPL_SEARCH_HALVES
  if (!tables_.empty() && isa() == Isa::v4) return search_halves(tables_, lowest_, halves, out, n, undecided);
#endif
  std::uint32_t wide[chunk];
  std::size_t found = 0;
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t here = std::min(chunk, n - begin), before = found;
    found += draw_halves(halves + begin, wide, here, undecided + before);
    for (std::size_t u = before; u < found; ++u) undecided[u] = static_cast<std::uint16_t>(undecided[u] + 2 * begin);
    Dispatch<Narrow>::run(wide, out + begin, here);
  }
  return found;
}

std::size_t StepTable::draw_halves(const std::uint32_t* halves, std::uint32_t* out, std::size_t n, std::uint16_t* undecided) const {
#ifdef NPL_SEARCH_HALVES
  if (!tables_.empty() && isa() == Isa::v4) return search_halves(tables_, lowest_, halves, out, n, undecided);
#endif
  std::size_t found = 0;
  if (upper_.size() <= most_halves_compared) {
    if (isa() == Isa::baseline)
      CompareHalves<16>::run(upper_.data(), upper_.size(), lowest_, halves, out, n, undecided, &found);
    else
      Dispatch<CompareHalves<32>>::run(upper_.data(), upper_.size(), lowest_, halves, out, n, undecided, &found);
    return found;
  }
  const auto number = [&](std::uint32_t half, std::size_t place) {
    std::uint32_t k = guide_[half >> (16 - guide_bits)];
    k += half > last_[k] >> 16;
    if (half >= last_[k] >> 16) [[unlikely]] {
      while (half > last_[k] >> 16) ++k;
      if (half == last_[k] >> 16) undecided[found++] = static_cast<std::uint16_t>(place);
    }
    return lowest_ + k;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t first = number(halves[i] & 0xffffu, 2 * i), second = number(halves[i] >> 16, 2 * i + 1);
    out[i] = first | second << 16;
  }
  return found;
}

}  // namespace npl::rng
