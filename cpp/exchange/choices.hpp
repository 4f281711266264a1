// SPDX-License-Identifier: Apache-2.0
/// Settings that are one of a few names.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace npl::exchange {

/// The enumerator whose name this is; `names` stand in the order of the enumerators. Throws UnknownName with the nearest names.
template <class Enum>
Enum choose(const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw UnknownName(kind, name, names);
  return static_cast<Enum>(found - names.begin());
}

}  // namespace npl::exchange
