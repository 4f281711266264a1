// SPDX-License-Identifier: Apache-2.0
/// Input of a block of neurons: integer sums as doubles. Reading a sum sets it to zero.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/fixed.hpp"
#include "base/simd.hpp"

namespace npl::nodes {

inline constexpr std::size_t chunk = 256;  ///< neurons between two looks for spikes
/// The next number of neurons that are whole vectors of any instruction set.
constexpr std::size_t padded(std::size_t n) { return (n + 7) & ~std::size_t{7}; }
/// Input currents of neurons that have none.
alignas(64) inline constexpr double no_current[8 * chunk] = {};

/// Sets n <= chunk doubles of a block to zero, and up to 7 behind them. Line by line: the instruction that gcc takes for a fill is slow to
/// start, which counts where neurons are few.
NPL_INLINE void clear_row(double* row, std::size_t n) {
  constexpr std::size_t line = 8;
  static_assert(chunk % line == 0);
  for (std::size_t i = 0; i < n; i += line) __builtin_memset(row + i, 0, line * sizeof(double));
}

/// The sums of one block as doubles, in cache. Converted in a separate loop: the constants of the conversion and of the model together do
/// not fit the registers of SSE2 and AVX2.
template <int Receptors>
class InputRows {
 public:
  /// For blocks of at most n neurons: of a small group only so much is cleared.
  NPL_INLINE explicit InputRows(std::size_t n) {
    for (auto& row : rows_) clear_row(row, std::min(n, chunk));
    std::fill_n(clear_, Receptors, true);
  }
  /// Reads n <= chunk sums of receptor r and sets them to zero. When all are zero, nothing is converted or written.
  NPL_INLINE void take(int r, Fixed* sums, double scale, std::size_t n) {
    const bool quiet = all_zero(sums, n);
    if (!quiet) convert(sums, scale, rows_[r], n);
    if (quiet && !clear_[r]) clear_row(rows_[r], n);
    clear_[r] = quiet;
  }
  /// Adds to what was taken.
  NPL_INLINE void add(int r, std::size_t k, double x) { rows_[r][k] += x, clear_[r] = false; }
  /// Input of receptor r to neuron k of the block.
  NPL_INLINE double get(int r, std::size_t k) const { return rows_[r][k]; }
  /// Looks at the first 64 first: in a busy network that is enough.
  NPL_INLINE static bool all_zero(const Fixed* sums, std::size_t n) {
    if (n < 64) return !any_of(sums, n);
    return !any_of(sums, 64) && !any_of(sums + 64, n - 64);
  }

 private:
  NPL_INLINE static Fixed any_of(const Fixed* sums, std::size_t n) {
    Fixed any = 0;
    NPL_UNROLL(8)
    for (std::size_t i = 0; i < n; ++i) any |= sums[i];
    return any;
  }
  NPL_INLINE static void convert(Fixed* sums, double scale, double* out, std::size_t n) {
    NPL_IVDEP
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = fixed_to_double(sums[i]) * scale;
      sums[i] = 0;
    }
  }
  alignas(64) double rows_[Receptors][chunk];
  bool clear_[Receptors];
};

/// The same, converted where they are used: AVX-512 has an instruction for it and registers enough.
template <int Receptors>
class InputInPlace {
 public:
  NPL_INLINE explicit InputInPlace(std::size_t) {}
  NPL_INLINE void take(int r, Fixed* sums, double scale, std::size_t) { sums_[r] = sums, scale_[r] = scale; }
  /// Sets the sum to zero.
  NPL_INLINE double get(int r, std::size_t k) const { return static_cast<double>(std::exchange(sums_[r][k], 0)) * scale_[r]; }

 private:
  Fixed* sums_[Receptors];
  double scale_[Receptors];
};

}  // namespace npl::nodes
