// SPDX-License-Identifier: Apache-2.0
#include "rng/saddle_point.hpp"

#include <array>
#include <cmath>

#include "base/math.hpp"

namespace npl::rng {
namespace {

constexpr double two_pi = 6.283185307179586;
constexpr std::size_t tabulated = 256;  ///< small n are asked for again and again, by the splits of small projections

double stirling_series(double n) {
  double shift = 0;  // small n are shifted to 16, where the series is precise
  for (; n < 16; ++n) shift += (n + 0.5) * math::log1p(1 / n) - 1;
  const double r = 1 / (n * n);
  return shift + (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / n;
}

std::array<double, tabulated> stirling_table() {
  std::array<double, tabulated> rests{};
  for (std::size_t n = 1; n < tabulated; ++n) rests[n] = stirling_series(static_cast<double>(n));
  return rests;
}

}  // namespace

double stirling_rest(double n) {
  static const std::array<double, tabulated> rests = stirling_table();
  return n < tabulated ? rests[static_cast<std::size_t>(n)] : stirling_series(n);
}

double deviance(double x, double mean) {
  const double difference = x - mean;
  if (std::abs(difference) > 0.1 * (x + mean)) return x * math::log(x / mean) - difference;
  // With v = (x - mean) / (x + mean): log(x / mean) = 2 atanh(v).
  const double v = difference / (x + mean), z = v * v;
  double series = 0;
  for (int k = 25; k >= 3; k -= 2) series = series * z + 1.0 / k;
  return difference * v + 2 * x * v * z * series;
}

double poisson_pmf(double x, double mean) {
  if (x == 0) return math::exp(-mean);
  return math::exp(-stirling_rest(x) - deviance(x, mean)) / std::sqrt(two_pi * x);
}

double binomial_pmf(double x, double n, double p, double q) {
  if (x == 0) return math::exp(n * (p < 0.5 ? math::log1p(-p) : math::log(q)));
  if (x == n) return math::exp(n * (q < 0.5 ? math::log1p(-q) : math::log(p)));
  const double y = n - x;
  const double exponent = stirling_rest(n) - stirling_rest(x) - stirling_rest(y) - deviance(x, n * p) - deviance(y, n * q);
  return math::exp(exponent) * std::sqrt(n / (two_pi * x * y));
}

double hypergeometric_pmf(double x, double marked, double unmarked, double draws) {
  const double total = marked + unmarked, p = draws / total, q = (total - draws) / total;
  if (marked == 0 || unmarked == 0 || draws == 0 || draws == total) return 1.0;
  return binomial_pmf(x, marked, p, q) * binomial_pmf(draws - x, unmarked, p, q) / binomial_pmf(draws, total, p, q);
}

}  // namespace npl::rng
