// SPDX-License-Identifier: Apache-2.0
/// Field lists with one entry per receptor, for models whose receptors are chosen by number. All max_receptors are computed in every step;
/// the parameter n only says how many may be connected, and front ends check it.
#pragma once
#include <array>
#include <cmath>
#include <utility>

#include "nodes/receptors.hpp"

namespace npl::nodes {

inline constexpr std::size_t ports = max_receptors;
using PerPort = std::array<double, ports>;
using PortNames = std::array<const char*, ports>;

/// name_1 ... name_8: written out, since a Field keeps a pointer.
#define NPL_PORT_NAMES(name) PortNames{name "_1", name "_2", name "_3", name "_4", name "_5", name "_6", name "_7", name "_8"}

constexpr std::array<Field, ports> per_port(const PortNames& names, const char* unit, double init, const char* doc,
                                            Bound bound = Bound::any) {
  std::array<Field, ports> fields{};
  for (std::size_t k = 0; k < ports; ++k) fields[k] = {names[k], unit, init, doc, bound};
  return fields;
}

/// make(k) for every port k, unrolled: a loop inside would keep the loop over neurons scalar.
template <class Make>
NPL_INLINE PerPort each_port(const Make& make) {
  return [&]<std::size_t... K>(std::index_sequence<K...>)
             NPL_INLINE_LAMBDA { return PerPort{make(K)...}; }(std::make_index_sequence<ports>{});
}
template <class Make>
NPL_INLINE double sum_of_ports(const Make& make) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA { return (... + make(K)); }(std::make_index_sequence<ports>{});
}

/// Forbids all but a whole number of receptors.
inline Forbidden check_ports(const char* name, double n) {
  static_assert(ports == 8);
  if (n >= 0.0 && n <= static_cast<double>(ports) && n == std::floor(n)) return {};
  return {name, n, "a whole number from 0 to 8; a shape gives more receptors: \"model[100]\" has 100"};
}

}  // namespace npl::nodes
