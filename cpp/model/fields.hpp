// SPDX-License-Identifier: Apache-2.0
/// Structs of nothing but doubles, such as the state of a neuron, seen as columns.
#pragma once
#include <cstddef>
#include <utility>

#include "base/simd.hpp"

namespace npl::model {

/// Number of fields of such a struct.
template <class S>
inline constexpr std::size_t n_fields = sizeof(S) / sizeof(double);

/// Field k of such a struct.
template <class S>
NPL_INLINE double& field(S& s, std::size_t k) {
  return reinterpret_cast<double*>(&s)[k];
}
template <class S>
NPL_INLINE double field(const S& s, std::size_t k) {
  return reinterpret_cast<const double*>(&s)[k];
}

template <class S, class Column>
NPL_INLINE S load_fields(const Column* columns, std::size_t i) {
  return [&]<std::size_t... K>(std::index_sequence<K...>)
             NPL_INLINE_LAMBDA { return S{columns[K][i]...}; }(std::make_index_sequence<n_fields<S>>{});
}

/// Stores the first `Count` fields.
template <class S, std::size_t Count = n_fields<S>, class Column>
NPL_INLINE void store_fields(Column* columns, std::size_t i, const S& s) {
  [&]<std::size_t... K>(std::index_sequence<K...>)
      NPL_INLINE_LAMBDA { ((columns[K][i] = field(s, K)), ...); }(std::make_index_sequence<Count>{});
}

}  // namespace npl::model
