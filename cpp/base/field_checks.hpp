// SPDX-License-Identifier: Apache-2.0
/// Values against their Field, and fields by name.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/field.hpp"

namespace npl {

/// Throws BadParameter when the value is outside the bound.
inline void check_value(const Field& f, double value) {
  const bool finite = std::isfinite(value);
  const bool good = f.bound == Bound::positive       ? finite && value > 0
                    : f.bound == Bound::non_negative ? finite && value >= 0
                    : f.bound == Bound::not_nan      ? !std::isnan(value)
                                                     : finite;
  if (!good) throw BadParameter(f.name, value, bound_text(f.bound));
}

/// Throws BadParameter for a combination that is forbidden.
inline void refuse(const Forbidden& f) {
  if (f) throw BadParameter(f.parameter, f.value, f.allowed);
}

/// Index of a field by its name, or -1.
inline int find_field(const std::vector<Field>& fields, const std::string& name) {
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return at == fields.end() ? -1 : static_cast<int>(at - fields.begin());
}

/// For errors that list what is allowed.
inline std::vector<std::string> field_names(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& f : fields) names.emplace_back(f.name);
  return names;
}

}  // namespace npl
