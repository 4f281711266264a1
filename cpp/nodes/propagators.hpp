// SPDX-License-Identifier: Apache-2.0
/// Elements of the matrix exponential of linear integrate-and-fire models (Rotter & Diesmann 1999), safe when time constants meet,
/// and times in steps. With base/math.hpp, not the C library: derived parameters have the same bits on every machine (law 1).
#pragma once
#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::nodes {

/// Effect on V after h [ms] of an exponential current of 1 pA with time constant tau_s [ms] on a membrane (tau_m [ms], C [pF]).
/// Written with expm1 so that tau_s -> tau_m loses no digits.
inline double exp_propagator(double tau_s, double tau_m, double C, double h) {
  const double x = h * (1.0 / tau_m - 1.0 / tau_s);
  const double ratio = x == 0.0 ? 1.0 : math::expm1(x) / x;
  return math::exp(-h / tau_m) * ratio * h / C;
}

/// Effect on V after h [ms] of a current t exp(-t / tau_s), whose derivative at 0 is 1 pA/ms.
inline double alpha_propagator(double tau_s, double tau_m, double C, double h) {
  const double x = h * (1.0 / tau_m - 1.0 / tau_s);
  double integral = 0.0;  // of s exp(x s) over s in 0..1
  if (std::abs(x) < 1.0) {
    double power = 1.0;  // x^k / k!
    for (int k = 0; k < 20; ++k, power *= x / k) integral += power / (k + 2);
  } else {
    integral = (math::exp(x) - math::expm1(x) / x) / x;
  }
  return math::exp(-h / tau_m) * integral * h * h / C;
}

/// Length of a time [ms] in steps of h [ms]: rounded to tics, then up to whole steps, as NEST counts refractory times. A tic is 0.001 ms,
/// or where h is no multiple of it, the whole part of h that is nearest.
inline double whole_steps(double time, double h) {
  const double per_step = std::max(1.0, std::round(h * 1000.0));
  const bool usual = std::abs(per_step / 1000.0 - h) < 1e-9 * h;
  const double steps = usual ? std::round(time * 1000.0) / 1000.0 / h : std::round(time / h * per_step) / per_step;
  const double nearest = std::round(steps);
  return std::abs(steps - nearest) < 1e-6 ? nearest : std::ceil(steps);
}

}  // namespace npl::nodes
