// SPDX-License-Identifier: Apache-2.0
#include "synapses/decay.hpp"

#include <algorithm>
#include <cmath>

namespace npl::synapses {

namespace {
constexpr double smallest_exponent = 347.0;  // exp(-347) < 2^-500, which Decay::entry takes as 0
}  // namespace

DecayTable::DecayTable(double tau_ms, double dt_ms) {
  const double step = Decay::exponent(dt_ms, tau_ms);
  for (int n = 0; n <= mask; ++n) fine_.push_back(Decay::entry(step * n));
  const double coarse = step * (mask + 1);
  const auto n_coarse = static_cast<int>(std::min(static_cast<double>(Decay::largest_coarse), std::ceil(smallest_exponent / coarse) + 1));
  for (int n = 0; n < n_coarse; ++n) coarse_.push_back(Decay::entry(coarse * n));
  size_ = static_cast<std::int64_t>(coarse_.size());
  coarse_.push_back(0.0);
}

}  // namespace npl::synapses
