// SPDX-License-Identifier: Apache-2.0
#include "rng/poisson.hpp"

#include <cmath>

#include "base/error.hpp"
#include "rng/saddle_point.hpp"

namespace npl::rng {
namespace {

constexpr double largest_mean = 60000;  // the largest count, 6.4 s.d. above, still fits 16 bits
constexpr double negligible = 1e-14;    // far below the 2^-33 that a word can tell apart

StepTable make_table(double mean) {
  const double mode = std::floor(mean), peak = poisson_pmf(mode, mean);
  std::vector<double> pmf{peak};
  double first = mode;
  for (double p = peak; first > 0 && p > negligible; --first) pmf.push_back(p *= first / mean);
  std::vector<double> cdf;
  double sum = 0;
  for (std::size_t i = pmf.size(); i-- > 0;) cdf.push_back(sum += pmf[i]);
  double p = peak;
  for (double k = mode + 1; p > negligible; ++k) cdf.push_back(sum += p *= mean / k);
  return {static_cast<std::uint32_t>(first), cdf};
}

}  // namespace

PoissonTable::PoissonTable(double mean) : mean_(mean) {
  if (!(mean >= 0 && mean <= largest_mean)) throw BadParameter("mean", mean, "between 0 and 60000 (events in one step)");
  if (mean > 0) table_ = make_table(mean);
}

}  // namespace npl::rng
