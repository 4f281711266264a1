// SPDX-License-Identifier: Apache-2.0
/// The steps of eligibility propagation, see eligibility.hpp: in each, all lanes do the same, and may change their weights.
#pragma once
#include <algorithm>
#include <array>

#include "synapses/eligibility_blocks.hpp"
#include "synapses/optimizer.hpp"

namespace npl::synapses {

/// Steps that lanes go through, and what they read.
struct EligibilitySteps {
  TargetHistory::Walk now, later;  ///< levels from the first step on; those with the signals that belong to it
  std::size_t n;                   ///< of the history
  Step first, known, until;        ///< the signals of steps beyond `known` have not arrived: they count as 0
  Step deaf;                       ///< a step in which nothing arrives
  LastSpikes spikes;
  const Optimizer* optimizer;  ///< of updates in each step
  EligibilityBlocks* blocks;   ///< of targets that learn in intervals

  NPL_INLINE double arrived(Step t) const { return t > spikes.last || t == deaf ? 0.0 : spikes.at(t); }
};

enum class Updates { none, descent, adam };  ///< of the weights, in each step

/// Goes through steps with some lanes at a time, whose values stay in registers meanwhile. Lanes behind the last one must be padded.
/// @tparam Running the firing rate is regularised in each step, with a running mean; else r sums up
/// @tparam Adapts there are targets whose threshold adapts: a is of use
template <bool Running, bool Adapts, Updates updates>
struct EligibilityLoop {
  template <Isa level>
  NPL_INLINE static void run(EligibilityLanes* lanes, const EligibilitySteps* steps) {
    constexpr int bytes = register_bytes(level);
    for (std::size_t k = 0; k < lanes->n;)
      if (level == Isa::v4 && lanes->are_beside(k, 16))
        Block<bytes, 2, true>::run(*lanes, k, *steps), k += 16;  // two at a time hide how long sums take
      else if (level == Isa::v4 && lanes->n - k <= 4)
        k += one<32>(*lanes, k, *steps);
      else
        k += one<bytes>(*lanes, k, *steps);
  }

 private:
  template <int Bytes>
  NPL_INLINE static std::size_t one(EligibilityLanes& l, std::size_t k, const EligibilitySteps& s) {
    constexpr std::size_t wide = Bytes / sizeof(double);
    l.are_beside(k, wide) ? Block<Bytes, 1, true>::run(l, k, s) : Block<Bytes, 1, false>::run(l, k, s);
    return wide;
  }

  /// @tparam Beside the targets lie side by side in their history
  template <int Bytes, std::size_t Blocks, bool Beside>
  struct Block {
    using Vector = typename VectorOf<Bytes>::type;
    static constexpr std::size_t wide = Bytes / sizeof(double);

    struct Part {
      Vector z, a, e, r, g, decay, rho, beta, kappa, share, kappa_reg, c_reg, f_target, w, sum, m, v;
    };

