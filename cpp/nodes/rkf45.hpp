// SPDX-License-Identifier: Apache-2.0
/// Embedded Runge-Kutta-Fehlberg 4(5) (Fehlberg 1969) with a step size per neuron, vectorised over neurons.
///
/// All neurons of a batch try one substep; those that have not reached the end of the time step are gathered and try again, and so on:
/// neurons share instructions, never a step size, so the result of one does not depend on its neighbours (law 1).
/// A model gives
///   `n_ode`: the first n_ode fields of State are integrated, `Vars` = std::array<double, n_ode>;
///   State::h (hidden field `_h`, 0 at first): the substep it tries next [ms]; Derived::dt: the time step [ms];
///   `rhs(const Vars&, const State&, const Derived&, current) -> Vars`, branch-free;
///   `tolerance(const Derived&)`: absolute error allowed per substep (2-norm over the variables);
///   `begin(State&)` or `begin(State&, const Derived&)`, optional: before the first substep of a time step;
///   `accepted(State&, const Derived&) -> spikes`, optional: after each accepted substep (threshold, reset, clamps), branch-free;
///   `finish(State&, const Derived&, const Input&) -> spikes`: at the end of the time step; adds the spikes that arrive then.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/math.hpp"
#include "nodes/step_size.hpp"
#include "nodes/substeps.hpp"
#include "nodes/update.hpp"
#include "nodes/whole_step.hpp"

namespace npl::nodes {

namespace rkf45 {

/// y + h * (the sum of the terms).
struct TermsFirst {
  template <std::size_t N, class... Terms>
  NPL_INLINE static Vars<N> move(const Vars<N>& y, double h, const Terms&... terms) {
    return each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return y[i] + h * (... + (terms.a * terms.k[i])); });
  }
};

template <std::size_t N>
NPL_INLINE double squared_norm(double scale, const Vars<N>& x) {
  const auto square = [&](std::size_t i) NPL_INLINE_LAMBDA {
    const double scaled = scale * x[i];
    return scaled * scaled;
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA { return (... + square(I)); }(std::make_index_sequence<N>{});
}

/// The first N fields of a state, and a state with other first fields.
template <std::size_t N, class State>
NPL_INLINE Vars<N> vars_of(const State& s) {
  return each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return field(s, i); });
}
template <std::size_t N, class State>
NPL_INLINE State with_vars(State s, const Vars<N>& y) {
  [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA { ((field(s, I) = y[I]), ...); }(std::make_index_sequence<N>{});
  return s;
}

/// The error is squared, in units of the tolerance (NaN if something overflowed).
template <class M>
NPL_INLINE Trial<M::n_ode> try_substep(const typename M::State& s, const typename M::Derived& d, double current, double h) {
  using Vars = rkf45::Vars<M::n_ode>;
  const auto slope = [&](const Vars& y, int) NPL_INLINE_LAMBDA { return M::rhs(y, s, d, current); };
  const auto measure = [&](const Vars& error) NPL_INLINE_LAMBDA { return squared_norm(h / M::tolerance(d), error); };
  return substep<TermsFirst>(vars_of<M::n_ode>(s), h, slope, measure);
}

template <class State>
NPL_INLINE State select(bool first, const State& a, const State& b) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
    return State{math::choose(first, field(a, K), field(b, K))...};
  }(std::make_index_sequence<n_fields<State>>{});
}

template <std::size_t N>
NPL_INLINE bool is_finite(const Vars<N>& y) {
  const double sum = [&]<std::size_t... I>(std::index_sequence<I...>)
                         NPL_INLINE_LAMBDA { return (... + y[I]); }(std::make_index_sequence<N>{});
  return math::detail::abs(sum) < math::detail::inf;
}

/// Whether substeps themselves emit spikes; whether they change more of a state than what is integrated and the next substep.
template <class M>
inline constexpr bool fires = requires(typename M::State& s, const typename M::Derived& d) { M::accepted(s, d); };
template <class M>
inline constexpr bool changes_more = fires<M> || requires(typename M::State& s) { M::begin(s); } ||
                                     requires(typename M::State& s, const typename M::Derived& d) { M::begin(s, d); };

/// Stores what a substep may have changed.
template <class M>
NPL_INLINE void store_substep(double* const* columns, std::size_t i, const typename M::State& s) {
  [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
    const auto store = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) NPL_INLINE_LAMBDA {
      if constexpr (changes_more<M> || k < M::n_ode || k == offsetof(typename M::State, h) / sizeof(double)) columns[k][i] = field(s, k);
    };
    (store(std::integral_constant<std::size_t, K>{}), ...);
  }(std::make_index_sequence<n_fields<typename M::State>>{});
}

