// SPDX-License-Identifier: Apache-2.0
/// Cumulative distributions and their inverses, with both tails kept so that neither loses digits; bounds by redrawing are exact.
#pragma once
#include "rng/distribution.hpp"

namespace npl::rng {

inline constexpr double uniform_end = 0x1p-33;  ///< uniform(0): the smallest probability that a word stands for

/// Probability below and above a value; together 1, each precise by itself.
struct Tails {
  double lower, upper;
};

/// The continuous distribution of a ValueSpec with its bounds. Kinds uniform, normal, lognormal, exponential; b > 0 where it is a width.
class Quantile {
 public:
  explicit Quantile(const ValueSpec&);
  /// Value with the probability `lower` below it and `upper` above it, both in (0, 1); within redraw bounds, but not yet clipped.
  double operator()(Tails) const;
  double clip(double x) const;
  /// P(value <= x) after redraw bounds and clipping.
  double cdf(double x) const;
  /// Probability that an unbounded draw falls between the redraw bounds.
  double mass() const { return mass_; }

 private:
  Tails unbounded(double x) const;
  double invert(Tails) const;

  ValueSpec spec_;
  Tails at_min_{0.0, 1.0}, at_max_{1.0, 0.0};
  double mass_ = 1.0;
};

/// The one value that comes out, when there is only one: constants, distributions without width.
bool is_single_value(const ValueSpec&, double* value);

}  // namespace npl::rng
