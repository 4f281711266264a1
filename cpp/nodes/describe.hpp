// SPDX-License-Identifier: Apache-2.0
/// The description of a model, for the registry, from its struct.
#pragma once
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nodes/history.hpp"
#include "nodes/lanes.hpp"
#include "nodes/model.hpp"
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

/// Throws BadParameter where there is something.
void refuse(const Forbidden&);

template <class M>
[[gnu::cold]] void check_fields(const double* parameters) {
  if constexpr (requires(const typename M::Params& p) { M::check(p); }) refuse(M::check(as_params<typename M::Params>(parameters)));
}

template <class M>
[[gnu::cold]] void settle_fields(const double* parameters, double* state) {
  M::settle(as_params<typename M::Params>(parameters), *reinterpret_cast<typename M::State*>(state));
}

/// What all models say of themselves. Not a template: it is compiled once, not once per model.
struct Facts {
  const char *name, *doc;
  int receptors;
  SpikeInput input;
  std::span<const Field> parameters, state;
  std::size_t n_derived;
  bool integrated;  ///< by steps of an ODE solver: potentials have a sane range
  std::span<const SaneRange> sane;
};
ModelInfo info_of(const Facts&);

/// Sane ranges that model M names itself.
template <class M>
std::span<const SaneRange> own_ranges() {
  if constexpr (requires { M::sane; })
    return M::sane;
  else
    return {};
}

/// Index of a state variable of model M.
template <class M>
constexpr std::size_t state_index(std::string_view name) {
  std::size_t k = 0;
  while (k < M::state.size() && M::state[k].name != name) ++k;
  return k;
}

/// The description of model M, for the registry.
template <class M>
ModelInfo describe(void (*update)(const GroupView&), bool in_pieces = false) {
  static_assert(M::parameters.size() == n_fields<typename M::Params>, "one Field per member of Params, in order");
  static_assert(M::state.size() == n_fields<typename M::State>, "one Field per member of State, in order");
  static_assert(M::receptors <= max_receptors);
  constexpr bool integrated = requires { M::n_ode; };
  ModelInfo info = info_of(
      {M::name, M::doc, M::receptors, M::input, M::parameters, M::state, n_fields<typename M::Derived>, integrated, own_ranges<M>()});
  info.derive = derive_fields<M>;
  info.check = check_fields<M>;
  if constexpr (requires { &M::settle; }) info.settle = settle_fields<M>;
  info.update = update;
  info.in_pieces = in_pieces;
  info.repeats = !has_uniform_loop<M>;
  info.flush_interval = flush_interval;
  if constexpr (requires { M::n_ode; } || requires { M::precise; }) info.flush_interval = 1;
  if constexpr (requires { M::precise; }) info.precise = M::precise;
  if constexpr (Archiving<M>) info.history = history_of<M>();
  if constexpr (requires { M::continuous(); }) {
    static const ContinuousInfo continuous = M::continuous();
    info.continuous = &continuous;
  }
  return info;
}

/// The description with another value of a member.
template <class T>
ModelInfo with(ModelInfo info, T ModelInfo::* member, std::type_identity_t<T> value) {
  info.*member = std::move(value);
  return info;
}

}  // namespace npl::nodes

#ifndef NPL_MODEL  // what compiles steps for a device has its own
/// Registers model struct `Type`, whose ModelInfo follows; `id` must be the file's name without .cpp (CMake lists the files).
#define NPL_MODEL(id, Type, ...)               \
  namespace npl::nodes {                       \
  const ModelInfo& model_##id() {              \
    static const ModelInfo info = __VA_ARGS__; \
    return info;                               \
  }                                            \
  }
#endif
