// SPDX-License-Identifier: Apache-2.0
#include "devices/device.hpp"

#include <algorithm>
#include <cmath>

#include "devices/grid.hpp"

namespace npl::devices {

const Setting& Device::found(Step sent) const {
  auto after = std::upper_bound(history.begin(), history.end(), sent, [](Step s, const Setting& e) { return s < e.from; });
  return after == history.begin() ? history.front() : *(after - 1);
}

Step Device::next_after(Step sent) const {
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

void KnownWindow::learn(const Device& d, const Setting& s) {
  known_ = true, frozen_ = s.frozen;
  std::copy_n(s.values.begin(), n_window, times_.begin());
  window_ = Window::of(d, s);
}

namespace {

/// Times that no run reaches stand for never.
bool on_grid(const Device& d, double ms) {
  const double steps = ms / d.resolution;
  return steps > 1e15 || std::abs(steps - std::round(steps)) <= 1e-6 * std::max(1.0, steps * 1e-6);
}

void check_window(const Device& d, const Setting& s) {
  for (std::size_t k = 0; k < n_window; ++k) {
    const double ms = s.values[k];
    if (ms < 0) throw BadParameter(d.info->parameters[k].name, ms, "a time >= 0 ms");
    if (!on_grid(d, ms)) throw BadParameter(d.info->parameters[k].name, ms, multiple_of_resolution(d));
  }
  if (s.values[1] < s.values[0]) throw BadParameter("stop", s.values[1], "at least start");
}

}  // namespace

void check_setting(const Device& d, const Setting& s) {
  check_window(d, s);
  d.info->check(d, s);
}

}  // namespace npl::devices
