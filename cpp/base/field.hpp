// SPDX-License-Identifier: Apache-2.0
/// Description of a parameter or a state variable: for users, for checks and for the documentation. The same for neurons, devices and
/// synapses.
#pragma once
#include <string_view>

namespace npl {

/// Simple range of one parameter; relations between parameters go into the model's check().
enum class Bound { any, positive, non_negative, not_nan };  ///< not_nan: may be infinite, all others are finite

/// What scripts of NEST see of a field, where it is not what users of neuropil see. mark_names has their names for front ends.
enum class Mark : unsigned {
  hidden = 1 << 0,          ///< NEST has no such key, and records no such variable
  recorded_only = 1 << 1,   ///< can be recorded, but is not among the keys
  status_only = 1 << 2,     ///< is a key, but cannot be recorded
  read_only = 1 << 3,       ///< cannot be set
  whole = 1 << 4,           ///< a whole number
  lowest_shown = 1 << 5,    ///< the lowest number is shown as it is, not as -inf
  number_for_one = 1 << 6,  ///< entry of an array, for which one number may be given where it has one entry
  changes = 1 << 7,         ///< parameter of a synapse: the initial value of what spikes change
  of_target = 1 << 8,       ///< parameter of a synapse that belongs to its target
  of_model = 1 << 9,        ///< parameter of a synapse that is common to all of the model
  of_connection = 1 << 10,  ///< the contrary, where other parameters are common (Face::common)
  of_optimizer = 1 << 11,   ///< parameter of a synapse that is in the dict "optimizer"
};
inline constexpr const char* mark_names[] = {"hidden",    "recorded_only", "status_only",    "read_only",
                                             "whole",     "lowest_shown",  "number_for_one", "changes",
                                             "of_target", "of_model",      "of_connection",  "of_optimizer"};

/// A parameter or a state variable.
struct Field {
  const char* name;
  const char* unit;  ///< as text, e.g. "ms"; "" for numbers without one
  double init;       ///< default, or value of a state variable at the beginning
  const char* doc;
  Bound bound = Bound::any;
  unsigned marks = 0;          ///< bits of Mark
  const char* nest_name = "";  ///< by which scripts of NEST know it as well; a hidden one by it alone
  const char* choices = "";    ///< what scripts of NEST give in place of 0, 1, ...: names, parted by spaces

  /// This field with further marks.
  template <class... Marks>
  constexpr Field with(Marks... more) const {
    Field made = *this;
    made.marks |= (static_cast<unsigned>(more) | ...);
    return made;
  }
  constexpr Field known_as(const char* name_in_nest) const {
    Field made = *this;
    made.nest_name = name_in_nest;
    return made;
  }
  constexpr Field one_of(const char* names) const {
    Field made = *this;
    made.choices = names;
    return made;
  }
};

/// The same fields, each with further marks.
template <class Fields, class... Marks>
constexpr Fields with(Fields fields, Marks... more) {
  for (Field& f : fields) f = f.with(more...);
  return fields;
}

/// The same fields; the one of this name has further marks.
template <class Fields, class... Marks>
constexpr Fields with_one(Fields fields, std::string_view name, Marks... more) {
  for (Field& f : fields)
    if (f.name == name) f = f.with(more...);
  return fields;
}

/// What scripts of NEST see of a model, beside what its fields say. Lists are texts whose words are parted by spaces.
struct Face {
  const char* keys = "";          ///< keys that only NEST has, with defaults in JSON: "asc_init=[0.0,0.0]"
  const char* fixed_keys = "";    ///< the same, for which nothing but the default is taken
  const char* defaults = "";      ///< of a synapse model: NEST's weight, and of parameters that scripts of NEST cannot see
  const char* receptors = "";     ///< names of receptors, numbered from 1; names that end in _curr are for currents
  const char* compartments = "";  ///< keys with a dict of a compartment's parameters, and its potential: "soma=V_m.s"
  const char* element_type = "";  ///< where it is not that of other models of the kind
  const char* not_default = "";   ///< keys of nodes that GetDefaults does not show
  const char* own_synapse = "";   ///< receptor type and synapse model between neurons of the model, with parameters of the source: "1=name"
  const char* restarts = "";      ///< parameters, and the state variable that becomes 0 when one is set: "rate=_left"
  const char* bad_value = "";     ///< class of the error of a value that is not allowed, where it is not BadProperty
  bool archives = true;           ///< neurons have traces of their spikes, calcium and synaptic elements
  bool ignores = true;            ///< neurons have ignore_and_spike
  bool silent = false;            ///< neurons take spikes and send none
  bool binary = false;            ///< neurons have two states; spikes say which one comes
  bool second_receptor = false;   ///< spikes to receptor type 1 are heard by synapses only, or weighted by their source
  bool receptors_from_1 = false;  ///< connections show the receptors that have names as they are given, not less 1
  bool no_currents = false;       ///< devices that send currents cannot be connected to neurons
  bool off_grid = false;          ///< NEST counts neurons among those with spikes between grid points
  bool sampled = false;           ///< a multimeter may be connected, though there is nothing to record
  bool draws = false;             ///< a synapse passes spikes on at random: recorders cannot be connected by it
  bool scales = false;            ///< a synapse changes what is sent: only recorders of spikes can be connected by it
  bool common = false;            ///< parameters of a synapse are common to all of the model, but for those marked otherwise
  bool one_sided = false;         ///< weights of a synapse have the sign of Wmax
};

/// The description of a device or of a synapse model, with its face.
template <class Info>
Info with_face(Info info, const Face& face) {
  info.face = face;
  return info;
}

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
