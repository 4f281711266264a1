// SPDX-License-Identifier: Apache-2.0
/// Exponential decay on the time grid: exp(-n h / tau) for n steps of length h, as the product of two table entries. Saves an exp call per
/// event.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/math.hpp"
#include "base/simd.hpp"
#include "synapses/moment.hpp"

namespace npl::synapses {

/// The same decays computed one by one, without tables: for time constants that differ from synapse to synapse, and for moments. On the
/// grid the values are those of a DecayTable, bit by bit.
class Decay {
 public:
  Decay(double tau_ms, double dt_ms) : step_(exponent(dt_ms, tau_ms)), tau_(tau_ms), dt_(dt_ms) {}
  NPL_INLINE double operator()(std::int64_t n) const {
    const std::int64_t high = n >> bits;
    const double fine = entry(step_ * static_cast<double>(n & mask));
    return high == 0 ? fine : high < largest_coarse ? fine * entry(step_ * (mask + 1) * static_cast<double>(high)) : 0.0;
  }

  /// Between moments.
  double operator()(Span t) const { return entry(exponent(static_cast<double>(t.steps) * dt_ - t.less, tau_)); }

  static constexpr int bits = 8;
  static constexpr int mask = (1 << bits) - 1;
  static constexpr std::int64_t largest_coarse = 1 << 20;  ///< multiples of 256 steps, beyond which a decay is taken as 0
  /// t / tau; so large for tau = 0 that anything but t = 0 decays to 0.
  NPL_INLINE static double exponent(double ms, double tau_ms) { return ms / math::choose(tau_ms > 0.0, tau_ms, 1e-300); }
  /// exp(-exponent); 0 below 2^-500: then a product of two is 0 or a normal number on every machine (subnormal ones are slow on many).
  NPL_INLINE static double entry(double exponent) {
    const double value = math::exp(-exponent);
    return math::choose(value < 0x1p-500, 0.0, value);
  }
  /// The same decay without branches, for loops.
  NPL_INLINE double over(std::int32_t n) const {
    const std::int32_t high = n >> bits;
    const double value = entry(step_ * static_cast<double>(n & mask)) * entry(step_ * (mask + 1) * static_cast<double>(high));
    return math::choose(high < largest_coarse, value, 0.0);
  }

 private:
  double step_, tau_, dt_;  // step_: dt / tau
};

/// Decay factors of one time constant. Immutable, so threads may share it.
class DecayTable {
 public:
  DecayTable() = default;
  /// @param tau_ms time constant, 0: everything has decayed after a step; @param dt_ms step
  DecayTable(double tau_ms, double dt_ms);
  /// Decay over n >= 0 steps, in [0, 1]. Never subnormal; exactly 0 wherever the true value is below 2^-1000.
  NPL_INLINE double operator()(std::int64_t n) const {
    const std::int64_t high = n >> bits;
    return high < size_ ? fine_[static_cast<std::size_t>(n & mask)] * coarse_[static_cast<std::size_t>(high)] : 0.0;
  }

  /// The same values for loops: plain pointers, which the compiler can keep in registers, and no branch. Valid while the table is.
  struct View {
    const double *fine, *coarse;
    std::uint32_t size;
    /// Decay from one stamp to a later one [steps]; some number in [0, 1] when it is not later.
    NPL_INLINE double since(std::int32_t then, std::int32_t now) const {
      const std::uint32_t n = static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(then), high = n >> bits;
      return fine[n & mask] * coarse[high < size ? high : size];
    }
  };
  View view() const { return {fine_.data(), coarse_.data(), static_cast<std::uint32_t>(size_)}; }

 private:
  static constexpr int bits = Decay::bits, mask = Decay::mask;
  std::vector<double> fine_, coarse_;  ///< decays over 0 .. 255 steps and over multiples of 256 steps; the last coarse entry is 0
  std::int64_t size_ = 0;
};

}  // namespace npl::synapses
