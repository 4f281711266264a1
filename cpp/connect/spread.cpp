// SPDX-License-Identifier: Apache-2.0
#include "connect/spread.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::connect {
namespace {

/// Log of the probability that m distinct items out of `all` contain none of n marked ones: sum of log(1 - n / (all - i)) for i < m.
double log_apart(double m, double n, double all) {
  constexpr double few = 4096;
  if (m > few) return m * math::log1p(-std::min(n / std::max(all - (m - 1) / 2, n), 1.0));
  double sum = 0;
  for (double i = 0; i < m; ++i) sum += std::min(m - i, 1.0) * math::log1p(-std::min(n / std::max(all - i, n), 1.0));
  return sum;
}

/// n log(1 - p), with p clipped to 1.
double times_log(double n, double p) { return n <= 0 || p <= 0 ? 0.0 : n * math::log1p(-std::min(p, 1.0)); }

}  // namespace

double Spread::log_none_whole(double here, double keep) const {
  if (here <= 0 || sources <= 0 || targets <= 0) return 0.0;
  const double share = here / targets, degree = edges / sources;
  switch (kind) {
    case Kind::repeated: return times_log(edges, keep * share / sources);
    case Kind::repeated_per_target: return times_log(edges * share, keep / sources);
    case Kind::pairs: return times_log(here, keep * degree / targets);
    case Kind::repeated_per_source: return times_log(degree, keep * share);
    case Kind::per_source: return here < degree ? log_apart(here, keep * degree, targets) : log_apart(degree, keep * here, targets);
    case Kind::listed: break;
  }
  double none = 0, all = 0;
  for (const auto& [n, count] : degrees) none += count * math::exp(times_log(static_cast<double>(n), keep * share)), all += count;
  return math::log(std::max(none + sources - all, 0.0) / sources);
}

double Spread::log_none(double here, double keep) const {
  const double whole = std::floor(here), part = here - whole;
  if (part < 1e-9) return log_none_whole(whole, keep);
  return math::log((1 - part) * math::exp(log_none_whole(whole, keep)) + part * math::exp(log_none_whole(whole + 1, keep)));
}

Spread Spread::scaled(double factor) const {
  Spread s = *this;
  s.sources *= factor, s.targets *= factor, s.edges *= factor;
  for (auto& [degree, count] : s.degrees) count *= factor;
  return s;
}

}  // namespace npl::connect
