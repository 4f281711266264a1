// SPDX-License-Identifier: Apache-2.0
/// Spike-frequency adaptation (sfa, a threshold) and spike-triggered currents (stc), each a sum of up to four exponential kernels; and
/// stochastic firing with a rate that depends on the distance to the threshold (Mensi et al. 2012, Pozzorini et al. 2015).
#pragma once
#include <array>
#include <cmath>
#include <utility>

#include "base/math.hpp"
#include "model/propagators.hpp"
#include "model/random_step.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

inline constexpr std::size_t kernels = 4;
using PerKernel = std::array<double, kernels>;

constexpr std::array<Field, kernels> per_kernel(const std::array<const char*, kernels>& names, const char* unit, double init,
                                                const char* doc, Bound bound = Bound::any) {
  std::array<Field, kernels> fields{};
  for (std::size_t k = 0; k < kernels; ++k) fields[k] = {names[k], unit, init, doc, bound};
  return fields;
}
#define NPL_KERNEL_NAMES(name) {name "_1", name "_2", name "_3", name "_4"}

template <class Make>
NPL_INLINE PerKernel each_kernel(const Make& make) {
  return [&]<std::size_t... K>(std::index_sequence<K...>)
             NPL_INLINE_LAMBDA { return PerKernel{make(K)...}; }(std::make_index_sequence<kernels>{});
}
NPL_INLINE double sum_of_kernels(const PerKernel& y) { return (y[0] + y[1]) + (y[2] + y[3]); }

/// Forbids all but a whole number of kernels.
inline Forbidden check_kernels(const char* name, double n) {
  static_assert(kernels == 4);
  if (n >= 0.0 && n <= static_cast<double>(kernels) && n == std::floor(n)) return {};
  return {name, n, "a whole number of exponentials from 0 to 4"};
}

/// One sum of kernels: each decays with tau_k and jumps by q_k at a spike.
struct History {
  struct Params {
    double n;
    PerKernel q, tau;
  };
  struct Derived {
    PerKernel q, P;
  };
  static Derived derive(const Params& p, double h) {
    return {p.q, each_kernel([&](std::size_t k) { return decay(h, p.tau[k]); })};
  }
  NPL_INLINE static PerKernel decayed(const PerKernel& y, const Derived& d) {
    return each_kernel([&](std::size_t k) NPL_INLINE_LAMBDA { return y[k] * d.P[k]; });
  }
  NPL_INLINE static PerKernel jumped(const PerKernel& y, const Derived& d, bool fired) {
    return each_kernel([&](std::size_t k) NPL_INLINE_LAMBDA { return y[k] + (fired ? d.q[k] : 0.0); });
  }
};

/// Fields of History::Params, with the names that NEST gives to the entries of its lists.
constexpr auto sfa_fields() {
  return joined(std::array{Field{"n_sfa", "", 0.0, "Kernels of the threshold in use"}},
                per_kernel(NPL_KERNEL_NAMES("q_sfa"), "mV", 0.0, "Jump of the threshold at a spike"),
                per_kernel(NPL_KERNEL_NAMES("tau_sfa"), "ms", 1.0, "Time constant with which it decays", Bound::positive));
}
constexpr auto stc_fields() {
  return joined(std::array{Field{"n_stc", "", 0.0, "Kernels of the spike-triggered current in use"}},
                per_kernel(NPL_KERNEL_NAMES("q_stc"), "pA", 0.0, "Jump of the spike-triggered current at a spike"),
                per_kernel(NPL_KERNEL_NAMES("tau_stc"), "ms", 1.0, "Time constant with which it decays", Bound::positive));
}

/// Threshold, currents and the random spike of the generalised integrate-and-fire neurons.
struct Gif {
  struct Params {
    double V_T_star, Delta_V, lambda_0;
    History::Params sfa, stc;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"V_T_star", "mV", -35.0, "Threshold without spikes"},
          Field{"Delta_V", "mV", 0.5, "Width of the zone around the threshold where spikes are random", Bound::positive},
          Field{"lambda_0", "1/s", 1.0, "Rate of spikes at the threshold", Bound::non_negative},
      },
      sfa_fields(), stc_fields());

  struct State {
    double E_sfa, I_stc;
    PerKernel sfa, stc;
    double free_at;
  };
  static constexpr auto state =
      joined(std::array{Field{"E_sfa", "mV", 0.0, "Threshold in this step; 0 before the first"}.with(Mark::read_only),
                        Field{"I_stc", "pA", 0.0, "Spike-triggered current in this step"}.with(Mark::read_only)},
             per_kernel(NPL_KERNEL_NAMES("_sfa"), "mV", 0.0, "Part of the threshold"),
             per_kernel(NPL_KERNEL_NAMES("_stc"), "pA", 0.0, "Part of the current"),
             std::array{Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"}});

  struct Derived {
    double V_T_star, per_Delta_V, expected;  ///< expected: number of spikes of one step at the threshold
    double margin;                           ///< distance to the threshold [mV] below which no random number gives a spike
    History::Derived sfa, stc;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = check_kernels("n_sfa", p.sfa.n)) return wrong;
    return check_kernels("n_stc", p.stc.n);
  }
  static Derived derive(const Params& p, double h) {
    const double expected = p.lambda_0 * 1e-3 * h;
    const double margin = expected > 0.0 ? p.Delta_V * (math::log(0x1p-53) - math::log(expected)) : std::numeric_limits<double>::max();
    return {p.V_T_star, 1.0 / p.Delta_V, expected, margin, History::derive(p.sfa, h), History::derive(p.stc, h)};
  }

  /// Threshold and current of the step that begins; then the kernels decay.
  NPL_INLINE static void advance(State& s, const Derived& d) {
    s.E_sfa = d.V_T_star + sum_of_kernels(s.sfa);
    s.I_stc = sum_of_kernels(s.stc);
    s.sfa = History::decayed(s.sfa, d.sfa);
    s.stc = History::decayed(s.stc, d.stc);
  }
  /// Number of spikes in this step, if V stayed as it is.
  NPL_INLINE static double expected_spikes(double V, const State& s, const Derived& d) {
    return d.expected * math::exp((V - s.E_sfa) * d.per_Delta_V);
  }
  NPL_INLINE static double probability(double V, const State& s, const Derived& d) { return -math::expm1(-expected_spikes(V, s, d)); }
  NPL_INLINE static void jump(State& s, const Derived& d, bool fired, double free_at) {
    s.sfa = History::jumped(s.sfa, d.sfa, fired);
    s.stc = History::jumped(s.stc, d.stc, fired);
    s.free_at = fired ? free_at : s.free_at;
  }
};

}  // namespace npl::model
