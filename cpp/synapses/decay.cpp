// SPDX-License-Identifier: Apache-2.0
#include "synapses/decay.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::synapses {

namespace {
// Entries below 2^-500 are 0: then a product of two entries is 0 or a normal number on every machine (subnormal ones are slow on many).
constexpr double smallest_entry = 0x1p-500, smallest_exponent = 347.0;  // exp(-347) < 2^-500
constexpr double largest_coarse = 1 << 20;                              // entries at most: 2^28 steps, beyond which a decay is taken as 0
}  // namespace

DecayTable::DecayTable(double tau_ms, double dt_ms) {
  const double step = dt_ms / tau_ms;
  const auto entry = [](double exponent) {
    const double value = math::exp(-exponent);
    return value < smallest_entry ? 0.0 : value;
  };
  for (int n = 0; n <= mask; ++n) fine_.push_back(entry(step * n));
  const double coarse = step * (mask + 1);
  const auto n_coarse = static_cast<int>(std::min(largest_coarse, std::ceil(smallest_exponent / coarse) + 1));
  for (int n = 0; n < n_coarse; ++n) coarse_.push_back(entry(coarse * n));
  size_ = static_cast<std::int64_t>(coarse_.size());
  coarse_.push_back(0.0);
}

}  // namespace npl::synapses
