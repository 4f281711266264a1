// SPDX-License-Identifier: Apache-2.0
/// Parameters of a projection of which some differ from synapse to synapse: of one synapse, and of many in columns, for vector loops.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/simd.hpp"

namespace npl::synapses {

/// @tparam Most parameters of the model
template <std::size_t Most>
class VariedParametersOf {
 public:
  static constexpr std::size_t most = Most;

  /// @param all of the model; @param varied indices of those with a value per synapse, ascending
  VariedParametersOf(const std::vector<double>& all, const std::vector<int>& varied) : varied_(varied.begin(), varied.end()) {
    if (all.size() > most) throw std::logic_error("a rule with more parameters than it says");
    std::copy_n(all.begin(), all.size(), common_.begin());
    for (const std::size_t k : varied_) common_[k] = std::numeric_limits<double>::quiet_NaN();
  }

  /// Their number.
  std::size_t width() const { return varied_.size(); }
  const std::vector<std::size_t>& varied() const { return varied_; }
  bool varies(std::size_t k) const { return std::find(varied_.begin(), varied_.end(), k) != varied_.end(); }
  /// All parameters; those that differ are nan. Then so are the bounds that depend on them, which nothing exceeds.
  const std::array<double, most>& common() const { return common_; }
  /// All parameters of a synapse. @param own those that differ
  std::array<double, most> of(const double* own) const {
    std::array<double, most> all = common_;
    set(own, all);
    return all;
  }
  void set(const double* own, std::array<double, most>& all) const {
    for (std::size_t j = 0; j < varied_.size(); ++j) all[varied_[j]] = own[j];
  }

 private:
  std::vector<std::size_t> varied_;
  std::array<double, most> common_{};
};
using VariedParameters = VariedParametersOf<16>;

/// Writes [n][Width] values to the first columns. The width is a constant so that the loop becomes shuffles of vectors.
template <std::size_t Width, std::size_t N, std::uint32_t Capacity>
NPL_INLINE void split_columns(const double* values, std::uint32_t n, double (&column)[N][Capacity]) {
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < Width; ++j) column[j][k] = values[std::size_t{k} * Width + j];
}
/// The inverse.
template <std::size_t Width, std::size_t N, std::uint32_t Capacity>
NPL_INLINE void join_columns(const double (&column)[N][Capacity], std::uint32_t n, double* values) {
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < Width; ++j) values[std::size_t{k} * Width + j] = column[j][k];
}

/// The N parameters of up to Capacity synapses in columns: first those that differ, then the others.
template <std::size_t N, std::uint32_t Capacity>
class ParameterColumns {
 public:
  /// @param n at most as many synapses will be taken at a time
  NPL_INLINE ParameterColumns(const VariedParameters& given, std::uint32_t n) : width_(given.width()) {
    std::size_t next = width_;
    for (std::size_t j = 0; j < width_; ++j) place_[given.varied()[j]] = j;
    for (std::size_t k = 0, j = 0; k < N; ++k) {
      if (j < width_ && given.varied()[j] == k) {
        ++j;
        continue;
      }
      std::fill_n(column_[next], n, given.common()[k]);
      place_[k] = next++;
    }
  }
  /// Takes the synapses with the parameters own [n][width].
  NPL_INLINE void take(const double* own, std::uint32_t n) {
    switch (width_) {
      case 1: return split_columns<1>(own, n, column_);
      case 2: return split_columns<std::min<std::size_t>(2, N)>(own, n, column_);
      case 3: return split_columns<std::min<std::size_t>(3, N)>(own, n, column_);
      case 4: return split_columns<std::min<std::size_t>(4, N)>(own, n, column_);
      default:
        for (std::uint32_t k = 0; k < n; ++k) put(k, own + k * width_);
    }
  }
  /// Takes one synapse as the k-th.
  NPL_INLINE void put(std::uint32_t k, const double* own) {
    for (std::size_t j = 0; j < width_; ++j) column_[j][k] = own[j];
  }
  NPL_INLINE std::array<double, N> of(std::uint32_t k) const {
    std::array<double, N> all;
    for (std::size_t j = 0; j < N; ++j) all[j] = column_[place_[j]][k];
    return all;
  }
  /// The values of parameter k.
  NPL_INLINE const double* values(std::size_t k) const { return column_[place_[k]]; }

 private:
  alignas(64) double column_[N][Capacity];
  std::array<std::size_t, N> place_{};
  std::size_t width_;
};

}  // namespace npl::synapses
