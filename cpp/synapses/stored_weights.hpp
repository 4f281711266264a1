// SPDX-License-Identifier: Apache-2.0
/// Weights of synapses side by side, stored as float or double. One loop serves both, which is compiled once.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/math.hpp"
#include "base/simd.hpp"

namespace npl::synapses {

class StoredWeights {
 public:
  NPL_INLINE StoredWeights(float* first) : first_(first), doubles_(false) {}
  NPL_INLINE StoredWeights(double* first) : first_(first), doubles_(true) {}

  NPL_INLINE StoredWeights from(std::uint32_t k) const {
    return doubles_ ? StoredWeights(as<double>() + k) : StoredWeights(as<float>() + k);
  }
  NPL_INLINE double operator[](std::uint32_t k) const { return doubles_ ? as<double>()[k] : static_cast<double>(as<float>()[k]); }
  NPL_INLINE void set(std::uint32_t k, double w) const {
    doubles_ ? void(as<double>()[k] = w) : void(as<float>()[k] = static_cast<float>(w));
  }
  /// To the stored precision. Without branches.
  NPL_INLINE double round(double w) const { return math::choose(doubles_, w, static_cast<double>(static_cast<float>(w))); }
  NPL_INLINE void load(double* to, std::uint32_t n) const { doubles_ ? load_as<double>(to, n) : load_as<float>(to, n); }
  NPL_INLINE void store(const double* from, std::uint32_t n) const { doubles_ ? store_as<double>(from, n) : store_as<float>(from, n); }

 private:
  template <class W>
  NPL_INLINE W* as() const {
    return static_cast<W*>(first_);
  }
  template <class W>
  NPL_INLINE void load_as(double* to, std::uint32_t n) const {
    for (std::uint32_t k = 0; k < n; ++k) to[k] = static_cast<double>(as<W>()[k]);
  }
  template <class W>
  NPL_INLINE void store_as(const double* from, std::uint32_t n) const {
    for (std::uint32_t k = 0; k < n; ++k) as<W>()[k] = static_cast<W>(from[k]);
  }

  void* first_;
  bool doubles_;
};

}  // namespace npl::synapses
