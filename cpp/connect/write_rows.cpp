// SPDX-License-Identifier: Apache-2.0
#include "connect/write_rows.hpp"

#include <algorithm>

#include "base/simd.hpp"
#ifdef NPL_WITH_V4
#define NPL_MASKED_ROWS
#include <immintrin.h>
#endif

namespace npl::connect {
namespace {

template <class Key>
struct PackKeys {
  NPL_INLINE static void run(const Gid* source, const Local* target, const Delay* delay, std::size_t n, const BucketFormat* format,
                             Key* key, std::uint32_t* bucket) {
    const unsigned rows_log2 = format->rows_log2, row_shift = format->key.row_shift();
    const std::uint32_t mask = (std::uint32_t{1} << rows_log2) - 1, lowest_delay = format->key.lowest_delay;
    const auto lowest = static_cast<std::uint32_t>(format->lowest);  // differences fit 32 bits
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = static_cast<std::uint32_t>(source[i]) - lowest;
      bucket[i] = slot >> rows_log2;
      key[i] = static_cast<Key>(slot & mask) << row_shift | static_cast<Key>(delay[i] - lowest_delay) << KeyFormat::target_bits | target[i];
    }
  }
};

/// What the loops below need of a format.
template <class Key>
struct Unpack {
  unsigned row_shift;
  Key delay_mask;
  Delay lowest;
  explicit Unpack(const KeyFormat& f)
      : row_shift(f.row_shift()), delay_mask(static_cast<Key>((std::uint64_t{1} << f.delay_bits) - 1)), lowest(f.lowest_delay) {}
  NPL_INLINE std::uint32_t row(Key key) const { return static_cast<std::uint32_t>(key >> row_shift); }
  NPL_INLINE std::uint32_t beyond(Key key) const { return static_cast<std::uint32_t>(key >> KeyFormat::target_bits & delay_mask); }
};

/// Fetches the lines where a row goes on.
template <class W>
NPL_INLINE void fetch(const RowColumns& to, std::uint32_t at) {
  __builtin_prefetch(to.target + at, 1);
  if constexpr (is_keyed<W>)
    __builtin_prefetch(to.weight<decltype(W::weight)>() + at, 1), __builtin_prefetch(to.key + at, 1);
  else if constexpr (!std::is_same_v<W, NoWeight>)
    __builtin_prefetch(to.weight<W>() + at, 1);
  if (to.narrow) __builtin_prefetch(to.narrow + at, 1);
  if (to.wide) __builtin_prefetch(to.wide + at, 1);
}

/// Sorts edges by row; starts[r] becomes the end of row r.
template <class W, class Key>
struct SortByRow {
  using Packed = PackedEdge<W, Key>;

  /// @param starts [rows] zeros
  NPL_INLINE static void run(const Packed* edges, std::size_t n, std::size_t rows, Unpack<Key> unpack, const RowColumns* to,
                             std::uint32_t* starts, Packed* sorted) {
    for (std::size_t i = 0; i < n; ++i) ++starts[unpack.row(edges[i].key)];
    std::uint32_t at = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      fetch<W>(*to, to->next[row]);
      const std::uint32_t begin = at;
      at += starts[row];
      starts[row] = begin;
    }
    for (std::size_t i = 0; i < n; ++i) sorted[starts[unpack.row(edges[i].key)]++] = edges[i];
  }
};

/// Writes n sorted edges of one row from place `at` on.
template <class W, class Key>
struct PlainRow {
  NPL_INLINE static void write(const PackedEdge<W, Key>* e, std::uint32_t n, const Unpack<Key>& unpack, const RowColumns& to,
                               std::uint32_t at) {
    std::uint16_t* __restrict target = to.target + at;
    for (std::uint32_t i = 0; i < n; ++i) target[i] = static_cast<std::uint16_t>(e[i].key);
    if constexpr (is_keyed<W>) {
      for (std::uint32_t i = 0; i < n; ++i) to.put(at + i, e[i].weight);
    } else if constexpr (!std::is_same_v<W, NoWeight>) {
      W* __restrict weight = to.weight<W>() + at;
      for (std::uint32_t i = 0; i < n; ++i) weight[i] = e[i].weight;
    }
    const Unpack<Key> u = unpack;  // what bytes are written to may not change it
    if (std::uint8_t* __restrict narrow = to.narrow; narrow)
      for (std::uint32_t i = 0; i < n; ++i) narrow[at + i] = static_cast<std::uint8_t>(u.beyond(e[i].key));
    if (Delay* __restrict wide = to.wide; wide)
      for (std::uint32_t i = 0; i < n; ++i) wide[at + i] = static_cast<Delay>(u.lowest + u.beyond(e[i].key));
  }
};

/// Appends sorted edges row by row. @param ends [rows]
template <class W, class Key>
struct WriteSorted {
  NPL_INLINE static void run(const PackedEdge<W, Key>* sorted, std::size_t rows, Unpack<Key> unpack, const RowColumns* to,
                             const std::uint32_t* ends) {
    std::uint32_t begin = 0;
    for (std::size_t row = 0; row < rows; begin = ends[row++]) {
      const std::uint32_t n = ends[row] - begin;
      PlainRow<W, Key>::write(sorted + begin, n, unpack, *to, to->next[row]);
      to->next[row] += n;
    }
  }
};

