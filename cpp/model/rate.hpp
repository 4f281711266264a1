// SPDX-License-Identifier: Apache-2.0
/// Rate neurons (Hahne et al. 2017, Front Neuroinform 11:34): a rate X follows
///   tau dX/dt = -lambda X + mu + phi(sum of w X_j) + sqrt(tau) sigma xi(t)            noise on the input (ipn),
///   tau dX/dt = -X + mu + phi(sum of w Y_j), Y = X + sqrt(tau) sigma xi(t) is sent    noise on the output (opn),
/// solved by the exponential Euler method. Without linear_summation each X_j has its gain before it is weighted. With mult_coupling the
/// input of positive weights is multiplied by H_ex(X), that of negative ones by H_in(X). A model is a gain: see lin_rate_ipn.cpp.
#pragma once
#include <array>
#include <cmath>

#include "base/math.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// What all gains without multiplicative coupling share.
struct NoCoupling {
  template <class P>
  NPL_STEP static double H_ex(double, const P&) {
    return 1.0;
  }
  template <class P>
  NPL_STEP static double H_in(double, const P&) {
    return 1.0;
  }
};

namespace rate {

inline constexpr std::array common{
    Field{"tau", "ms", 10.0, "Time constant of the rate", Bound::positive},
    Field{"mu", "", 0.0, "Mean drive"}.known_as("mean"),
    Field{"sigma", "", 1.0, "Strength of the noise", Bound::non_negative}.known_as("std"),
    Field{"linear_summation", "0 or 1", 1.0, "Has the sum of the input the gain, or each input?"},
    Field{"mult_coupling", "0 or 1", 0.0, "Does the input act in proportion to the distance of the rate from bounds?"},
};
inline constexpr std::array input_noise{
    Field{"lambda", "", 1.0, "Passive decay of the rate", Bound::non_negative},
    Field{"rectify_output", "0 or 1", 0.0, "Is there a least rate?"},
    Field{"rectify_rate", "", 0.0, "The least rate", Bound::non_negative},
};

/// What a neuron takes: sums of positive and of negative weights.
struct Drive {
  double ex, in;
};

template <class M>
struct Gain {
  using Derived = typename M::Derived;
  static bool applies(const double* derived) { return reinterpret_cast<const Derived*>(derived)->linear_summation == 0.0; }
  static void apply(const double* derived, const double* values, double* out, std::size_t n) {
    const auto& d = *reinterpret_cast<const Derived*>(derived);
    for (std::size_t k = 0; k < n; ++k) out[k] = M::Own::phi(values[k], d.gain);
  }
  static constexpr TakenGain info{applies, apply};
};

/// Input of a neuron with rate X, as it enters the equation. @param d derived values of the model
template <class M>
NPL_STEP double drive_of(const Drive& in, double X, const typename M::Derived& d) {
  using Own = typename M::Own;
  const bool linear = d.linear_summation != 0.0;
  if (d.mult_coupling != 0.0) {
    const double ex = linear ? Own::phi(in.ex, d.gain) : in.ex, inh = linear ? Own::phi(in.in, d.gain) : in.in;
    return Own::H_ex(X, d.gain) * ex + Own::H_in(X, d.gain) * inh;
  }
  return linear ? Own::phi(in.ex + in.in, d.gain) : in.ex + in.in;
}

/// What both kinds share.
struct Neuron {
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::count;
};

}  // namespace rate

/// Noise on the input. @tparam G the gain: Params, parameters, phi(x, Params), H_ex(X, Params), H_in(X, Params)
template <class G>
struct RateIpn : rate::Neuron {
  using Own = G;
  struct Params {
    double tau, mu, sigma, linear_summation, mult_coupling, lambda, rectify_output, rectify_rate;
    typename G::Params gain;
  };
  static constexpr auto parameters = joined(joined(rate::common, rate::input_noise), G::parameters);

  struct State {
    double rate, noise, sent;
  };
  static constexpr std::array state{Field{"rate", "", 0.0, "Rate"}, Field{"noise", "", 0.0, "Noise of the last step"}.with(Mark::read_only),
                                    Field{"_sent", "", 0.0, "Rate before the last step"}};

