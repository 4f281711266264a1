// SPDX-License-Identifier: Apache-2.0
/// Edges that callers list: parameters of the rule `explicit` that the network reads as well, because each rank may list edges of its own.
#pragma once
#include "connect/rule_params.hpp"

namespace npl::connect {

/// True for a parameter that holds edges or parts of them.
inline bool is_list(const RuleParam& p) { return p.type == ParamType::positions || p.type == ParamType::edges; }

/// True when every rank lists the edges of its own targets, and no others.
inline bool lists_own_targets(const RuleParams& p) { return p.flag("own_targets", false); }

/// The list, or null.
inline const EdgeList* list_of(const RuleParams& p) { return p.find("list") ? p.edges("list").get() : nullptr; }

/// Positions of targets with edges: of a list once each, else once per edge.
inline const std::vector<std::int64_t>& listed_targets(const RuleParams& p) {
  static const std::vector<std::int64_t> none;
  if (const EdgeList* list = list_of(p)) return list->target;
  return p.find("targets") ? p.positions("targets") : none;
}

/// Number of edges listed on this rank.
inline std::size_t n_listed(const RuleParams& p) {
  const EdgeList* list = list_of(p);
  return list ? list->size() : listed_targets(p).size();
}

/// Parameters that list these edges as positions in the two sets.
inline RuleParams listing(std::vector<std::int64_t> sources, std::vector<std::int64_t> targets, bool own_targets = false) {
  RuleParams p;
  p.set("sources", std::move(sources)), p.set("targets", std::move(targets)), p.set("own_targets", own_targets);
  return p;
}

}  // namespace npl::connect
