// SPDX-License-Identifier: Apache-2.0
#include "synapses/decay.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::synapses {

namespace {
constexpr double smallest_exponent = 690.0;        // exp(-690) is about 1e-300
constexpr double largest_coarse = 1 << 20;         // 2^28 steps: longer than a time constant ever matters
}  // namespace

DecayTable::DecayTable(double tau_ms, double dt_ms) {
  const double step = dt_ms / tau_ms;
  for (int n = 0; n <= mask; ++n) fine_.push_back(math::exp(-step * n));
  const double coarse = step * (mask + 1);
  const auto n_coarse = static_cast<int>(std::min(largest_coarse, std::ceil(smallest_exponent / coarse) + 1));
  for (int n = 0; n < n_coarse; ++n) coarse_.push_back(math::exp(-coarse * n));
  size_ = static_cast<std::int64_t>(coarse_.size());
  coarse_.push_back(0.0);
}

}  // namespace npl::synapses
