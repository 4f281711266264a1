// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "rng/distribution.hpp"
#include "rng/normal.hpp"
#include "rng/saddle_point.hpp"

namespace npl::rng {
namespace {

/// Inversion of a discrete distribution that adds up the probabilities of mode, mode + 1, mode - 1, ... On average about 1.6 standard
/// deviations of values are visited, each for one ratio of probabilities.
/// @param peak probability of the mode;  @param up(k) = p(k + 1) / p(k);  @param down(k) = p(k - 1) / p(k);  both 0 at the ends of the
/// support.
template <class Up, class Down>
double from_mode(double mode, double peak, double uniform, Up up, Down down) {
  double left = uniform - peak;
  if (left < 0) return mode;
  double high = mode, low = mode, p_high = peak, p_low = peak;
  while (p_high + p_low > 1e-20) {
    p_high *= up(high++);
    if ((left -= p_high) < 0) return high;
    p_low *= down(low--);
    if ((left -= p_low) < 0) return low;
  }
  return mode;  // the rounding error of the sum, below 1e-10
}

constexpr double wide = 0x1p28;  // variance from which the normal approximation is used; changing it changes networks

/// Quantile of a wide distribution: the first term of Cornish and Fisher's expansion.
/// @param skew skewness times standard deviation
double from_normal(double mean, double variance, double skew, double uniform) {
  const double z = normal_quantile(uniform, 1 - uniform);
  return std::floor(mean + std::sqrt(variance) * z + skew * (z * z - 1) / 6 + 0.5);
}

/// Binomial counts for p = 1/2 and small n: most splits between halves of a small set of targets. The probabilities that from_mode() visits
/// do not depend on the random number, and what is left of it after some of them were subtracted does not fall when it grows. So there is a
/// smallest number that survives each subtraction, and counting those at or below a number gives exactly what from_mode() finds.
class FairCoins {
 public:
  static constexpr std::size_t most = 64;  ///< n

  FairCoins() {
    for (std::size_t n = 0; n <= most; ++n) add(static_cast<double>(n));
  }

  std::uint64_t draw(std::size_t n, double uniform) const {
    const std::size_t begin = begin_[n];
    const double* at = thresholds_.data() + begin;
    std::size_t passed = 0;
    for (std::size_t block = 0;; block += width) {
      std::size_t here = 0;
      for (std::size_t k = 0; k < width; ++k) here += uniform >= at[block + k];
      passed += here;
      if (here < width) return values_[begin + passed];
    }
  }

 private:
  static constexpr std::size_t width = 8;  ///< thresholds compared at once
  /// What remains of a number after all these probabilities were subtracted one by one.
  static double left_after(double uniform, std::span<const double> terms) {
    for (const double p : terms) uniform -= p;
    return uniform;
  }

  /// The smallest double in (0, 1) of which something remains; 2: there is none.
  static double smallest_left(std::span<const double> terms) {
    std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(1.0);  // doubles > 0 are ordered like their bits
    if (left_after(1.0, terms) < 0) return 2;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      left_after(std::bit_cast<double>(middle), terms) < 0 ? low = middle + 1 : high = middle;
    }
    return std::bit_cast<double>(low);
  }

  void add(double n) {
    const double mode = std::floor((n + 1) * 0.5);
    double high = mode, low = mode, p_high = binomial_pmf(mode, n, 0.5, 0.5), p_low = p_high;
    std::vector<double> terms;
    const std::size_t begin = thresholds_.size();
    const auto visit = [&](double p, double value) {
      terms.push_back(p);
      thresholds_.push_back(smallest_left(terms));
      values_.push_back(static_cast<std::uint8_t>(std::max(value, 0.0)));  // below 0: never drawn
    };
    visit(p_high, mode);
    while (p_high + p_low > 1e-20) {
      p_high *= (n - high) / (high + 1);
      visit(p_high, ++high);
      p_low *= low / (n - low + 1);
      visit(p_low, --low);
    }
    thresholds_.push_back(2), values_.push_back(static_cast<std::uint8_t>(mode));
    while ((thresholds_.size() - begin) % width) thresholds_.push_back(2), values_.push_back(0);
    begin_.push_back(begin);
  }

  std::vector<std::size_t> begin_;  ///< by n
  std::vector<double> thresholds_;
  std::vector<std::uint8_t> values_;
};

double binomial_half(double n, double p, double uniform) {  // p <= 1/2
  const double q = 1 - p, odds = p / q, mode = std::floor((n + 1) * p);
  const auto up = [=](double k) { return odds * (n - k) / (k + 1); };
  const auto down = [=](double k) { return k / (odds * (n - k + 1)); };
  return from_mode(mode, binomial_pmf(mode, n, p, q), uniform, up, down);
}

}  // namespace

std::uint64_t binomial(std::uint64_t n, double p, double uniform) {
  if (n == 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p == 0.5 && n <= FairCoins::most) {
    static const FairCoins coins;
    return coins.draw(static_cast<std::size_t>(n), uniform);
  }
  const auto size = static_cast<double>(n);
  if (size * p * (1 - p) >= wide)
    return static_cast<std::uint64_t>(std::clamp(from_normal(size * p, size * p * (1 - p), 1 - 2 * p, uniform), 0.0, size));
  if (p > 0.5) return n - static_cast<std::uint64_t>(binomial_half(size, 1 - p, uniform));
  return static_cast<std::uint64_t>(binomial_half(size, p, uniform));
}

std::uint64_t hypergeometric(unsigned __int128 total, unsigned __int128 marked, std::uint64_t draws, double uniform) {
  const unsigned __int128 unmarked = total - marked;
  const std::uint64_t least = draws > unmarked ? draws - static_cast<std::uint64_t>(unmarked) : 0,
                      most = draws < marked ? draws : static_cast<std::uint64_t>(marked);
  if (least == most) return least;
  const auto m = static_cast<double>(marked), d = static_cast<double>(draws), rest = static_cast<double>(unmarked);
  const double share = m / (m + rest), taken = d / (m + rest), variance = d * share * (1 - share) * (1 - taken);
  if (variance >= wide) {
    const double x = from_normal(d * share, variance, (1 - 2 * share) * (1 - 2 * taken), uniform);
    return std::clamp(static_cast<std::uint64_t>(x), least, most);
  }
  const double mode = std::clamp(std::floor((d + 1) * (m + 1) / (m + rest + 2)), static_cast<double>(least), static_cast<double>(most));
  const auto up = [=](double k) { return (m - k) * (d - k) / ((k + 1) * (rest - d + k + 1)); };
  const auto down = [=](double k) { return k * (rest - d + k) / ((m - k + 1) * (d - k + 1)); };
  const double x = from_mode(mode, hypergeometric_pmf(mode, m, rest, d), uniform, up, down);
  return std::clamp(static_cast<std::uint64_t>(x), least, most);
}

}  // namespace npl::rng
