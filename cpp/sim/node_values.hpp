// SPDX-License-Identifier: Apache-2.0
/// Internal to Populations: checks of named node values against the fields of models and devices (law 6).
#pragma once
#include <algorithm>

#include "sim/populations.hpp"

namespace npl::sim {

/// Names that users may set or get: parameters, and state variables without a leading underscore.
inline std::vector<std::string> visible_names(const nodes::ModelInfo& m) {
  std::vector<std::string> names;
  for (const auto& f : m.parameters) names.push_back(f.name);
  for (const auto& f : m.state)
    if (f.name[0] != '_') names.push_back(f.name);
  return names;
}

/// The parameter or state variable of this name. Throws UnknownName.
inline const Field& field_of(const nodes::ModelInfo& m, const std::string& name) {
  if (const int k = find_field(m.parameters, name); k >= 0) return m.parameters[static_cast<std::size_t>(k)];
  if (const int k = find_field(m.state, name); k >= 0) return m.state[static_cast<std::size_t>(k)];
  throw UnknownName("parameter of " + m.name, name, visible_names(m));
}

/// Throws BadLength unless every value has length 1 or n.
inline void check_lengths(const Values& values, std::size_t n) {
  for (const auto& [name, v] : values)
    if (v.size() != 1 && v.size() != n) throw BadLength(name, v.size(), n);
}

inline double value_at(const std::vector<double>& v, std::size_t i) { return v[v.size() == 1 ? 0 : i]; }

/// Writes entry i of every named value to a device's setting. Throws UnknownName, BadParameter.
inline void take_values(const devices::DeviceInfo& info, const Values& values, std::size_t i, devices::Setting& s) {
  for (const auto& [name, v] : values) {
    const int k = find_field(info.parameters, name);
    if (k < 0) throw UnknownName("parameter of " + info.name, name, field_names(info.parameters));
    check_value(info.parameters[static_cast<std::size_t>(k)], value_at(v, i));
    s.values[static_cast<std::size_t>(k)] = value_at(v, i);
  }
}

/// Writes array parameters to a device's setting. Throws UnknownName.
inline void take_arrays(const devices::DeviceInfo& info, const Values& arrays, devices::Setting& s) {
  std::vector<std::string> known;
  for (const auto& f : info.vectors) known.push_back(f.name);
  for (const auto& [name, v] : arrays) {
    const auto k = std::find(known.begin(), known.end(), name);
    if (k == known.end()) throw UnknownName("array parameter of " + info.name, name, known);
    s.vectors[static_cast<std::size_t>(k - known.begin())] = v;
  }
}

/// Checks names, lengths and bounds of the values of n neurons. Throws UnknownName, BadLength, BadParameter.
inline void check_fields(const nodes::ModelInfo& m, std::size_t n, const Values& values) {
  check_lengths(values, n);
  for (const auto& [name, v] : values) {
    const Field& f = field_of(m, name);
    for (double x : v) check_value(f, x);
  }
}

inline bool is_parameter(const nodes::ModelInfo& m, const std::string& name) { return find_field(m.parameters, name) >= 0; }

}  // namespace npl::sim
