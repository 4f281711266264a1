// SPDX-License-Identifier: Apache-2.0
/// Probabilities of discrete distributions for parameters of any size, by the saddle-point expansion of Loader (2000, "Fast and accurate
/// computation of binomial probabilities"). No large logarithms are subtracted, so no digits are lost.
#pragma once

namespace npl::rng {

/// log(n!) minus Stirling's approximation (n + 1/2) log n - n + log sqrt(2 pi); n >= 1, a whole number.
double stirling_rest(double n);
/// x log(x / mean) + mean - x, precise also for x near the mean; x, mean > 0.
double deviance(double x, double mean);

/// Poisson probability of x >= 0; mean > 0.
double poisson_pmf(double x, double mean);
/// Binomial probability of x successes in n trials, 0 <= x <= n; p > 0, q = 1 - p > 0.
double binomial_pmf(double x, double n, double p, double q);
/// Probability of x marked items among `draws` items drawn without replacement; x within its support.
double hypergeometric_pmf(double x, double marked, double unmarked, double draws);

}  // namespace npl::rng