    NPL_INLINE static Vector of_targets(const double* levels, const std::uint32_t* at) {
      if constexpr (Beside) return load<Vector>(levels + at[0]);
      Vector found{};
      for (std::size_t j = 0; j < wide; ++j) found[j] = levels[at[j]];
      return found;
    }
    NPL_INLINE static Part begin(const EligibilityLanes& l, std::size_t k) {
      // Inlined always: a vector returned by a function that is compiled for another instruction set would be looked for elsewhere.
      const auto of = [&](const EligibilityLanes::Values& v) __attribute__((always_inline)) { return load<Vector>(&v[k]); };
      return {of(l.z),     of(l.a),         of(l.e),     of(l.r),        of(l.g), of(l.decay), of(l.rho), of(l.beta), of(l.kappa),
              of(l.share), of(l.kappa_reg), of(l.c_reg), of(l.f_target), of(l.w), of(l.sum),   of(l.m),   of(l.v)};
    }
    NPL_INLINE static void end(const Part& p, EligibilityLanes& l, std::size_t k) {
      store(&l.z[k], p.z), store(&l.a[k], p.a), store(&l.e[k], p.e), store(&l.r[k], p.r), store(&l.g[k], p.g);
      if constexpr (updates != Updates::none) store(&l.w[k], p.w), store(&l.sum[k], p.sum);
      if constexpr (updates == Updates::adam) store(&l.m[k], p.m), store(&l.v[k], p.v);
    }
    template <bool Known>
    NPL_INLINE static void step(Part& l, double arrived, const double* now, const double* later, std::size_t n, const std::uint32_t* at) {
      const Vector p = of_targets(now + surrogate * n, at);
      l.z = l.decay * l.z + arrived;
      const Vector e = Adapts ? p * (l.z - l.beta * l.a) : p * l.z;
      if constexpr (Adapts) l.a = p * l.z + (l.rho - p * l.beta) * l.a;
      l.e = l.kappa * l.e + l.share * e;
      if constexpr (Running)
        l.r = l.kappa_reg * l.r + (1.0 - l.kappa_reg) * e;
      else
        l.r = l.r + e;
      if constexpr (Known) {
        Vector slope = of_targets(later + signal * n, at) * l.e;
        if constexpr (Running) slope = slope + l.c_reg * (of_targets(now + activity * n, at) - l.f_target) * l.r;
        l.g = l.g + slope;
      }
    }
    /// Many steps, in which nothing arrives.
    NPL_INLINE static void leap(Part& l, const double* factors, std::size_t n, const std::uint32_t* at) {
      const auto of = [&](EligibilityFactor f) __attribute__((always_inline)) { return of_targets(factors + f * n, at); };
      l.g = l.g + of(g_e) * l.e + of(g_z) * l.z;
      l.r = l.r + of(r_z) * l.z;
      l.e = of(e_e) * l.e + of(e_z) * l.z;
      if constexpr (Adapts) {
        l.g = l.g + of(g_a) * l.a, l.r = l.r + of(r_a) * l.a, l.e = l.e + of(e_a) * l.a;
        l.a = of(a_z) * l.z + of(a_a) * l.a;
      }
      l.z = of(z_z) * l.z;
    }
    NPL_INLINE static void run(EligibilityLanes& l, std::size_t first, const EligibilitySteps& s) {
      std::array<Part, Blocks> parts;
      NPL_UNROLL(2)
      for (std::size_t b = 0; b < Blocks; ++b) parts[b] = begin(l, first + b * wide);
      TargetHistory::Walk now = s.now, later = s.later;
      Step t = s.first, spike = s.spikes.first_from(t);
      const auto all = [&]<bool Known>() __attribute__((always_inline)) {
        const double arrived = t == spike ? s.arrived(t) : 0.0;
        NPL_UNROLL(2)
        for (std::size_t b = 0; b < Blocks; ++b) step<Known>(parts[b], arrived, now.at(), later.at(), s.n, &l.at[first + b * wide]);
        if constexpr (updates != Updates::none) {
          const Optimizer::Update u = s.optimizer->update(t);
          NPL_UNROLL(2)
          for (Part& p : parts) s.optimizer->template apply<updates == Updates::adam>(u, p.w, p.g, p.sum, p.m, p.v);
        }
        now.next(), later.next();
        if (++t > spike) spike = s.spikes.first_from(t);
      };
      const auto leaped = [&](Step known) __attribute__((always_inline)) {
        const EligibilityBlocks::Block b = s.blocks->from(t, std::min(known, spike - 1));
        if (b.steps == 0) return false;
        NPL_UNROLL(2)
        for (std::size_t k = 0; k < Blocks; ++k) leap(parts[k], b.factors, s.n, &l.at[first + k * wide]);
        now.skip(b.steps), later.skip(b.steps), t += b.steps;
        return true;
      };
      const Step known = std::min(s.known, s.until);
      while (t <= known)
        if (Running || !leaped(known)) all.template operator()<true>();
      while (t <= s.until) all.template operator()<false>();
      NPL_UNROLL(2)
      for (std::size_t b = 0; b < Blocks; ++b) end(parts[b], l, first + b * wide);
    }
  };
};

template <bool Running, Updates updates>
void eligibility_steps(EligibilityLanes& l, const EligibilitySteps& s) {
  l.adapts ? Dispatch<EligibilityLoop<Running, true, updates>>::run(&l, &s)
           : Dispatch<EligibilityLoop<Running, false, updates>>::run(&l, &s);
}

}  // namespace npl::synapses
