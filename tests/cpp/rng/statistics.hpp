// SPDX-License-Identifier: Apache-2.0
/// p values of the usual tests, for tests with fixed seeds. Plain formulas; libm is fine here.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace statistics {

/// Regularised upper incomplete gamma function Q(a, x): series for small x, continued fraction (Lentz) for large.
inline double gamma_upper(double a, double x) {
  if (x <= 0) return 1.0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; term > 1e-17 * sum; ++n) sum += term *= x / (a + n);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < 100000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

/// p value of Pearson's test; neighbouring classes are joined until each expects at least five.
inline double chi_square(std::span<const double> observed, std::span<const double> expected, int fitted = 0) {
  double sum = 0, o = 0, e = 0;
  std::vector<std::pair<double, double>> classes;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    o += observed[i], e += expected[i];
    if (e >= 5) classes.emplace_back(o, e), o = e = 0;
  }
  if (!classes.empty()) classes.back().first += o, classes.back().second += e;
  for (const auto& [obs, exp] : classes) sum += (obs - exp) * (obs - exp) / exp;
  const int freedom = static_cast<int>(classes.size()) - 1 - fitted;
  return freedom < 1 ? 1.0 : gamma_upper(0.5 * freedom, 0.5 * sum);
}

/// The same for counts that should all be equal.
inline double chi_square_uniform(std::span<const double> observed) {
  double total = 0;
  for (double o : observed) total += o;
  return chi_square(observed, std::vector<double>(observed.size(), total / static_cast<double>(observed.size())));
}

/// p value of the Kolmogorov-Smirnov test (asymptotic, with Stephens' correction).
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double d = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]);
    d = std::max({d, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * d;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 ? 2 : -2) * std::exp(-2.0 * k * k * lambda * lambda);
  return lambda < 0.2 ? 1.0 : std::clamp(sum, 0.0, 1.0);
}

/// Two-sided p value of a standard normal deviate.
inline double normal_p(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

/// Mean and variance.
struct Moments {
  double mean, variance;
  template <class Range>
  static Moments of(const Range& values) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(std::size(values));
    for (double v : values) sum += v;
    for (double v : values) squares += (v - sum / n) * (v - sum / n);
    return {sum / n, squares / (n - 1)};
  }
};

}  // namespace statistics
