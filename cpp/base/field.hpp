// SPDX-License-Identifier: Apache-2.0
/// Description of a parameter or a state variable: for users, for checks and for the documentation. The same for neurons, devices and
/// synapses.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace npl {

/// Simple range of one parameter; relations between parameters go into the model's check().
enum class Bound { any, positive, non_negative, not_nan };  ///< not_nan: may be infinite, all others are finite

/// A parameter or a state variable.
struct Field {
  const char* name;
  const char* unit;  ///< as text, e.g. "ms"; "" for numbers without one
  double init;       ///< default, or value of a state variable at the beginning
  const char* doc;
  Bound bound = Bound::any;
};

/// What is allowed, as error messages say it.
inline const char* bound_text(Bound b) {
  switch (b) {
    case Bound::positive: return "a finite number > 0";
    case Bound::non_negative: return "a finite number >= 0";
    case Bound::not_nan: return "a number or infinite";
    default: return "a finite number";
  }
}

/// Throws BadParameter when the value is outside the bound.
inline void check_value(const Field& f, double value) {
  const bool finite = std::isfinite(value);
  const bool good = f.bound == Bound::positive       ? finite && value > 0
                    : f.bound == Bound::non_negative ? finite && value >= 0
                    : f.bound == Bound::not_nan      ? !std::isnan(value)
                                                     : finite;
  if (!good) throw BadParameter(f.name, value, bound_text(f.bound));
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
