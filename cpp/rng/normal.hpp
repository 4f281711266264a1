// SPDX-License-Identifier: Apache-2.0
/// The standard normal distribution, by the arithmetic of base/math.hpp: thresholds and tables have the same bits on all machines.
#pragma once

namespace npl::rng {

/// P(X > x), relative error below 1e-12 for x up to 37; P(X <= x) is normal_upper(-x).
double normal_upper(double x);
/// Quantile: x with P(X <= x) = lower and P(X > x) = upper = 1 - lower. Both are given since only the smaller one is precise; both in (0,
/// 1).
double normal_quantile(double lower, double upper);

}  // namespace npl::rng
