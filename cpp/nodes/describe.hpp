// SPDX-License-Identifier: Apache-2.0
/// The description of a model, for the registry, from its struct.
#pragma once
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nodes/facts.hpp"
#include "nodes/history.hpp"
#include "nodes/lanes.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes {

/// Parameters as a struct; a model without any has no array to point to.
template <class Params>
const Params& as_params(const double* parameters) {
  static const Params none{};
  return n_fields<Params> == 0 ? none : *reinterpret_cast<const Params*>(parameters);
}

template <class M>
[[gnu::cold]] void derive_fields(const double* parameters, double dt, double* derived) {
  const typename M::Derived d = M::derive(as_params<typename M::Params>(parameters), dt);
  if constexpr (n_fields<typename M::Derived> > 0) *reinterpret_cast<typename M::Derived*>(derived) = d;
}

template <class M>
[[gnu::cold]] Forbidden check_fields(const double* parameters) {
  return M::check(as_params<typename M::Params>(parameters));
}

template <class M>
[[gnu::cold]] void settle_fields(const double* parameters, double* state) {
  M::settle(as_params<typename M::Params>(parameters), *reinterpret_cast<typename M::State*>(state));
}

/// Sane ranges that model M names itself.
template <class M>
std::span<const SaneRange> own_ranges() {
  if constexpr (requires { M::sane; })
    return M::sane;
  else
    return {};
}

/// The description of model M, for the registry.
template <class M>
ModelFacts describe(void (*update)(const GroupView&), bool in_pieces = false) {
  static_assert(M::parameters.size() == n_fields<typename M::Params>, "one Field per member of Params, in order");
  static_assert(M::state.size() == n_fields<typename M::State>, "one Field per member of State, in order");
  static_assert(M::receptors <= max_receptors);
  constexpr bool integrated = requires { M::n_ode; };
  ModelFacts facts{M::name,    M::doc,          M::receptors,     M::input, M::parameters, M::state, n_fields<typename M::Derived>,
                   integrated, own_ranges<M>(), derive_fields<M>, nullptr};
  if constexpr (requires(const typename M::Params& p) { M::check(p); }) facts.check = check_fields<M>;
  if constexpr (requires { &M::settle; }) facts.settle = settle_fields<M>;
  facts.update = update;
  facts.in_pieces = in_pieces;
  facts.repeats = repeats_values<M>;
  if constexpr (requires { M::precise; }) facts.precise = M::precise;
  if (!integrated && !requires { M::precise; }) facts.flush_interval = flush_interval;
  if constexpr (requires { M::receptor_names; }) facts.receptor_names = M::receptor_names;
  if constexpr (requires { M::current_ports; }) facts.current_ports = M::current_ports;
  if constexpr (requires { M::face; }) facts.face = M::face;
  if constexpr (Archiving<M>) facts.history = history_of<M>();
  if constexpr (requires { M::continuous(); }) {
    static const ContinuousInfo continuous = M::continuous();
    facts.continuous = &continuous;
  }
  return facts;
}

}  // namespace npl::nodes

#ifndef NPL_MODEL  // what compiles steps for a device has its own
/// Registers model struct `Type`, whose ModelInfo follows; `id` must be the file's name without .cpp (CMake lists the files).
#define NPL_MODEL(id, Type, ...)                        \
  namespace npl::nodes {                                \
  const ModelInfo& model_##id() {                       \
    static const ModelInfo info = info_of(__VA_ARGS__); \
    return info;                                        \
  }                                                     \
  }
#endif
