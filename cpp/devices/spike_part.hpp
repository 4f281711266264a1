// SPDX-License-Identifier: Apache-2.0
/// Part of a generator that sends each target a number of spikes per step; and helpers of generators: random words, binomial numbers, sine
/// waves.
#pragma once
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/sine.hpp"
#include "devices/device.hpp"
#include "rng/distribution.hpp"
#include "rng/philox.hpp"

namespace npl::devices {

/// @tparam Draw made from (device, targets). `bool begin(Step sent)`, called for ascending steps, tells whether anything is sent in the
/// step; if so, `count(i)` is the number of spikes for target i. `bytes()`: what it has allocated. Where that depends on earlier steps also
/// `state()` and `resume(state)`, as of Part.
template <class Draw>
class SpikePart final : public Part {
 public:
  SpikePart(const Device& device, Targets targets) : targets_(std::move(targets)), draw_(device, targets_) {}

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay;
    if (sent < targets_.since || !draw_.begin(sent)) return;
    const bool one_weight = targets_.weight.size() == 1;
    const Fixed each = targets_.count ? 1 : one_weight ? round_to_fixed(targets_.weight[0] * in.to_fixed) : 0;
    double sent_to_all = 0.0;
    for (std::size_t i = 0; i < targets_.local.size(); ++i) {
      const auto count = static_cast<Fixed>(draw_.count(i));
      if (!count) continue;
      const Fixed value = one_weight || targets_.count ? each : round_to_fixed(targets_.weight[i] * in.to_fixed);
      add_wrapping(in.sums[targets_.local[i]], saturated_product(count, value));
      sent_to_all += static_cast<double>(count);
    }
    if (in.sent) *in.sent += sent_to_all;
  }
  std::size_t bytes() const override {
    return targets_.local.size() * sizeof(Local) + targets_.gid.size() * sizeof(Gid) + targets_.weight.size() * sizeof(double) +
           draw_.bytes();
  }
  PartState state() const override {
    if constexpr (requires { draw_.state(); }) return draw_.state();
    return {};
  }
  void resume(const PartState& state) override {
    if constexpr (requires { draw_.state(); })
      if (!state.common.empty()) draw_.resume(state);
  }
  const Targets& targets() const override { return targets_; }
  static std::unique_ptr<Part> make(const Device& d, Targets t) { return std::make_unique<SpikePart>(d, std::move(t)); }

 private:
  Targets targets_;
  Draw draw_;
};

/// Random words of a generator, drawn by counter: one stream for all targets together (own), one for each connection.
class Words {
 public:
  Words(const Device& d, const Targets& t)
      : own_(rng::Key::of(t.seed, rng::Purpose::poisson, static_cast<std::uint64_t>(d.gid) << 24)),
        connection_(rng::Key::of(t.seed, rng::Purpose::poisson, (static_cast<std::uint64_t>(d.gid) << 24) ^ t.link)) {}
  /// Gids begin at 1: the counters of the two never meet.
  rng::Words own(std::uint64_t count) const { return rng::draw(own_, 0, count); }
  rng::Key connections() const { return connection_; }
  rng::Words connection(Gid target, std::uint64_t count) const { return rng::draw(connection_, static_cast<std::uint64_t>(target), count); }

 private:
  rng::Key own_, connection_;
};

/// Uniform in (0, 1), from the first two words of a block.
inline double uniform_of(const rng::Words& w) { return rng::uniform52(w[0], w[1]); }

/// Binomial numbers of one probability. Small means by summing from 0, ten times faster than what rng has for any.
class Binomial {
 public:
  /// 0 <= p; from 1 on, every one of n.
  explicit Binomial(double p) : p_(p), odds_(p / (1.0 - p)), log_q_(p < 1.0 ? math::log(1.0 - p) : 0.0) {}
  std::uint64_t operator()(std::uint64_t n, double uniform) const {
    if (n == 0 || p_ <= 0.0) return 0;
    if (p_ >= 1.0) return n;
    const double left = static_cast<double>(n), log_none = left * log_q_;
    if (log_none < -30.0) return rng::binomial(n, p_, uniform);
    double term = math::exp(log_none), sum = term, k = 0.0;
    while (uniform >= sum && k < left) {
      k += 1.0;
      term *= odds_ * (left - k + 1.0) / k;
      sum += term;
    }
    return static_cast<std::uint64_t>(k);
  }

 private:
  double p_, odds_, log_q_;
};

/// sin(2 pi f t + phase): f in Hz, t in ms, phase in degrees.
inline double wave(double frequency, double time, double phase) {
  return math::sin(2e-3 * std::numbers::pi * frequency * time + phase * (std::numbers::pi / 180.0));
}

/// Time at the end of step n [ms]: the stamp of its spikes.
inline double stamp_time(const Device& d, Step n) { return static_cast<double>(n + 1) * d.resolution; }

/// Throws BadParameter unless the value is 0 or 1.
inline void check_flag(const char* name, double value) {
  if (value != 0.0 && value != 1.0) throw BadParameter(name, value, "0 or 1");
}
/// Throws BadParameter unless the value is a whole number from `least` to `most`.
inline void check_count(const char* name, double value, double least, double most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    throw BadParameter(
        name, value, "a whole number from " + std::to_string(static_cast<long>(least)) + " to " + std::to_string(static_cast<long>(most)));
}

}  // namespace npl::devices
