// SPDX-License-Identifier: Apache-2.0
#include "connect/rule_params.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "connect/rule.hpp"

namespace npl::connect {
namespace {

/// A number as short as it can be.
std::string text_of(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::size_t index_of(ParamType type) {
  switch (type) {
    case ParamType::count: return 0;
    case ParamType::flag: return 2;
    case ParamType::positions: return 3;
    case ParamType::edges: return 4;
    default: return 1;
  }
}

/// Throws BadParameter for a number that is out of bounds.
void check_number(const RuleParam& p, double value) {
  const bool chance = p.type == ParamType::probability;
  if (std::isfinite(value) && value >= p.low && value <= (chance ? 1.0 : p.high)) return;
  throw BadParameter(p.name, value, allowed_text(p));
}

void check(const RuleParam& p, const RuleValue& value) {
  if (value.index() != index_of(p.type)) throw BadParameter(p.name, "a value of another type", allowed_text(p));
  if (const auto* number = std::get_if<double>(&value)) check_number(p, *number);
  if (const auto* count = std::get_if<std::int64_t>(&value); count && *count < 0)
    throw BadParameter(p.name, std::to_string(*count), allowed_text(p));
}

}  // namespace

std::string allowed_text(const RuleParam& p) {
  switch (p.type) {
    case ParamType::count: return "a whole number, 0 or more";
    case ParamType::probability: return "a probability, from 0 to 1";
    case ParamType::flag: return "true or false";
    case ParamType::positions: return "whole numbers: positions";
    case ParamType::edges: return "a list of edges";
    default: return "a number from " + text_of(p.low) + " to " + text_of(p.high);
  }
}

const char* name_of(ParamType type) {
  static constexpr const char* names[] = {"count", "probability", "number", "flag", "positions", "edges"};
  return names[static_cast<std::size_t>(type)];
}

const RuleValue* RuleParams::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

const RuleValue& RuleParams::at(std::string_view name) const {
  if (const RuleValue* value = find(name)) return *value;
  throw std::out_of_range("parameter of a connection rule that it does not declare: " + std::string(name));
}

const RuleParam& find_parameter(const std::string& rule, const std::vector<RuleParam>& declared, const std::string& name) {
  for (const RuleParam& p : declared)
    if (p.name == name) return p;
  std::vector<std::string> known;
  for (const RuleParam& p : declared) known.emplace_back(p.name);
  throw UnknownName("parameter of " + rule, name, known);
}

RuleParams completed(const std::string& rule, const std::vector<RuleParam>& declared, RuleParams given) {
  for (const auto& [name, value] : given.values()) find_parameter(rule, declared, name);
  for (const RuleParam& p : declared) {
    const RuleValue* value = given.find(p.name);
    if (!value && !p.init) throw BadParameter(p.name, "nothing", "given: " + allowed_text(p));
    if (!value) given.set(p.name, *p.init);
    if (value) check(p, *value);
  }
  return given;
}

}  // namespace npl::connect
