// SPDX-License-Identifier: Apache-2.0
#include "model/propagators.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::model {

NPL_STEP double decay(double h, double tau) { return math::exp(-h / tau); }
NPL_STEP double approach(double h, double tau) { return -math::expm1(-h / tau); }

// Written with expm1 so that tau_s -> tau_m loses no digits.
NPL_STEP double exp_propagator(double tau_s, double tau_m, double C, double h) {
  const double x = h * (1.0 / tau_m - 1.0 / tau_s);
  const double ratio = x == 0.0 ? 1.0 : math::expm1(x) / x;
  return decay(h, tau_m) * ratio * h / C;
}

namespace {

constexpr std::size_t n_terms = 20;

/// Coefficients of the integral of s exp(x s) over s in 0..1: 1 / (k! (k + 2)).
constexpr std::array<double, n_terms> ramp_series() {
  std::array<double, n_terms> of{};
  double factorial = 1.0;
  for (std::size_t k = 0; k < n_terms; ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    of[k] = 1.0 / (factorial * static_cast<double>(k + 2));
  }
  return of;
}

/// That integral for |x| < 1. Even and odd powers apart: two chains of operations instead of one.
NPL_STEP double ramp_integral(double x) {
  static constexpr auto series = ramp_series();
  const double square = x * x;
  double even = 0.0, odd = 0.0;
  for (std::size_t k = n_terms; k > 0; k -= 2) even = even * square + series[k - 2], odd = odd * square + series[k - 1];
  return even + x * odd;
}

}  // namespace

NPL_STEP double alpha_propagator(double tau_s, double tau_m, double C, double h) {
  const double x = h * (1.0 / tau_m - 1.0 / tau_s);
  const double integral = std::abs(x) < 1.0 ? ramp_integral(x) : (math::exp(x) - math::expm1(x) / x) / x;
  return decay(h, tau_m) * integral * h * h / C;
}

NPL_STEP double beta_jump(double tau_rise, double tau_decay) {
  const double x = math::log(tau_decay / tau_rise);
  const double u = x == 0.0 ? 1.0 : x / -math::expm1(-x);
  return math::exp(u) / tau_decay;
}

NPL_STEP double whole_steps(double time, double h) {
  const double per_step = std::max(1.0, std::round(h * 1000.0));
  const bool usual = std::abs(per_step / 1000.0 - h) < 1e-9 * h;
  const double steps = usual ? std::round(time * 1000.0) / 1000.0 / h : std::round(time / h * per_step) / per_step;
  const double nearest = std::round(steps);
  return std::abs(steps - nearest) < 1e-6 ? nearest : std::ceil(steps);
}

NPL_STEP Flow flow_of(double rate, double rise, double h) {
  static constexpr auto times = stage_times;  // of its own: a device cannot read constants of the host
  Flow f{};
  for (std::size_t j = 0; j < n_stages; ++j) {
    const double t = times[j] * h, x = (rate - rise) * t;
    f.a[j] = math::exp(-rate * t);
    f.b[j] = f.a[j] * (x == 0.0 ? 1.0 : math::expm1(x) / x) * t;
  }
  f.c = math::exp(-rise * h);
  return f;
}

}  // namespace npl::model
