// SPDX-License-Identifier: Apache-2.0
#include "devices/grid.hpp"
#include <algorithm>

#include <cmath>
#include <cstdio>

namespace npl::devices {

std::string multiple_of_resolution(const Device& d) {
  char text[64];
  std::snprintf(text, sizeof text, "a multiple of the resolution (%.10g ms)", d.resolution);
  return text;
}

void check_times(const Device& d, const std::string& name, const std::vector<double>& times, bool strictly) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string entry = name + "[" + std::to_string(k) + "]";
    const double steps = times[k] / d.resolution;
    if (!std::isfinite(times[k]) || !(times[k] > 0)) throw BadParameter(entry, times[k], "a finite time > 0 ms");
    if (std::abs(steps - std::round(steps)) > 1e-6 * std::max(1.0, std::abs(steps) * 1e-6))
      throw BadParameter(entry, times[k], multiple_of_resolution(d));
    if (k && (strictly ? times[k] <= times[k - 1] : times[k] < times[k - 1]))
      throw BadParameter(entry, times[k], strictly ? "later than the entry before" : "not earlier than the entry before");
  }
}

void check_any_times(const std::string& name, const std::vector<double>& times) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string entry = name + "[" + std::to_string(k) + "]";
    if (!std::isfinite(times[k]) || !(times[k] > 0)) throw BadParameter(entry, times[k], "a finite time > 0 ms");
    if (k && times[k] < times[k - 1]) throw BadParameter(entry, times[k], "not earlier than the entry before");
  }
}

void check_same_length(const std::string& name, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw BadLength(name, length, wanted);
}

double value_at(const Device& d, Step sent) {
  for (std::size_t h = d.history.size(); h-- > 0;) {
    const Setting& s = d.history[h];
    if (s.from > sent) continue;
    const auto& times = s.vectors[0];
    const auto later = std::partition_point(times.begin(), times.end(), [&](double ms) { return d.steps(ms) <= sent + 1; });
    if (later != times.begin() && (h == 0 || d.steps(later[-1]) > s.from))
      return s.vectors[1][static_cast<std::size_t>(later - times.begin()) - 1];
    sent = s.from - 1;
  }
  return 0.0;
}

}  // namespace npl::devices
