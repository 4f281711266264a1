// SPDX-License-Identifier: Apache-2.0
/// The standard normal distribution from own arithmetic (base/math.hpp), so that thresholds and tables agree on all machines.
#pragma once

namespace npl::rng {

/// P(X > x), relative error below 1e-12 for x up to 37; P(X <= x) is normal_upper(-x).
double normal_upper(double x);
/// x with P(X <= x) = lower and P(X > x) = upper; both are given because only the smaller one is precise.
double normal_quantile(double lower, double upper);

}  // namespace npl::rng
