// SPDX-License-Identifier: Apache-2.0
/// Gaussian current, piecewise constant with a new value every dt, independent for each connection. Drawn by counter: (device, link;
/// target, interval).
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/sine.hpp"
#include "devices/grid.hpp"
#include "rng/distribution.hpp"

namespace npl::devices::noise_generator {
namespace {

enum : std::size_t { p_mean = n_window, p_std, p_dt, p_std_mod, p_frequency, p_phase };

/// One for all parts: to make its tables takes as long as thousands of steps of a small network.
const rng::Sampler& standard_normal() {
  static const rng::Sampler sampler([] {
    rng::ValueSpec s;
    s.kind = rng::Kind::normal;
    s.b = 1.0;
    return s;
  }());
  return sampler;
}

class NoisePart final : public Part {
 public:
  NoisePart(const Device& device, Targets targets)
      : device_(device),
        targets_(std::move(targets)),
        key_(rng::Key::of(targets_.seed, rng::Purpose::noise, (static_cast<std::uint64_t>(device.gid) << 24) ^ targets_.link)),
        words_(targets_.local.size()),
        unit_(targets_.local.size()),
        value_(targets_.local.size()) {}

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay - 1;
    if (sent < targets_.since) return;
    const Setting& setting = device_.at(sent);
    const Window window = Window::of(device_, setting);
    if (!window.current(sent)) return;
    const Step first = std::max(window.start - 1, device_.created);
    const Step interval = (sent - first) / std::max<Step>(1, device_.steps(setting.values[p_dt]));
    if (interval != interval_ || !drawn_) draw(interval, sent, setting);
    for (std::size_t i = 0; i < value_.size(); ++i) in.current[targets_.local[i]] += value_[i];
  }
  std::size_t bytes() const override {
    return targets_.local.size() * (sizeof(Local) + sizeof(Gid)) + targets_.weight.size() * sizeof(double) +
           words_.size() * (sizeof(std::uint32_t) + 2 * sizeof(double));
  }
  /// The values hold until the interval ends, also those of a setting that does not hold any more.
  PartState state() const override {
    PartState s{{drawn_, static_cast<std::uint64_t>(interval_)}, 1, {}};
    for (const double x : value_) s.each.push_back(std::bit_cast<std::uint64_t>(x));
    return s;
  }
  void resume(const PartState& s) override {
    if (s.common.empty()) return;
    drawn_ = s.common[0] != 0, interval_ = static_cast<Step>(s.common[1]);
    for (std::size_t i = 0; i < value_.size(); ++i) value_[i] = std::bit_cast<double>(s.each[i]);
  }
  const Targets& targets() const override { return targets_; }

 private:
  void draw(Step interval, Step sent, const Setting& s) {
    interval_ = interval;
    drawn_ = true;
    for (std::size_t i = 0; i < words_.size(); ++i)
      words_[i] = rng::draw(key_, static_cast<std::uint64_t>(targets_.gid[i]), static_cast<std::uint64_t>(interval))[0];
    standard_normal().draw(words_, unit_.data());
    const double t = static_cast<double>(sent + 1) * device_.resolution * 1e-3;
    const double wave = math::sin(2 * std::numbers::pi * s.values[p_frequency] * t + s.values[p_phase] * std::numbers::pi / 180);
    const double std = std::sqrt(s.values[p_std] * s.values[p_std] + s.values[p_std_mod] * s.values[p_std_mod] * wave);
    const bool one_weight = targets_.weight.size() == 1;
    for (std::size_t i = 0; i < value_.size(); ++i) value_[i] = (s.values[p_mean] + std * unit_[i]) * targets_.weight[one_weight ? 0 : i];
  }

  const Device& device_;
  Targets targets_;
  rng::Key key_;
  Step interval_ = 0;
  bool drawn_ = false;
  std::vector<std::uint32_t> words_;
  std::vector<double> unit_, value_;
};

void check_noise(const Device& d, const Setting& s) {
  const double steps = s.values[p_dt] / d.resolution;
  if (steps < 1 - 1e-9 || std::abs(steps - std::round(steps)) > 1e-6)
    throw BadParameter("dt", s.values[p_dt], multiple_of_resolution(d) + ", at least one step");
  if (s.values[p_std_mod] > s.values[p_std]) throw BadParameter("std_mod", s.values[p_std_mod], "at most std");
}

}  // namespace
}  // namespace npl::devices::noise_generator

NPL_DEVICE(noise_generator,
           {"noise_generator",
            "Gaussian white noise current, piecewise constant.",
            Effect::current,
            {NPL_WINDOW_FIELDS,
             {"mean", "pA", 0.0, "Mean of the current"},
             {"std", "pA", 0.0, "Standard deviation", Bound::non_negative},
             {"dt", "ms", 1.0, "A new value is drawn every dt", Bound::positive},
             {"std_mod", "pA", 0.0, "Modulation of the standard deviation", Bound::non_negative},
             {"frequency", "Hz", 0.0, "Frequency of the modulation", Bound::non_negative},
             {"phase", "deg", 0.0, "Phase of the modulation"}},
            {},
            check_noise,
            [](const Device& d, Targets t) -> std::unique_ptr<Part> { return std::make_unique<NoisePart>(d, std::move(t)); },
            nullptr})
