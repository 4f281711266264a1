// SPDX-License-Identifier: Apache-2.0
/// Values at equal distances, all equally likely: shift + factor * k for k = 0, 1, ..., n - 1, within bounds. The one distribution that is
/// not continuous.
#pragma once
#include "base/simd.hpp"
#include "rng/distribution.hpp"

namespace npl::rng {

class UniformInt {
 public:
  /// @param spec of kind uniform_int
  explicit UniformInt(const ValueSpec& spec);
  /// Number of values that redraw leaves, in ascending order; 0: none.
  std::uint32_t count() const { return count_; }
  /// The k-th smallest one; clipped.
  NPL_INLINE double value(std::uint32_t k) const {
    const double v = shift_ + factor_ * (first_ + step_ * static_cast<double>(k));
    const double raised = v < min_ ? min_ : v;
    return raised > max_ ? max_ : raised;
  }
  /// That of a word: which one is the upper half of a product.
  NPL_INLINE double operator()(std::uint32_t word) const { return value(static_cast<std::uint32_t>(std::uint64_t{word} * count_ >> 32)); }
  /// P(value <= x).
  double cdf(double x) const { return static_cast<double>(below(x, true)) / static_cast<double>(count_); }

 private:
  /// How many values are smaller than x; `equal`: or equal.
  std::uint32_t below(double x, bool equal) const;

  double shift_, factor_, first_ = 0.0,
                          step_ = 1.0;  ///< the k-th smallest is made of the number first + step k: of the largest if factor < 0
  double min_ = -std::numeric_limits<double>::infinity(), max_ = std::numeric_limits<double>::infinity();
  std::uint32_t count_;
};

}  // namespace npl::rng
