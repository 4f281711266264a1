// SPDX-License-Identifier: Apache-2.0
#include "exchange/load.hpp"

#include <algorithm>
#include <cmath>

#include "base/log_gamma.hpp"
#include "base/math.hpp"

namespace npl::exchange {

double largest_of(double mean, double draws) {
  if (mean <= 0) return 0;
  if (mean > 2000) return mean + std::sqrt(2 * mean * math::log(std::max(draws, 2.0)));
  for (double x = std::floor(mean) + 1;; ++x) {
    const double tail = math::exp(x * math::log(mean) - mean - log_gamma(x + 1)) / (1 - mean / (x + 1));
    if (draws * tail < 0.5) return x - 1;
  }
}

double Load::block(double most) const {
  const double first = static_cast<double>(first_buffer_bytes) / record_bytes;
  return block_header_bytes + record_bytes * (most <= first ? first : std::floor(most) + std::floor(most / 4));
}

double Load::most_per_partner() const { return largest_of(records / std::max(partners, 1.0), partners); }

double Load::active() const { return partners * -math::expm1(-records / std::max(partners, 1.0)); }

}  // namespace npl::exchange
