// SPDX-License-Identifier: Apache-2.0
/// Description of a parameter or a state variable: for users, for checks and for the documentation. The same for neurons, devices and
/// synapses.
#pragma once

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

/// A combination of parameters that a model does not allow: {"V_reset", p.V_reset, "below V_th"}; {}: none.
struct [[nodiscard]] Forbidden {
  const char* parameter = nullptr;
  double value = 0.0;
  const char* allowed = nullptr;

  explicit operator bool() const { return parameter != nullptr; }
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

}  // namespace npl
