// SPDX-License-Identifier: Apache-2.0
/// exp(-n h / tau) for whole numbers of steps n as the product of two table entries: no exp call per event.
#pragma once
#include <cstdint>
#include <vector>

#include "base/simd.hpp"

namespace npl::synapses {

class DecayTable {
 public:
  DecayTable() = default;
  /// @param tau_ms time constant > 0; @param dt_ms step
  DecayTable(double tau_ms, double dt_ms);
  /// n >= 0. Exactly 0 at the latest when below 2^-1000, and never subnormal.
  NPL_INLINE double operator()(std::int64_t n) const {
    const std::int64_t high = n >> bits;
    return high < size_ ? fine_[static_cast<std::size_t>(n & mask)] * coarse_[static_cast<std::size_t>(high)] : 0.0;
  }

  /// The same values for loops: pointers that a store cannot change, no branch.
  struct View {
    const double *fine, *coarse;
    std::int32_t size;
    NPL_INLINE double operator()(std::int32_t n) const {
      const std::int32_t high = n >> bits;
      return fine[n & mask] * coarse[high < size ? high : size];
    }
  };
  View view() const { return {fine_.data(), coarse_.data(), static_cast<std::int32_t>(size_)}; }

 private:
  static constexpr int bits = 8;
  static constexpr int mask = (1 << bits) - 1;
  std::vector<double> fine_, coarse_;  ///< the last coarse one is 0
  std::int64_t size_ = 0;
};

}  // namespace npl::synapses
