// SPDX-License-Identifier: Apache-2.0
#include "synapses/volume.hpp"

#include <utility>

namespace npl::synapses {

void Volume::hear(std::int32_t stamp) {
  if (stamp_.empty() || stamp_.back() != stamp) {
    const double level = before(stamp_.size(), stamp);
    stamp_.push_back(stamp), level_.push_back(level);
  }
  level_.back() += 1.0 / of_.tau;
}

void Volume::forget(Step oldest) {
  const std::size_t after = first_after(oldest);
  if (after < 2) return;
  const auto n = static_cast<std::ptrdiff_t>(after - 1);
  stamp_.erase(stamp_.begin(), stamp_.begin() + n), level_.erase(level_.begin(), level_.begin() + n);
}

void Volume::restore(std::vector<std::int32_t> stamps, std::vector<double> levels) {
  if (stamps.size() <= stamp_.size()) return;
  stamp_ = std::move(stamps), level_ = std::move(levels);
}

}  // namespace npl::synapses
