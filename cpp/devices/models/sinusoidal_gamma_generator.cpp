// SPDX-License-Identifier: Apache-2.0
/// Gamma process with a sinusoidal rate (Barbieri et al. 2001). In every step of length h a spike occurs with probability hazard * h; the
/// hazard depends on the integral of the rate since the last spike. The process starts as if it had just spiked.
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/log_gamma.hpp"
#include "devices/spike_part.hpp"

namespace npl::devices::sinusoidal_gamma_generator {
namespace {

enum : std::size_t { p_rate = n_window, p_amplitude, p_frequency, p_phase, p_order, p_individual };

/// Hazard of a gamma distribution of order a: x^(a-1) e^-x / Gamma(a, x). By the series of the lower incomplete gamma function or, for
/// large x, by Legendre's continued fraction of the upper one.
double gamma_hazard(double a, double x) {
  if (x <= 0.0) return a < 1.0 ? HUGE_VAL : a > 1.0 ? 0.0 : 1.0;
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (double k = 1.0; k < 500.0 && term > 1e-17 * sum; ++k) sum += term *= x / (a + k);
    return 1.0 / (math::exp(log_gamma(a) + x + (1.0 - a) * math::log(x)) - x * sum);
  }
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, f = d;
  for (double k = 1.0; k < 500.0; ++k) {
    const double n = -k * (k - a);
    b += 2.0;
    d = 1.0 / (n * d + b);
    c = b + n / c;
    f *= c * d;
    if (std::abs(c * d - 1.0) < 1e-16) break;
  }
  return 1.0 / (x * f);
}

class GammaTrains {
 public:
  GammaTrains(const Device& d, const Targets& t)
      : device_(d), gids_(t.gid), random_(d, t), since_(t.gid.size() + 1), spikes_(t.gid.size() + 1) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    const Window window = Window::of(device_, s);
    if (!window.spikes(sent)) return false;
    shared_ = s.values[p_individual] == 0.0;
    // A train shared by all targets must not depend on when this target was connected: the steps before are simulated now.
    if (shared_ && next_ == 0) next_ = std::max(window.start + 1, device_.created);
    for (Step n = shared_ ? next_ : sent; n <= sent; ++n) advance(n);
    next_ = sent + 1;
    return true;
  }
  std::uint32_t count(std::size_t i) const { return spikes_[shared_ ? 0 : i]; }
  std::size_t bytes() const { return since_.size() * (sizeof(double) + 1); }
  PartState state() const {
    PartState s{{static_cast<std::uint64_t>(next_), shared_, std::bit_cast<std::uint64_t>(since_[0])}, 1, {}};
    for (std::size_t i = 0; i < gids_.size(); ++i) s.each.push_back(std::bit_cast<std::uint64_t>(since_[i]));
    return s;
  }
  void resume(const PartState& s) {
    next_ = static_cast<Step>(s.common[0]), shared_ = s.common[1] != 0;
    for (std::size_t i = 0; i < gids_.size(); ++i) since_[i] = std::bit_cast<double>(s.each[i]);
    if (shared_) since_[0] = std::bit_cast<double>(s.common[2]);
  }

  /// Rate at the end of step n [spikes/s].
  static double rate_of(const Device& d, Step n) {
    const auto& v = d.at(n).values;
    return v[p_rate] + v[p_amplitude] * wave(v[p_frequency], stamp_time(d, n), v[p_phase]);
  }

 private:
  void advance(Step n) {
    const Setting& s = device_.at(n);
    const auto& v = s.values;
    const double h = device_.resolution, t = stamp_time(device_, n), order = v[p_order];
    const double rate = 1e-3 * rate_of(device_, n);
    const double step = order * (1e-3 * v[p_rate] * h + integral(v, t) - integral(v, t - h));
    const std::size_t trains = shared_ ? 1 : gids_.size();
    for (std::size_t i = 0; i < trains; ++i) {
      since_[i] += step;
      const double p = rate > 0.0 ? order * rate * h * gamma_hazard(order, since_[i]) : 0.0;
      const auto words = shared_ ? random_.own(static_cast<std::uint64_t>(n)) : random_.connection(gids_[i], static_cast<std::uint64_t>(n));
      spikes_[i] = uniform_of(words) < p;
      if (spikes_[i]) since_[i] = 0.0;
    }
  }
  /// Integral over time of the sinusoidal part of the rate, up to a constant.
  static double integral(const std::vector<double>& v, double t) {
    const double omega = 2e-3 * std::numbers::pi * v[p_frequency];
    return omega == 0.0 ? 1e-3 * v[p_amplitude] * t * wave(0.0, 0.0, v[p_phase])
                        : -1e-3 * v[p_amplitude] / omega * wave(v[p_frequency], t, v[p_phase] + 90.0);
  }

  const Device& device_;
  const std::vector<Gid>& gids_;
  Words random_;
  Step next_ = 0;
  bool shared_ = false;
  std::vector<double> since_;  ///< per train: integral of the rate since the last spike, times the order
  std::vector<unsigned char> spikes_;
};

void check_sine_gamma(const Device&, const Setting& s) {
  if (s.values[p_amplitude] > s.values[p_rate]) throw BadParameter("amplitude", s.values[p_amplitude], "at most rate");
  if (s.values[p_order] < 1.0) throw BadParameter("order", s.values[p_order], "at least 1");
  check_flag("individual_spike_trains", s.values[p_individual]);
}

}  // namespace
}  // namespace npl::devices::sinusoidal_gamma_generator

NPL_DEVICE(sinusoidal_gamma_generator,
           {"sinusoidal_gamma_generator",
            "Gamma process with a sinusoidal rate.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS,
             {"rate", "spikes/s", 0.0, "Mean rate of each train", Bound::non_negative},
             {"amplitude", "spikes/s", 0.0, "Amplitude of the rate", Bound::non_negative},
             {"frequency", "Hz", 0.0, "Frequency of the rate"},
             {"phase", "deg", 0.0, "Phase of the rate at time 0"},
             {"order", "", 1.0, "Order of the gamma process, at least 1"},
             {"individual_spike_trains", "0 or 1", 1.0, "An independent train for every target, or one for all"}},
            {},
            check_sine_gamma,
            SpikePart<GammaTrains>::make,
            nullptr,
            GammaTrains::rate_of})