/// Tries one substep from time t within the time step; returns the new time and adds the spikes.
template <class M>
NPL_INLINE double attempt(typename M::State& s, const typename M::Derived& d, double current, double t, double& spikes) {
  if constexpr (requires { M::begin(s); }) {
    auto begun = s;
    M::begin(begun);
    s = select(t == 0.0, begun, s);
  }
  if constexpr (requires { M::begin(s, d); }) {
    auto begun = s;
    M::begin(begun, d);
    s = select(t == 0.0, begun, s);
  }
  const double rest = d.dt - t, wish = math::choose(s.h > 0.0, s.h, d.dt);
  const bool last = wish >= rest;
  const double h = math::choose(last, rest, math::choose(wish > 0.5 * rest, 0.5 * rest, wish));  // two halves rather than a sliver
  const auto trial = try_substep<M>(s, d, current, h);
  const bool stuck = h <= 1e-14 * d.dt;  // smaller steps would not move t
  const bool good = (trial.error <= 1.0) | stuck;
  const double proposed = h * between(0.9 * rough_root(trial.error), 0.2, 5.0);
  auto next = with_vars<M::n_ode>(s, trial.y);
  double fired = 0.0;
  if constexpr (requires { M::accepted(next, d); }) fired = M::accepted(next, d);
  const bool alive = is_finite(vars_of<M::n_ode>(s));
  s = select(good, next, s);
  double wanted = math::choose(good & (proposed < wish) & (h < wish), wish, proposed);  // a shortened substep says little
  wanted = math::choose(good & (fired > 0.0), d.dt, wanted);  // the steps before a reset say nothing about those after
  s.h = between(wanted, 1e-14 * d.dt, d.dt);
  spikes += math::choose(good, fired, 0.0);
  const bool done = (alive == false) | (good & last);
  return math::choose(done, d.dt, t + math::choose(good, h, 0.0));
}

/// The vector loop: t[k] and spikes[k] of neuron k are updated; *pending = a neuron has not reached the end.
/// Only whole vectors: the rest is gathered (Gathered), so that no second and third copy of the loop is compiled for it.
/// @tparam Uniform parameters are equal; of these neurons it makes the first substep only, in which all t are 0
template <class M, bool Uniform>
struct AttemptLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;

  /// @param begin, size of a block; its last neurons are repeated up to whole vectors where `size` is none
  NPL_INLINE static void run(const Lanes<M>* view, std::size_t begin, std::size_t size, double* t, double* spikes, bool* pending) {
    const Lanes<M> lanes = *view;
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    const std::size_t values = lanes.derived_at(begin), n = padded(size);
    std::uint64_t left = 0;
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      State s = load_fields<State>(lanes.state.data(), i);
      Derived d = shared;
      if constexpr (!Uniform) d = load_fields<Derived>(lanes.derived.data(), values + k);
      double count = fires<M> ? spikes[i] : 0.0;
      const double now = attempt<M>(s, d, lanes.current[i], Uniform ? 0.0 : t[i], count);
      store_substep<M>(lanes.state.data(), i, s);
      t[i] = now;
      if constexpr (fires<M>) spikes[i] = count;
      left |= math::detail::bits(d.dt - now);
    }
    *pending |= left != 0;
  }
};

/// The vector loop at the end of the time step, block by block as the input is read.
template <class M, bool Uniform>
struct FinishLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;

  NPL_INLINE static bool block(const Lanes<M>& lanes, const Derived& shared, const InputRows<M::receptors>& rows, std::size_t begin,
                               std::size_t n, double* spikes) {
    std::uint64_t fired = 0;
    const std::size_t values = lanes.derived_at(begin);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      State s = load_fields<State>(lanes.state.data(), i);
      Derived d = shared;
      if constexpr (!Uniform) d = load_fields<Derived>(lanes.derived.data(), values + k);
      Input<M::receptors> in = input_of(lanes, i, lanes.current[i]);
      for (int r = 0; r < M::receptors; ++r) in.spikes[r] = rows.get(r, k);
      const double count = spikes[i] + M::finish(s, d, in);
      store_fields(lanes.state.data(), i, s);
      spikes[i] = count;
      fired |= math::detail::bits(count);
    }
    return fired != 0;
  }

  NPL_INLINE static void run(const Lanes<M>* view, double* spikes, bool* any) {
    const Lanes<M> lanes = *view;
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    InputRows<M::receptors> rows(lanes.n);
    for (std::size_t begin = 0; begin < lanes.n; begin += block_size<M>) {
      const std::size_t n = std::min(block_size<M>, lanes.n - begin);
      for (int r = 0; r < M::receptors; ++r) rows.take(r, lanes.sums[r] + begin, lanes.scale[r], n);
      if (block(lanes, shared, rows, begin, n, spikes)) *any = true;
      flush_states(lanes, begin, n);
    }
  }
};

