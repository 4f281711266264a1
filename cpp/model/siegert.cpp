// SPDX-License-Identifier: Apache-2.0
#include "model/siegert.hpp"

#include <cmath>

#include "base/math.hpp"

namespace npl::model {
namespace {

constexpr double root_pi = 1.7724538509055160273;
constexpr double largest = 26.2;  // exp(largest^2) is near 1e298

/// Integral of erfcx(u) = exp(u^2) erfc(u) from 0 to x >= 0.
NPL_STEP double erfcx_integral(double x) {
  // Chebyshev coefficients of the integral of erfcx from 0 to x, less log(1 + x) / sqrt(pi), in (x - 2) / (x + 2); computed with 40 digits.
  static constexpr double c[] = {0.315627782874074847,     0.275282686754292908,     -0.0392925993495547522,   0.00178247425241668623,
                                 0.000614069376522811998,  -0.000118691627216928702, -1.63890180737052657e-6,  1.58858834714879393e-6,
                                 3.73765011016145726e-7,   -8.3061144342817916e-8,   -1.26587377423742621e-8,  1.04321088724980471e-9,
                                 8.97679732542630335e-10,  2.56219287825027806e-11,  -3.58800184122345457e-11, -7.8678946458470915e-12,
                                 8.5352813984655588e-13,   5.81792309125950907e-13,  6.43384806942307873e-14,  -2.41170051805230457e-14,
                                 -9.15858617866452827e-15, -4.59670009193805707e-16, 5.24108615773262411e-16,  1.5861095617025748e-16};
  const double t = (x - 2.0) / (x + 2.0);
  double next = 0.0, after = 0.0;
  for (int k = static_cast<int>(std::size(c)) - 1; k > 0; --k) {
    const double now = c[k] + 2.0 * t * next - after;
    after = next, next = now;
  }
  return (c[0] + t * next - after) + math::log1p(x) / root_pi;
}

/// Integral of exp(u^2) from 0 to x >= 0: terms of one sign, or the asymptotic series of Dawson's function.
NPL_STEP double exp_square_integral(double x) {
  const double square = x * x;
  double term = x, sum = x;
  if (x < 6.0) {
    for (int k = 1; term > 1e-17 * sum; ++k) term *= square / k, sum += term / (2 * k + 1);
    return sum;
  }
  term = 0.5 / x, sum = term;
  for (int k = 1; k < 36 && term > 1e-17 * sum; ++k) sum += term *= (2 * k - 1) / (2.0 * square);
  return math::exp(square) * sum;
}

/// Integral of exp(u^2) (1 + erf(u)) = erfcx(-u) from 0 to y.
NPL_STEP double from_zero(double y) { return y < 0.0 ? -erfcx_integral(-y) : 2.0 * exp_square_integral(y) - erfcx_integral(y); }

}  // namespace

NPL_STEP double siegert_integral(double a, double b) { return b > largest ? math::detail::inf : from_zero(b) - from_zero(a); }

NPL_STEP double siegert_rate(double mu, double variance, const SiegertParameters& p) {
  constexpr double half_alpha = 1.0326265761156086;  // |zeta(1/2)| / sqrt(2): the threshold's shift by coloured noise
  double escape;                                     // mean time to the threshold [tau_m]
  if (variance > 0.0) {
    const double sigma = std::sqrt(variance), shift = half_alpha * std::sqrt(p.tau_syn / p.tau_m);
    escape = root_pi * siegert_integral((p.V_reset - mu) / sigma + shift, (p.theta - mu) / sigma + shift);
  } else {
    escape = mu > p.theta ? math::log((mu - p.V_reset) / (mu - p.theta)) : math::detail::inf;
  }
  return 1e3 / (p.t_ref + p.tau_m * escape);
}

}  // namespace npl::model
