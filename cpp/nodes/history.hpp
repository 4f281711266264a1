// SPDX-License-Identifier: Apache-2.0
/// Models that record what their synapses read later, beside spikes. Such a model has
///   `what_history`: a name that synapse models ask for;
///   `waits`: names of state variables that are seen with a delay; `wait_steps(const Derived&)`: that delay [steps];
///   `record(const State&, const Derived&, const std::array<double, waits.size()>& waited) -> Recorded`, of the state after a step;
///   `constants(const Derived&) -> std::array<double, n_constants>`, optional: what synapses need to know of its parameters.
/// Or, to learn by e-prop, `what_history`, `learner(const Derived&) -> Learner` and
///   `learned_from(const State&, const Derived&) -> std::array<double, n_learner_rows>`, of the state after a step;
///   `digest`, of those that learn in intervals: HistoryInfo::digest.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "base/learner.hpp"
#include "nodes/lanes.hpp"
#include "nodes/model.hpp"

namespace npl::nodes {

/// Index of a state variable of model M.
template <class M>
constexpr std::size_t state_index(std::string_view name) {
  std::size_t k = 0;
  while (k < M::state.size() && M::state[k].name != name) ++k;
  return k;
}

template <class M>
concept Archiving = requires { M::what_history; };

template <class M, class F>
void for_each_neuron(const GroupView& g, F&& f) {
  using Derived = typename M::Derived;
  for (std::size_t i = 0; i < g.n; ++i)
    f(i, g.derived ? *reinterpret_cast<const Derived*>(g.derived) : load_fields<Derived>(g.derived_columns, i));
}

template <class M>
void wait_steps(const GroupView& g, double* steps) {
  for_each_neuron<M>(g, [&](std::size_t i, const typename M::Derived& d) { steps[i] = M::wait_steps(d); });
}

template <class M>
void record_history(const GroupView& g, const double* const* waited, double* contributions, double* levels) {
  for_each_neuron<M>(g, [&](std::size_t i, const typename M::Derived& d) {
    std::array<double, M::waits.size()> past;
    for (std::size_t q = 0; q < past.size(); ++q) past[q] = waited[q][i];
    const Recorded r = M::record(load_fields<typename M::State>(g.state, i), d, past);
    contributions[i] = r.contribution, levels[i] = r.level;
  });
}

/// Models whose synapses learn by e-prop.
template <class M>
concept Learning = Archiving<M> && requires(const typename M::Derived& d) { M::learner(d); };

template <class M>
void record_learning(const GroupView& g, const double* const*, double*, double* levels) {
  for_each_neuron<M>(g, [&](std::size_t i, const typename M::Derived& d) {
    const std::array<double, n_learner_rows> row = M::learned_from(load_fields<typename M::State>(g.state, i), d);
    for (std::size_t k = 0; k < row.size(); ++k) levels[k * g.n + i] = row[k];
  });
}

template <class M>
void learners(const GroupView& g, double* out) {
  for_each_neuron<M>(g, [&](std::size_t i, const typename M::Derived& d) { reinterpret_cast<Learner*>(out)[i] = M::learner(d); });
}

inline void no_wait(const GroupView& g, double* steps) { std::fill_n(steps, g.n, 0.0); }

template <Learning M>
const HistoryInfo* history_of() {
  double digest = 0.0;
  if constexpr (requires { M::digest; }) digest = M::digest;
  static const HistoryInfo info{M::what_history,
                                {},
                                no_wait,
                                record_learning<M>,
                                n_learner_rows,
                                false,
                                (digest > 0.0 ? 2 : 1) * learning_stride + learning_margin,
                                n_learner,
                                learners<M>,
                                digest,
                                M::early_signal ? int{signal} : -1};
  return &info;
}

template <class M>
void constants_of(const GroupView& g, double* constants) {
  for_each_neuron<M>(g, [&](std::size_t i, const typename M::Derived& d) {
    const auto own = M::constants(d);
    std::copy(own.begin(), own.end(), constants + i * own.size());
  });
}

/// Indices of the state variables that model M names in `waits`.
template <class M>
Few<std::size_t, 4> waits_of() {
  return [&]<std::size_t... Q>(std::index_sequence<Q...>) {
    return Few<std::size_t, 4>{state_index<M>(M::waits[Q])...};
  }(std::make_index_sequence<M::waits.size()>{});
}

template <class M>
const HistoryInfo* history_of() {
  static const HistoryInfo info = [] {
    HistoryInfo made{M::what_history, waits_of<M>(), wait_steps<M>, record_history<M>};
    if constexpr (requires { M::n_constants; }) made.n_constants = M::n_constants, made.constants = constants_of<M>;
    return made;
  }();
  return &info;
}

}  // namespace npl::nodes
