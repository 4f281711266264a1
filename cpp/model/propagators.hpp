// SPDX-License-Identifier: Apache-2.0
/// What models derive from their parameters: elements of the matrix exponential of linear integrate-and-fire models (Rotter & Diesmann
/// 1999), safe when time constants meet, and times in steps. With base/math.hpp, not the C library: derived parameters have the same bits
/// on every machine (law 1). Not inlined: they are computed once, and models are many.
#pragma once
#include <array>
#include <cstddef>

#include "base/simd.hpp"

namespace npl::model {

/// What is left after h [ms] of what decays with time constant tau [ms], and what is gone: 1 - decay, exactly.
NPL_STEP double decay(double h, double tau);
NPL_STEP double approach(double h, double tau);

/// Effect on V after h [ms] of an exponential current of 1 pA with time constant tau_s [ms] on a membrane (tau_m [ms], C [pF]).
NPL_STEP double exp_propagator(double tau_s, double tau_m, double C, double h);
/// Effect on V after h [ms] of a current t exp(-t / tau_s), whose derivative at 0 is 1 pA/ms.
NPL_STEP double alpha_propagator(double tau_s, double tau_m, double C, double h);
/// Jump of the first derivative [1/ms] that makes the difference of two exponentials (time constants in ms) rise to 1; equal ones: e / tau.
NPL_STEP double beta_jump(double tau_rise, double tau_decay);

/// Length of a time [ms] in steps of h [ms]: rounded to tics, then up to whole steps, as NEST counts refractory times. A tic is 0.001 ms,
/// or where h is no multiple of it, the whole part of h that is nearest.
NPL_STEP double whole_steps(double time, double h);

/// Stages of the Runge-Kutta-Fehlberg method: times after the beginning of a step, in steps.
inline constexpr std::size_t n_stages = 5;
inline constexpr std::array<double, n_stages> stage_times{1.0 / 4, 3.0 / 8, 12.0 / 13, 1.0, 1.0 / 2};
inline constexpr std::size_t at_end = 3;

/// Values of one linear synapse at the stages of a step: g = a g + b dg; dg at the end is c dg.
struct Flow {
  std::array<double, n_stages> a, b;
  double c;
};
/// Of a step h [ms]: g' = dg - rate g, dg' = -rise dg. Rates in 1/ms.
NPL_STEP Flow flow_of(double rate, double rise, double h);
inline constexpr std::size_t n_flow = sizeof(Flow) / sizeof(double);

}  // namespace npl::model
