// SPDX-License-Identifier: Apache-2.0
/// Eligibility propagation (e-prop; Bellec et al. 2020, Nat Commun 11:3625): synapses of one row that are brought up to date together. In
/// each step t, with z the filtered train of the source, psi the surrogate gradient and L the learning signal of the target:
///   e = psi (z - beta a),  a <- psi z + (rho - psi beta) a,  E <- kappa E + share e,  gradient += L E.
#pragma once
#include <algorithm>
#include <array>
#include <bit>

#include "base/learner.hpp"
#include "base/simd.hpp"
#include "synapses/spike_steps.hpp"
#include "synapses/target_history.hpp"

namespace npl::synapses {

/// Constants of a node of a history.
inline const Learner& learner_of(const TargetHistory& h, std::size_t i) { return reinterpret_cast<const Learner*>(h.constants())[i]; }

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

/// Spikes of a source, up to the last one: how many in each of the last steps, four bits a step; and in which of many more there was one.
struct LastSpikes {
  static constexpr Step steps = 12;
  static constexpr int bits = 4;
  static constexpr std::uint64_t most = (std::uint64_t{1} << bits) - 1, all = (std::uint64_t{1} << (bits * steps)) - 1;
  Step last = 0;  ///< arrival of the last one
  std::uint64_t counts = 0;
  SpikeSteps of_row = {};  ///< arrivals, in-flight spikes included; empty: only `counts` is known

  /// @param gap steps since the last spike
  static std::uint64_t with_another(std::uint64_t counts, Step gap) {
    if (gap == 0) return (counts & most) < most ? counts + 1 : counts;
    return gap < steps ? ((counts << (bits * gap)) & all) | 1 : 1;
  }
  /// Whether at most one arrived in each of the last steps.
  bool single() const { return counts != 0 && (counts & (all / most * (most - 1))) == 0; }
  NPL_INLINE double at(Step stamp) const {
    const Step ago = last - stamp;
    if (ago < 0) return 0.0;
    return ago < steps ? static_cast<double>((counts >> (bits * ago)) & most) : of_row.first_from(stamp) == stamp;
  }
  NPL_INLINE bool any_after(Step stamp) const { return counts != 0 && last > stamp; }
  /// The first step from `stamp` on in which one may have arrived; SpikeSteps::never: none.
  NPL_INLINE Step first_from(Step stamp) const {
    if (of_row) return of_row.first_from(stamp);
    return any_after(stamp - 1) ? std::max(stamp, last - steps + 1) : SpikeSteps::never;
  }
};

/// Synapses with the same history of arrivals, whose targets differ in nothing that says when they learn.
struct EligibilityLanes {
  static constexpr std::size_t capacity = 64, widest = 16;
  using Values = std::array<double, capacity>;
  alignas(64) Values z, a, e, r, g, w;
  alignas(64) Values decay{}, gain{}, rho{}, beta{}, kappa{}, share{}, kappa_reg{}, c_reg{}, f_target{};
  alignas(64) Values sum, m, v;            ///< of the optimizer
  std::array<std::uint32_t, capacity> at;  ///< of the targets in their history
  std::size_t n = 0;
  bool adapts = false;     ///< the threshold of some target
  std::uint64_t gaps = 0;  ///< bit k: at[k] != at[k - 1] + 1

  /// Whether the targets of so many lanes from k on, 2 to 32, lie side by side in their history.
  bool are_beside(std::size_t k, std::size_t some) const {
    return k + some <= n && (gaps >> (k + 1) & ((std::uint64_t{1} << (some - 1)) - 1)) == 0;
  }
  /// Gives the lanes behind the last up to a multiple of `widest` values that nothing comes of.
  void pad() {
    for (std::size_t k = n; k % widest != 0; ++k) {
      at[k] = at[0];
      z[k] = a[k] = e[k] = r[k] = g[k] = w[k] = sum[k] = m[k] = v[k] = 0.0;
    }
  }
  bool silent() const {
    std::uint64_t any = 0;  // bits but for the sign
    for (const Values* of : {&z, &a, &e, &r, &g})
      for (std::size_t k = 0; k < n; ++k) any |= std::bit_cast<std::uint64_t>((*of)[k]) << 1;
    return any == 0;
  }
};

}  // namespace npl::synapses
