// SPDX-License-Identifier: Apache-2.0
/// Description of a parameter or a state variable: for users, for checks and for the documentation. The same for neurons, devices and
/// synapses.
#pragma once
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace npl {

/// Simple range of one parameter; relations between parameters go into the model's check().
enum class Bound { any, positive, non_negative };

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
  return b == Bound::positive ? "a finite number > 0" : b == Bound::non_negative ? "a finite number >= 0" : "a finite number";
}

/// Throws BadParameter when the value is not finite or outside the bound.
inline void check_value(const Field& f, double value) {
  const bool good = std::isfinite(value) && (f.bound != Bound::positive || value > 0) && (f.bound != Bound::non_negative || value >= 0);
  if (!good) throw BadParameter(f.name, value, bound_text(f.bound));
}

}  // namespace npl
