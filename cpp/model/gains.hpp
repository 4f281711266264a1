// SPDX-License-Identifier: Apache-2.0
/// Gain functions phi(h) of rate neurons; see rate.hpp.
#pragma once
#include <algorithm>

#include "model/rate.hpp"

namespace npl::model {

struct LinearGain {
  struct Params {
    double g, g_ex, g_in, theta_ex, theta_in;
  };
  static constexpr std::array parameters{Field{"g", "", 1.0, "Gain"}, Field{"g_ex", "", 1.0, "Factor of the coupling of positive weights"},
                                         Field{"g_in", "", 1.0, "Factor of the coupling of negative weights"},
                                         Field{"theta_ex", "", 0.0, "Rate at which positive weights have no effect"},
                                         Field{"theta_in", "", 0.0, "Minus the rate at which negative weights have no effect"}};
  NPL_STEP static double phi(double h, const Params& p) { return p.g * h; }
  NPL_STEP static double H_ex(double X, const Params& p) { return p.g_ex * (p.theta_ex - X); }
  NPL_STEP static double H_in(double X, const Params& p) { return p.g_in * (p.theta_in + X); }
};

struct TanhGain : NoCoupling {
  struct Params {
    double g, theta;
  };
  static constexpr std::array parameters{Field{"g", "", 1.0, "Slope of the gain at theta"},
                                         Field{"theta", "", 0.0, "Input of which the gain is 0"}};
  /// tanh x = (e^(2x) - 1) / (e^(2x) + 1).
  NPL_STEP static double phi(double h, const Params& p) {
    const double x = std::clamp(p.g * (h - p.theta), -20.0, 20.0), e = math::expm1(2.0 * x);
    return e / (e + 2.0);
  }
};

struct SigmoidGain : NoCoupling {
  struct Params {
    double g, beta, theta;
  };
  static constexpr std::array parameters{Field{"g", "", 1.0, "Largest gain"}, Field{"beta", "", 1.0, "Slope parameter"},
                                         Field{"theta", "", 0.0, "Input of half the largest gain"}};
  NPL_STEP static double phi(double h, const Params& p) { return p.g / (1.0 + math::exp(-p.beta * (h - p.theta))); }
};

/// Gancarz & Grossberg (1998).
struct SigmoidGg1998Gain : NoCoupling {
  struct Params {
    double g;
  };
  static constexpr std::array parameters{Field{"g", "", 1.0, "Factor of the input"}};
  NPL_STEP static double phi(double h, const Params& p) {
    const double x = (p.g * h) * (p.g * h), fourth = x * x;
    return fourth / (1e-4 + fourth);
  }
};

struct ThresholdLinearGain : NoCoupling {
  struct Params {
    double g, theta, alpha;
  };
  static constexpr std::array parameters{Field{"g", "", 1.0, "Slope above the threshold"}, Field{"theta", "", 0.0, "Threshold"},
                                         Field{"alpha", "", 1e308, "Largest gain"}};
  NPL_STEP static double phi(double h, const Params& p) { return std::min(std::max(p.g * (h - p.theta), 0.0), p.alpha); }
};

struct GaussGain : NoCoupling {
  struct Params {
    double g, gain_mu, gain_sigma;
  };
  static constexpr std::array parameters{
      Field{"g", "", 1.0, "Largest gain"}, Field{"gain_mu", "", 0.0, "Input of the largest gain"}.with(Mark::hidden).known_as("mu"),
      Field{"gain_sigma", "", 1.0, "Width of the gain", Bound::positive}.with(Mark::hidden).known_as("sigma")};
  NPL_STEP static double phi(double h, const Params& p) {
    const double x = (h - p.gain_mu) / p.gain_sigma;
    return p.g * math::exp(-0.5 * (x * x));
  }
};

}  // namespace npl::model
