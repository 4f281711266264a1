// SPDX-License-Identifier: Apache-2.0
/// Elements of the matrix exponential of linear integrate-and-fire models (Rotter & Diesmann 1999), safe when time constants meet.
#pragma once
#include <cmath>

namespace npl::nodes {

/// Effect on V after h [ms] of an exponential current of 1 pA with time constant tau_s [ms] on a membrane (tau_m [ms], C [pF]).
/// Written with expm1 so that tau_s -> tau_m loses no digits.
inline double exp_propagator(double tau_s, double tau_m, double C, double h) {
  const double rate = 1.0 / tau_s - 1.0 / tau_m;  // d/dt of the ratio of the two decays
  const double x = -h * rate;
  const double ratio = std::abs(x) < 1e-300 ? h : std::expm1(x) / -rate;
  return std::exp(-h / tau_m) * ratio / C;
}

}  // namespace npl::nodes