/// Room for gathered neurons (substeps.hpp) of a model.
template <class M>
class Room {
 public:
  /// For neurons of `lanes`. Derived values that are equal for all become columns, too: one loop is compiled for both.
  explicit Room(const Lanes<M>& lanes) {
    for (std::size_t k = 0; k < lanes_.state.size(); ++k) lanes_.state[k] = state_columns_[k] = state_[k];
    for (std::size_t k = 0; k < lanes_.derived.size(); ++k) {
      lanes_.derived[k] = derived_columns_[k] = derived_[k];
      if (has_uniform_loop<M> && lanes.shared) std::fill_n(derived_[k], std::min(padded(lanes.n), size), field(*lanes.shared, k));
      if (!has_uniform_loop<M> && lanes.shared) lanes_.derived[k] = lanes.derived[k];
    }
    lanes_.current = current_;
    gathered = {state_columns_, derived_columns_, current_, t_, spikes_, lanes.shared != nullptr, attempt, this};
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  Gathered gathered;

 private:
  static constexpr std::size_t size = Gathered::size;
  static void attempt(void* self, std::size_t n) {
    Room& own = *static_cast<Room*>(self);
    bool pending = false;
    Dispatch<AttemptLoop<M, false>>::run(&std::as_const(own.lanes_), std::size_t{0}, n, own.t_, own.spikes_, &pending);
  }

  Lanes<M> lanes_{};
  std::array<double*, n_fields<typename M::State>> state_columns_;
  std::array<double*, n_fields<typename M::Derived>> derived_columns_;
  alignas(64) double state_[n_fields<typename M::State>][size], derived_[n_fields<typename M::Derived>][size];
  alignas(64) double current_[size], t_[size], spikes_[size];
};

template <class M>
Columns columns_of(const Lanes<M>& lanes, double* t, double* spikes) {
  return {lanes.state, lanes.derived, reinterpret_cast<const double*>(lanes.shared), lanes.current, t, spikes, lanes.n};
}

/// The first substep of the whole vectors of a batch. Returns their number of neurons.
template <class M>
std::size_t attempt_vectors(const Lanes<M>& lanes, double* t, double* spikes, bool* pending) {
  const std::size_t whole = lanes.n & ~(padded(1) - 1);
  for (std::size_t begin = 0; begin < whole; begin += block_size<M>)
    run_loop<AttemptLoop>(lanes, begin, std::min(block_size<M>, whole - begin), t, spikes, pending);
  return whole;
}

/// All substeps of the neurons of a batch.
template <class M>
void advance(const Lanes<M>& lanes, double* t, double* spikes) {
  bool pending = false;
  std::size_t tried = lanes.n;
  if constexpr (Exact<M>)
    lanes.shared ? Dispatch<whole::Loop<M, true>>::run(&lanes, t, &pending) : Dispatch<whole::Loop<M, false>>::run(&lanes, t, &pending);
  else
    tried = attempt_vectors(lanes, t, spikes, &pending);
  if (!pending && tried == lanes.n) return;
  const Columns columns = columns_of(lanes, t, spikes);
  Room<M> room(lanes);
  if (tried != lanes.n) pending |= attempt_rest(columns, room.gathered, tried);
  if (pending) complete(columns, room.gathered);
}

}  // namespace rkf45

/// One step of a group of model M.
template <class M>
void update_rkf45(const GroupView& g) {
  using rkf45::batch;
  static_assert(batch <= std::size(no_current));
  alignas(64) double t[batch], spikes[batch];
  for (std::size_t begin = 0; begin < g.n; begin += batch) {
    static_assert(offsetof(typename M::Derived, dt) == 0);
    Lanes<M> lanes = lanes_of<M>(g, begin, std::min(batch, g.n - begin));
    if (!lanes.current) lanes.current = no_current;
    std::fill_n(t, lanes.n, 0.0);
    std::fill_n(spikes, lanes.n, 0.0);
    bool any = false;
    rkf45::advance(std::as_const(lanes), t, spikes);
    run_loop<rkf45::FinishLoop>(std::as_const(lanes), spikes, &any);
    if (any) emit(lanes, spikes, *g.spikes);
  }
}

}  // namespace npl::nodes

/// Registers a model that is integrated by Runge-Kutta-Fehlberg; see NPL_NEURON.
#define NPL_NEURON_RKF45(id, Type) NPL_NEURON_WITH(id, Type, update_rkf45<StepsOf<Type>>)
