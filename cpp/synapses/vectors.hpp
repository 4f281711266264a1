// SPDX-License-Identifier: Apache-2.0
/// Vectors of doubles that stay in registers over several steps, which a compiler does not do with arrays.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/simd.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // about vectors in functions that are only ever inlined

namespace npl::synapses {

template <int Bytes>
struct VectorOf {
  using type [[gnu::vector_size(Bytes)]] = double;
};
/// Bytes of the widest registers.
constexpr int register_bytes(Isa level) { return level == Isa::v4 ? 64 : level == Isa::v3 ? 32 : 16; }

template <class V>
NPL_INLINE V load(const double* from) {
  V found{};
  std::memcpy(&found, from, sizeof found);
  return found;
}
template <class V>
NPL_INLINE void store(double* to, V value) {
  std::memcpy(to, &value, sizeof value);
}
template <class V>
NPL_INLINE V root_of(V x) {
  V root{};
  for (std::size_t k = 0; k < sizeof(V) / sizeof(double); ++k) root[k] = std::sqrt(x[k]);
  return root;
}

}  // namespace npl::synapses
