// SPDX-License-Identifier: Apache-2.0
/// What clopath_synapse reads of its target (Clopath, Buesing, Vasilaki & Gerstner 2010): low-pass filtered potentials, which see the
/// potential as it was some ms ago, give the depression by a presynaptic spike and the potentiation in each step.
#pragma once
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct ClopathHistory {
  struct Params {
    double A_LTD, A_LTP, A_LTD_const, u_ref_squared, theta_plus, theta_minus, delay_u_bars, tau_u_bar_plus, tau_u_bar_minus, tau_u_bar_bar;
  };
  static constexpr auto parameters(double tau_u_bar_plus) {
    return std::array{
        Field{"A_LTD", "1/mV", 1.4e-4, "Depression by a presynaptic spike, per mV of u_bar_minus above theta_minus"},
        Field{"A_LTP", "1/mV^2", 8e-5, "Potentiation per ms, per mV of the potential above theta_plus and of u_bar_plus above theta_minus"},
        Field{"A_LTD_const", "0 or 1", 1.0, "1: A_LTD is constant; 0: it is multiplied with u_bar_bar^2 / u_ref_squared"},
        Field{"u_ref_squared", "mV^2", 60.0, "Reference of u_bar_bar^2", Bound::positive},
        Field{"theta_plus", "mV", -45.3, "Potential above which there is potentiation"},
        Field{"theta_minus", "mV", -70.6, "Filtered potential above which there is plasticity"},
        Field{"delay_u_bars", "ms", 5.0, "Delay with which synapses see u_bar_plus and u_bar_minus", Bound::non_negative},
        Field{"tau_u_bar_plus", "ms", tau_u_bar_plus, "Time constant of u_bar_plus", Bound::positive},
        Field{"tau_u_bar_minus", "ms", 10.0, "Time constant of u_bar_minus", Bound::positive},
        Field{"tau_u_bar_bar", "ms", 500.0, "Time constant of u_bar_bar", Bound::positive},
    };
  }
  static constexpr auto state(double initial) {
    return std::array{
        Field{"u_bar_plus", "mV", initial, "Potential, filtered with tau_u_bar_plus"},
        Field{"u_bar_minus", "mV", initial, "Potential, filtered with tau_u_bar_minus"},
        Field{"u_bar_bar", "mV", initial, "u_bar_minus, filtered with tau_u_bar_bar"},
    };
  }

  struct Derived {
    double A_LTD, A_LTP_step, constant, per_u_ref_squared, theta_plus, theta_minus, delay_steps, rate_plus, rate_minus, rate_bar;
  };
  static Forbidden check(const Params& p) {
    if (p.A_LTD_const != 0.0 && p.A_LTD_const != 1.0) return {"A_LTD_const", p.A_LTD_const, "0 or 1"};
    if (p.delay_u_bars > longest_delay_ms) return {"delay_u_bars", p.delay_u_bars, "at most 1000 ms"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    return {p.A_LTD,
            p.A_LTP * h,
            p.A_LTD_const,
            1.0 / p.u_ref_squared,
            p.theta_plus,
            p.theta_minus,
            whole_steps(p.delay_u_bars, h),
            1.0 / p.tau_u_bar_plus,
            1.0 / p.tau_u_bar_minus,
            1.0 / p.tau_u_bar_bar};
  }
  static constexpr double longest_delay_ms = 1000.0;

  /// @param plus, minus filtered potentials delay_u_bars ago; 0 mV before time 0 (as in NEST)
  NPL_INLINE static Recorded recorded(double V, double plus, double minus, double bar, const Derived& d) {
    const double above = V - d.theta_plus, filtered = plus - d.theta_minus, slow = minus - d.theta_minus;
    const double size = d.constant != 0.0 ? d.A_LTD : d.A_LTD * (bar * bar * d.per_u_ref_squared);
    return {(above > 0.0) & (filtered > 0.0) ? d.A_LTP_step * above * filtered : 0.0, slow > 0.0 ? size * slow : 0.0};
  }
};

}  // namespace npl::model
