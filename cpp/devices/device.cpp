// SPDX-License-Identifier: Apache-2.0
#include "devices/device.hpp"

#include <algorithm>
#include <cmath>

namespace npl::devices {

const Setting& Device::at(Step sent) const {
  auto after = std::upper_bound(history.begin(), history.end(), sent, [](Step s, const Setting& e) { return s < e.from; });
  return after == history.begin() ? history.front() : *(after - 1);
}

Step Device::holds_until(Step sent) const {
  const auto next = std::upper_bound(history.begin() + 1, history.end(), sent, [](Step s, const Setting& e) { return s < e.from; });
  return next == history.end() ? INT64_MAX / 2 : next->from;
}

Step Device::steps(double ms) const {
  constexpr double far = 4e18;
  return static_cast<Step>(std::llrint(std::clamp(ms / resolution, -far, far)));
}

Window Window::of(const Device& d, const Setting& s) {
  if (s.frozen) return {0, 0, 0};
  const double origin = s.values[2];
  return {d.steps(s.values[0] + origin), d.steps(s.values[1] + origin), d.steps(origin)};
}

}  // namespace npl::devices
