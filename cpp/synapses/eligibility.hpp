// SPDX-License-Identifier: Apache-2.0
/// Eligibility propagation (e-prop; Bellec et al. 2020, Nat Commun 11:3625): synapses of one row that are brought up to date together. In
/// each step t, with z the filtered train of the source, psi the surrogate gradient and L the learning signal of the target:
///   e = psi (z - beta a),  a <- psi z + (rho - psi beta) a,  E <- kappa E + share e,  gradient += L E.
#pragma once
#include <array>

#include "base/learner.hpp"
#include "base/simd.hpp"
#include "synapses/target_history.hpp"

namespace npl::synapses {

/// What a synapse keeps, in this order.
enum EligibilityValue : std::size_t {
  through,   ///< last step that has been learned from [steps]
  closed,    ///< updates of the weight: by intervals, or steps
  trace,     ///< z
  adapted,   ///< a
  filtered,  ///< E
  rate,      ///< sum of e, or e filtered, for the firing rate
  gradient,
  n_eligibility
};

/// Spikes of a source, up to the last one: how many in each of the last steps, four bits a step.
struct LastSpikes {
  static constexpr Step steps = 12;
  static constexpr int bits = 4;
  static constexpr std::uint64_t most = (std::uint64_t{1} << bits) - 1, all = (std::uint64_t{1} << (bits * steps)) - 1;
  Step last = 0;  ///< arrival of the last one
  std::uint64_t counts = 0;

  /// @param gap steps since the last spike
  static std::uint64_t with_another(std::uint64_t counts, Step gap) {
    if (gap == 0) return (counts & most) < most ? counts + 1 : counts;
    return gap < steps ? ((counts << (bits * gap)) & all) | 1 : 1;
  }
  double at(Step stamp) const {
    const Step ago = last - stamp;
    return ago >= 0 && ago < steps ? static_cast<double>((counts >> (bits * ago)) & most) : 0.0;
  }
  bool any_after(Step stamp) const { return counts != 0 && last > stamp; }
};

/// Synapses with the same history of arrivals, whose targets differ in nothing that says when they learn.
struct EligibilityLanes {
  static constexpr std::size_t capacity = 64;
  using Values = std::array<double, capacity>;
  alignas(64) Values z, a, e, r, g, w;
  alignas(64) Values decay, gain, rho, beta, kappa, share, kappa_reg, c_reg, f_target;
  alignas(64) Values sum, m, v;            ///< of the optimizer
  std::array<std::uint32_t, capacity> at;  ///< of the targets in their history
  std::size_t n = 0;
  bool side_by_side = false;  ///< at[k] = at[0] + k

  bool silent() const {
    double any = 0.0;
    for (std::size_t k = 0; k < n; ++k) any += (z[k] != 0.0) + (a[k] != 0.0) + (e[k] != 0.0) + (r[k] != 0.0) + (g[k] != 0.0);
    return any == 0.0;
  }
};

/// One step of the lanes. @tparam Running the firing rate is regularised in each step, with a running mean; else r sums up
/// @tparam Beside see EligibilityLanes::side_by_side
template <bool Running, bool Beside>
struct EligibilityStep {
  NPL_INLINE static void run(EligibilityLanes* lanes, double arrived, const double* psi, const double* signal, const double* activity) {
    EligibilityLanes& l = *lanes;
    const std::size_t first = l.at[0];
#pragma GCC ivdep
    for (std::size_t k = 0; k < l.n; ++k) {
      const std::size_t i = Beside ? first + k : l.at[k];
      const double p = psi[i], z = l.decay[k] * l.z[k] + arrived, a = l.a[k];
      const double e = p * (z - l.beta[k] * a);
      l.z[k] = z;
      l.a[k] = p * z + (l.rho[k] - p * l.beta[k]) * a;
      l.e[k] = l.kappa[k] * l.e[k] + l.share[k] * e;
      if constexpr (Running) {
        l.r[k] = l.kappa_reg[k] * l.r[k] + (1.0 - l.kappa_reg[k]) * e;
        l.g[k] += signal[i] * l.e[k] + l.c_reg[k] * (activity[i] - l.f_target[k]) * l.r[k];
      } else {
        l.r[k] += e;
        l.g[k] += signal[i] * l.e[k];
      }
    }
  }
};

template <bool Running>
void eligibility_step(EligibilityLanes& l, double arrived, const double* psi, const double* signal, const double* activity) {
  l.side_by_side ? Dispatch<EligibilityStep<Running, true>>::run(&l, arrived, psi, signal, activity)
                 : Dispatch<EligibilityStep<Running, false>>::run(&l, arrived, psi, signal, activity);
}

}  // namespace npl::synapses
