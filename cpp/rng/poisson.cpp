// SPDX-License-Identifier: Apache-2.0
#include "rng/poisson.hpp"

#include <cmath>

#include "base/error.hpp"
#include "rng/saddle_point.hpp"

namespace npl::rng {
namespace {

constexpr double largest_mean = 60000;  // the largest count, 6.4 s.d. above, still fits 16 bits
constexpr double negligible = 1e-14;    // far below the 2^-33 that a word can tell apart

constexpr std::size_t worth_a_table_guide = 256;  // words for which a table of 4096 entries is made in a step

/// Fills cdf with the distribution from its smallest value on, which is returned.
std::uint32_t distribution(double mean, std::vector<double>& pmf, std::vector<double>& cdf) {
  const double mode = std::floor(mean), peak = poisson_pmf(mode, mean);
  pmf.assign(1, peak);
  cdf.clear();
  double first = mode;
  for (double p = peak; first > 0 && p > negligible; --first) pmf.push_back(p *= first / mean);
  double sum = 0;
  for (std::size_t i = pmf.size(); i-- > 0;) cdf.push_back(sum += pmf[i]);
  double p = peak;
  for (double k = mode + 1; p > negligible; ++k) cdf.push_back(sum += p *= mean / k);
  return static_cast<std::uint32_t>(first);
}

void check(double mean) {
  if (!(mean >= 0 && mean <= largest_mean)) throw BadParameter("mean", mean, "between 0 and 60000 (events in one step)");
}

}  // namespace

PoissonTable::PoissonTable(double mean) : mean_(mean) {
  check(mean);
  if (!(mean > 0)) return;
  std::vector<double> pmf, cdf;
  const std::uint32_t first = distribution(mean, pmf, cdf);
  table_ = {first, cdf};
}

void PoissonTable::set_mean(double mean, std::size_t n) {
  check(mean);
  mean_ = mean;
  cdf_.clear();
  const std::uint32_t first = mean > 0 ? distribution(mean, pmf_, cdf_) : 0;
  table_.assign(first, cdf_, n >= worth_a_table_guide);
}

}  // namespace npl::rng
