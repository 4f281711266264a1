// SPDX-License-Identifier: Apache-2.0
/// Probabilities of discrete distributions for any size of their parameters, by the saddle-point expansion of Loader (2000,
/// "Fast and accurate computation of binomial probabilities"): no difference of large logarithms, so no loss of digits.
#pragma once

namespace npl::rng {

/// log(n!) minus Stirling's (n + 1/2) log n - n + log sqrt(2 pi); n >= 1 a whole number.
double stirling_rest(double n);
/// x log(x / mean) + mean - x, precise when x is near the mean; x, mean > 0.
double deviance(double x, double mean);

double poisson_pmf(double x, double mean);                                          ///< mean > 0
double binomial_pmf(double x, double n, double p, double q);                        ///< 0 <= x <= n, q = 1 - p, both > 0
double hypergeometric_pmf(double x, double marked, double unmarked, double draws);  ///< x within its bounds

}  // namespace npl::rng
