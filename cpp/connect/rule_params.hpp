// SPDX-License-Identifier: Apache-2.0
/// Parameters of connection rules. A rule declares its own in its file, with NPL_RULE. All else walks the declarations: bindings, the
/// comparison of ranks, checkpoints, what users are shown.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "connect/edge_list.hpp"

namespace npl::connect {

enum class ParamType {
  count,        ///< int64, 0 or more
  probability,  ///< double, 0 to 1
  number,       ///< double, finite
  flag,         ///< bool
  positions,    ///< list of int64: positions in the set of sources or of targets
  edges         ///< EdgeList; null: none
};
using RuleValue = std::variant<std::int64_t, double, bool, std::vector<std::int64_t>, std::shared_ptr<const EdgeList>>;

/// A parameter as a rule declares it.
struct RuleParam {
  const char* name;  ///< as users write it
  ParamType type;
  const char* doc;
  std::optional<RuleValue> init = {};  ///< default; none: the parameter must be given
  const char* unit = "";
  double low = 0.0, high = 0.0;  ///< number: the least and the largest
};

/// What is allowed, as error messages say it.
std::string allowed_text(const RuleParam& parameter);
/// Name of a type for users: "count", "probability", ...
const char* name_of(ParamType type);

/// Values by name: what a caller gave, or with defaults for the rest (completed()). Reading what is not there throws std::out_of_range.
class RuleParams {
 public:
  using Values = std::map<std::string, RuleValue, std::less<>>;

  RuleParams() = default;
  RuleParams(std::initializer_list<Values::value_type> values) : values_(values) {}

  void set(std::string name, RuleValue value) { values_.insert_or_assign(std::move(name), std::move(value)); }
  /// A value or null.
  const RuleValue* find(std::string_view name) const;
  const Values& values() const { return values_; }

  std::int64_t count(std::string_view name) const { return std::get<std::int64_t>(at(name)); }
  double number(std::string_view name) const { return std::get<double>(at(name)); }
  bool flag(std::string_view name) const { return std::get<bool>(at(name)); }
  bool flag(std::string_view name, bool otherwise) const { return find(name) ? flag(name) : otherwise; }
  const std::vector<std::int64_t>& positions(std::string_view name) const { return std::get<std::vector<std::int64_t>>(at(name)); }
  const std::shared_ptr<const EdgeList>& edges(std::string_view name) const { return std::get<std::shared_ptr<const EdgeList>>(at(name)); }

 private:
  const RuleValue& at(std::string_view name) const;
  Values values_;
};

/// The declaration of this name. Throws UnknownName. @param rule for messages
const RuleParam& find_parameter(const std::string& rule, const std::vector<RuleParam>& declared, const std::string& name);
/// Values with the defaults of what is not given. Throws UnknownName, BadParameter. @param rule for messages
RuleParams completed(const std::string& rule, const std::vector<RuleParam>& declared, RuleParams given);

/// Declarations, for NPL_RULE.
namespace param {

inline RuleParam count(const char* name, const char* doc) { return {name, ParamType::count, doc}; }
inline RuleParam probability(const char* name, const char* doc) { return {name, ParamType::probability, doc}; }
inline RuleParam flag(const char* name, bool init, const char* doc) { return {name, ParamType::flag, doc, init}; }
inline RuleParam number(const char* name, const char* unit, double init, double low, double high, const char* doc) {
  return {name, ParamType::number, doc, init, unit, low, high};
}
inline RuleParam positions(const char* name, const char* doc) { return {name, ParamType::positions, doc, std::vector<std::int64_t>()}; }
inline RuleParam edges(const char* name, const char* doc) { return {name, ParamType::edges, doc, std::shared_ptr<const EdgeList>()}; }
inline RuleParam autapses() { return flag("allow_autapses", true, "a node may connect to itself"); }
inline RuleParam multapses() { return flag("allow_multapses", true, "a pair may be connected more than once"); }

/// Shape of two-dimensional arrays of weights and delays: n_pre, n_post or names of parameters.
inline std::vector<const char*> rows(const char* of, const char* each) { return {of, each}; }
/// The rule takes one-dimensional arrays only, or none.
inline std::vector<const char*> no_rows() { return {}; }

}  // namespace param
}  // namespace npl::connect
