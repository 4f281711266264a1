// SPDX-License-Identifier: Apache-2.0
#include "synapses/eligibility_blocks.hpp"

#include <bit>
#include <numeric>

#include "base/simd.hpp"

namespace npl::synapses {
namespace {

constexpr std::size_t fan_in = 4;  // steps of the shortest block, and blocks of a longer one
using Parts = std::array<const double*, fan_in>;

/// Factors of one target.
template <bool Adapts>
struct Factors {
  double zz = 1.0, ee = 1.0, ez = 0.0, rz = 0.0, ge = 0.0, gz = 0.0, az = 0.0, aa = 1.0, ea = 0.0, ra = 0.0, ga = 0.0;

  NPL_INLINE static Factors load(const double* from, std::size_t n, std::size_t i) {
    const auto of = [&](EligibilityFactor f) __attribute__((always_inline)) { return from[f * n + i]; };
    if constexpr (Adapts)
      return {of(z_z), of(e_e), of(e_z), of(r_z), of(g_e), of(g_z), of(a_z), of(a_a), of(e_a), of(r_a), of(g_a)};
    else
      return {of(z_z), of(e_e), of(e_z), of(r_z), of(g_e), of(g_z)};
  }
  NPL_INLINE void store(double* to, std::size_t n, std::size_t i) const {
    to[z_z * n + i] = zz, to[e_e * n + i] = ee, to[e_z * n + i] = ez, to[r_z * n + i] = rz, to[g_e * n + i] = ge, to[g_z * n + i] = gz;
    if constexpr (Adapts) to[a_z * n + i] = az, to[a_a * n + i] = aa, to[e_a * n + i] = ea, to[r_a * n + i] = ra, to[g_a * n + i] = ga;
  }
  /// After these steps those of y.
  NPL_INLINE void then(const Factors& y) {
    rz += y.rz * zz, gz += y.ge * ez + y.gz * zz, ge += y.ge * ee;
    ez = y.ee * ez + y.ez * zz;
    if constexpr (Adapts) {
      rz += y.ra * az, gz += y.ga * az, ez += y.ea * az;
      ra += y.ra * aa, ga += y.ge * ea + y.ga * aa;
      ea = y.ee * ea + y.ea * aa;
      az = y.az * zz + y.aa * az, aa = y.aa * aa;
    }
    ee = y.ee * ee, zz = y.zz * zz;
  }
};

}  // namespace

/// A block from single steps. @param p, s surrogate gradients and learning signals of the steps
template <bool Adapts>
struct EligibilityBlocks::Steps {
  template <Isa level>
  NPL_INLINE static void run(double* out, const Constants* of, const Parts* p, const Parts* s, std::size_t n) {
    const double *decay = of->decay.data(), *kappa = of->kappa.data(), *share = of->share.data(), *rho = of->rho.data(),
                 *beta = of->beta.data();
    NPL_IVDEP
    for (std::size_t i = 0; i < n; ++i) {
      Factors<Adapts> f;
      NPL_UNROLL(4)
      for (std::size_t k = 0; k < fan_in; ++k) {
        const double psi = (*p)[k][i], signal = (*s)[k][i];
        f.zz = decay[i] * f.zz, f.ee = kappa[i] * f.ee;
        const double e = Adapts ? psi * (f.zz - beta[i] * f.az) : psi * f.zz;
        f.ez = kappa[i] * f.ez + share[i] * e, f.rz += e, f.gz += signal * f.ez, f.ge += signal * f.ee;
        if constexpr (Adapts) {
          const double left = rho[i] - psi * beta[i], lost = psi * beta[i] * f.aa;
          f.az = psi * f.zz + left * f.az, f.aa = left * f.aa;
          f.ea = kappa[i] * f.ea - share[i] * lost, f.ra -= lost, f.ga += signal * f.ea;
        }
      }
      f.store(out, n, i);
    }
  }
};

template <bool Adapts>
struct EligibilityBlocks::Compose {
  template <Isa level>
  NPL_INLINE static void run(double* out, const Parts* parts, std::size_t n) {
    NPL_IVDEP
    for (std::size_t i = 0; i < n; ++i) {
      auto f = Factors<Adapts>::load((*parts)[0], n, i);
      NPL_UNROLL(3)
      for (std::size_t k = 1; k < fan_in; ++k) f.then(Factors<Adapts>::load((*parts)[k], n, i));
      f.store(out, n, i);
    }
  }
};

EligibilityBlocks::EligibilityBlocks(const TargetHistory& history, double kappa)
    : history_(history), lag_(static_cast<Step>(learner_of(history, 0).lag)) {
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Learner& l = learner_of(history, i);
    of_.decay.push_back(l.decay), of_.rho.push_back(l.rho), of_.beta.push_back(l.beta);
    of_.kappa.push_back(l.filtered != 0.0 ? kappa : 0.0), of_.share.push_back(1.0 - of_.kappa.back());
    adapts_ |= l.adapts();
  }
  for (std::size_t level = 0; level < lengths.size(); ++level) {
    const std::size_t slots = std::bit_floor(std::max(fan_in, static_cast<std::size_t>(history.levels() / lengths[level])));
    rings_[level] = {std::vector<double>(slots * block_size()), std::vector<Step>(slots, -1)};
  }
}

void EligibilityBlocks::compute(std::size_t level, Step t, double* out) {
  const std::size_t n = history_.size();
  Parts parts;
  if (level > 0) {
    for (std::size_t k = 0; k < fan_in; ++k) parts[k] = factors(level - 1, t + static_cast<Step>(k) * lengths[level - 1]);
    adapts_ ? Dispatch<Compose<true>>::run(out, &parts, n) : Dispatch<Compose<false>>::run(out, &parts, n);
    return;
  }
  Parts signals;
  for (std::size_t k = 0; k < fan_in; ++k) {
    parts[k] = history_.levels_at(t + static_cast<Step>(k)) + surrogate * n;
    signals[k] = history_.levels_at(t + static_cast<Step>(k) + lag_) + signal * n;
  }
  adapts_ ? Dispatch<Steps<true>>::run(out, &of_, &parts, &signals, n) : Dispatch<Steps<false>>::run(out, &of_, &parts, &signals, n);
}

std::size_t EligibilityBlocks::bytes() const {
  return std::accumulate(rings_.begin(), rings_.end(), std::size_t{0},
                         [](std::size_t sum, const Ring& r) { return sum + r.factors.capacity() * sizeof(double); });
}

}  // namespace npl::synapses
