// SPDX-License-Identifier: Apache-2.0
/// Cumulative distributions and their inverses. Probabilities below and above a value are carried separately, so that neither tail loses
/// digits. Truncation to the bounds of redraw is exact.
#pragma once
#include "rng/distribution.hpp"

namespace npl::rng {

inline constexpr double uniform_end = 0x1p-33;  ///< uniform(0): smallest probability that a word stands for

/// Probabilities below and above a value. Their sum is 1; each is stored with full precision.
struct Tails {
  double lower, upper;
};

/// Continuous distribution of a ValueSpec with its bounds. Kinds: uniform, normal, lognormal, exponential; with a width > 0.
class Quantile {
 public:
  explicit Quantile(const ValueSpec&);
  /// Value with these probabilities below and above it, both in (0, 1). Lies within the bounds of redraw; not clipped.
  double operator()(Tails) const;
  /// x, moved to the nearer bound if it is outside the bounds.
  double clip(double x) const;
  /// P(value <= x), bounds (redraw or clip) applied.
  double cdf(double x) const;
  /// Probability that the unbounded distribution gives a value between the bounds of redraw.
  double mass() const { return mass_; }

 private:
  Tails unbounded(double x) const;
  Tails drawn_tails(double x) const;  ///< before shift and factor
  double invert(Tails) const;

  ValueSpec spec_;
  Tails at_min_{0.0, 1.0}, at_max_{1.0, 0.0};
  double mass_ = 1.0;
};

/// Whether only one value can be drawn (constant, or distribution without width); writes it to *value.
bool is_single_value(const ValueSpec&, double* value);

}  // namespace npl::rng
