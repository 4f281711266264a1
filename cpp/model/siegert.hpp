// SPDX-License-Identifier: Apache-2.0
/// Rate of a leaky integrate-and-fire neuron with white or coloured noise (Siegert 1951; Fourcaud & Brunel 2002; Hahne et al. 2017).
#pragma once
#include "base/simd.hpp"

namespace npl::model {

struct SiegertParameters {
  double tau_m, tau_syn, t_ref;  ///< [ms]
  double theta, V_reset;         ///< [mV] above rest; V_reset < theta
};

/// Integral of exp(u^2) (1 + erf(u)) from a to b >= a; infinite where it is above 1e300. Relative error below 1e-13 where b - a > 1e-2.
NPL_STEP double siegert_integral(double a, double b);

/// Stationary rate [1/s]. @param mu mean input [mV] @param variance of it [mV^2]; <= 0: without noise
NPL_STEP double siegert_rate(double mu, double variance, const SiegertParameters& p);

}  // namespace npl::model