  struct Derived {
    double sigma, linear_summation, mult_coupling, decay, drive, noise_factor, mu, rectify_output, rectify_rate;
    typename G::Params gain;
  };
  static Derived derive(const Params& p, double h) {
    const double x = h / p.tau, decays = p.lambda > 0.0;
    return {p.sigma,
            p.linear_summation,
            p.mult_coupling,
            math::exp(-p.lambda * x),
            decays ? -math::expm1(-p.lambda * x) / p.lambda : x,
            std::sqrt(decays ? -0.5 / p.lambda * math::expm1(-2.0 * p.lambda * x) : x),
            p.mu,
            p.rectify_output,
            p.rectify_rate,
            p.gain};
  }
  static ContinuousInfo continuous() { return {{{"rate", 2, 0}}, {{"rate", 1, true, &rate::Gain<RateIpn>::info}}}; }

  NPL_STEP static void step(State& s, const Derived& d, const rate::Drive& in, double xi) {
    const double before = s.rate;
    s.sent = before, s.noise = d.sigma * xi + 0.0;  // never -0: without noise in its group, no number is drawn
    s.rate = d.decay * before + d.drive * d.mu + d.noise_factor * s.noise + d.drive * rate::drive_of<RateIpn>(in, before, d);
    if (d.rectify_output != 0.0 && s.rate < d.rectify_rate) s.rate = d.rectify_rate;
  }
};

/// Noise on the output. @tparam G see RateIpn
template <class G>
struct RateOpn : rate::Neuron {
  using Own = G;
  struct Params {
    double tau, mu, sigma, linear_summation, mult_coupling;
    typename G::Params gain;
  };
  static constexpr auto parameters = joined(rate::common, G::parameters);

  struct State {
    double rate, noise, noisy_rate;
  };
  static constexpr std::array state{
      Field{"rate", "", 0.0, "Rate"}, Field{"noise", "", 0.0, "Noise of the last step"}.with(Mark::read_only),
      Field{"noisy_rate", "", 0.0, "Rate before the last step with noise, which was sent"}.with(Mark::read_only)};

  struct Derived {
    double sigma, linear_summation, mult_coupling, decay, drive, noise_factor, mu;
    typename G::Params gain;
  };
  static Derived derive(const Params& p, double h) {
    const double x = h / p.tau;
    return {p.sigma, p.linear_summation, p.mult_coupling, math::exp(-x), -math::expm1(-x), std::sqrt(p.tau / h), p.mu, p.gain};
  }
  static ContinuousInfo continuous() { return {{{"rate", 2, 2}}, {{"rate", 1, true, &rate::Gain<RateOpn>::info}}}; }

  NPL_STEP static void step(State& s, const Derived& d, const rate::Drive& in, double xi) {
    const double before = s.rate;
    s.noise = d.sigma * xi + 0.0;  // as above
    s.noisy_rate = before + d.noise_factor * s.noise;
    s.rate = d.decay * before + d.drive * d.mu + d.drive * rate::drive_of<RateOpn>(in, s.noisy_rate, d);
  }
};

/// A neuron without dynamics: its rate is the gain of what arrives. @tparam G see RateIpn
template <class G>
struct RateTransformer : rate::Neuron {
  using Own = G;
  struct Params {
    double linear_summation;
    typename G::Params gain;
  };
  static constexpr auto parameters = joined(std::array{rate::common[3]}, G::parameters);

  struct State {
    double rate, sent;
  };
  static constexpr std::array state{Field{"rate", "", 0.0, "Rate"}, Field{"_sent", "", 0.0, "Rate before the last step"}};

  struct Derived {
    double sigma, linear_summation, mult_coupling;
    typename G::Params gain;
  };
  static Derived derive(const Params& p, double) { return {0.0, p.linear_summation, 0.0, p.gain}; }
  static ContinuousInfo continuous() { return {{{"rate", 1, 0}}, {{"rate", 1, true, &rate::Gain<RateTransformer>::info}}}; }

  NPL_STEP static void step(State& s, const Derived& d, const rate::Drive& in, double) {
    s.sent = s.rate;
    s.rate = rate::drive_of<RateTransformer>(in, 0.0, d);
  }
};

}  // namespace npl::model