#ifdef NPL_MASKED_ROWS
/// Rows are short: loops over the rest of a vector would take longer than all else. So 16 edges at a time, with masks.
template <class W>
NPL_TARGET_V4 void write_masked(const PackedEdge<W, std::uint32_t>* sorted, std::size_t rows, const Unpack<std::uint32_t>& unpack,
                                const RowColumns& to, const std::uint32_t* ends) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1)), delays = _mm512_set1_epi32(static_cast<int>(unpack.delay_mask));
  std::uint32_t i = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t at = to.next[row];
    for (const std::uint32_t end = ends[row]; i < end;) {
      const std::uint32_t n = std::min(end - i, 16u);
      const auto mask = static_cast<__mmask16>((1u << n) - 1);
      __m512i key = _mm512_loadu_si512(sorted + i);
      if constexpr (!std::is_same_v<W, NoWeight>) {
        const __m512i high = _mm512_loadu_si512(sorted + i + 8), weight = _mm512_permutex2var_epi32(key, odd, high);
        if constexpr (std::is_same_v<W, float>)
          _mm512_mask_storeu_epi32(to.weight32 + at, mask, weight);
        else
          _mm256_mask_storeu_epi16(to.code + at, mask, _mm512_maskz_cvtepi32_epi16(mask, weight));
        key = _mm512_permutex2var_epi32(key, even, high);
      }
      _mm256_mask_storeu_epi16(to.target + at, mask, _mm512_maskz_cvtepi32_epi16(mask, key));
      const __m512i beyond = _mm512_and_si512(_mm512_maskz_srli_epi32(mask, key, KeyFormat::target_bits), delays);
      if (to.narrow) _mm_mask_storeu_epi8(to.narrow + at, mask, _mm512_maskz_cvtepi32_epi8(mask, beyond));
      if (to.wide) {
        const __m512i delay = _mm512_add_epi32(beyond, _mm512_set1_epi32(unpack.lowest));
        _mm256_mask_storeu_epi16(to.wide + at, mask, _mm512_maskz_cvtepi32_epi16(mask, delay));
      }
      i += n, at += n;
    }
    to.next[row] = at;
  }
}
#endif

template <class W, class Key>
void write_sorted(const PackedEdge<W, Key>* sorted, std::size_t rows, const Unpack<Key>& unpack, const RowColumns& to,
                  const std::uint32_t* ends) {
#ifdef NPL_MASKED_ROWS
  if constexpr (sizeof(Key) == 4 && !std::is_same_v<W, double> && !is_keyed<W>)
    if (isa() == Isa::v4) return write_masked(sorted, rows, unpack, to, ends);
#endif
  Dispatch<WriteSorted<W, Key>>::run(sorted, rows, unpack, &to, ends);
}

template <class W, class Key>
void write_one_by_one(std::span<const PackedEdge<W, Key>> edges, const Unpack<Key>& unpack, const RowColumns& to) {
  constexpr std::size_t ahead = 24;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i + ahead < edges.size()) fetch<W>(to, to.next[unpack.row(edges[i + ahead].key)]);
    const Key key = edges[i].key;
    const std::uint32_t at = to.next[unpack.row(key)]++;
    to.target[at] = static_cast<std::uint16_t>(key);
    to.put(at, edges[i].weight);
    if (to.narrow) to.narrow[at] = static_cast<std::uint8_t>(unpack.beyond(key));
    if (to.wide) to.wide[at] = static_cast<Delay>(unpack.lowest + unpack.beyond(key));
  }
}

}  // namespace

template <class W, class Key>
void pack_keys(const EdgeColumns<W>& e, const BucketFormat& format, Key* key, std::uint32_t* bucket) {
  Dispatch<PackKeys<Key>>::run(e.source, e.target, e.delay, e.n, &format, key, bucket);
}

template <class W, class Key>
void RowWriter<W, Key>::write(std::span<const PackedEdge<W, Key>> edges, std::size_t rows, const KeyFormat& format,
                              const RowColumns& columns) {
  const Unpack<Key> unpack(format);
  if (edges.size() < worth_sorting * rows) return write_one_by_one(edges, unpack, columns);
  sorted_.resize(edges.size() + whole_vector);
  starts_.assign(rows, 0);
  Dispatch<SortByRow<W, Key>>::run(edges.data(), edges.size(), rows, unpack, &columns, starts_.data(), sorted_.data());
  write_sorted(sorted_.data(), rows, unpack, columns, starts_.data());
}

#define NPL_WRITE_ROWS(W, Key)                                                                       \
  template void pack_keys<W, Key>(const EdgeColumns<W>&, const BucketFormat&, Key*, std::uint32_t*); \
  template class RowWriter<W, Key>;
NPL_WRITE_ROWS(NoWeight, std::uint32_t)
NPL_WRITE_ROWS(float, std::uint32_t)
NPL_WRITE_ROWS(double, std::uint32_t)
NPL_WRITE_ROWS(std::uint16_t, std::uint32_t)
NPL_WRITE_ROWS(Keyed<float>, std::uint32_t)
NPL_WRITE_ROWS(Keyed<double>, std::uint32_t)
NPL_WRITE_ROWS(NoWeight, std::uint64_t)
NPL_WRITE_ROWS(float, std::uint64_t)
NPL_WRITE_ROWS(double, std::uint64_t)
NPL_WRITE_ROWS(std::uint16_t, std::uint64_t)
NPL_WRITE_ROWS(Keyed<float>, std::uint64_t)
NPL_WRITE_ROWS(Keyed<double>, std::uint64_t)

}  // namespace npl::connect
