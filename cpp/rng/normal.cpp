// SPDX-License-Identifier: Apache-2.0
#include "rng/normal.hpp"

#include <cmath>

#include "base/math.hpp"

namespace npl::rng {
namespace {

constexpr double log_sqrt_2pi = 0.91893853320467274178;

double density(double x) { return math::exp(-0.5 * x * x - log_sqrt_2pi); }

/// P(0 < X <= x) by the series phi(x) (x + x^3/3 + x^5/15 + ...), whose terms are all positive.
double central(double x) {
  double term = x, sum = x;
  for (int k = 3; term > 1e-18 * sum; k += 2) {
    term *= x * x / k;
    sum += term;
  }
  return density(x) * sum;
}

/// P(X > x) by the continued fraction of Laplace, good for x > 2.
double tail(double x) {
  double fraction = x;
  for (int k = 60; k >= 1; --k) fraction = x + k / fraction;
  return density(x) / fraction;
}

template <int N>
double polynomial(const double (&c)[N], double x) {
  double y = c[N - 1];
  for (int i = N - 2; i >= 0; --i) y = y * x + c[i];
  return y;
}

// Coefficients of algorithm AS 241 (PPND16), Wichura 1988, doi:10.2307/2347330.
constexpr double centre_p[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
                               4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double centre_q[] = {1.0,
                               4.2313330701600911252e1,
                               6.8718700749205790830e2,
                               5.3941960214247511077e3,
                               2.1213794301586595867e4,
                               3.9307895800092710610e4,
                               2.8729085735721942674e4,
                               5.2264952788528545610e3};
constexpr double near_p[] = {1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
                             1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_q[] = {1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
constexpr double far_p[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
                            2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_q[] = {1.0,
                            5.99832206555887937690e-1,
                            1.36929880922735805310e-1,
                            1.48753612908506148525e-2,
                            7.86869131145613259100e-4,
                            1.84631831751005468180e-5,
                            1.42151175831644588870e-7,
                            2.04426310338993978564e-15};

}  // namespace

double normal_upper(double x) {
  if (x > 2.5) return tail(x);
  if (x < -2.5) return 1.0 - tail(-x);
  return x >= 0 ? 0.5 - central(x) : 0.5 + central(-x);
}

double normal_quantile(double lower, double upper) {
  const double smaller = lower < upper ? lower : upper;
  const double q = 0.5 - smaller;
  double magnitude;
  if (q <= 0.425) {
    const double r = 0.180625 - q * q;
    magnitude = q * polynomial(centre_p, r) / polynomial(centre_q, r);
  } else {
    const double r = std::sqrt(-math::log(smaller));
    magnitude =
        r <= 5.0 ? polynomial(near_p, r - 1.6) / polynomial(near_q, r - 1.6) : polynomial(far_p, r - 5.0) / polynomial(far_q, r - 5.0);
  }
  return lower < upper ? -magnitude : magnitude;
}

}  // namespace npl::rng
