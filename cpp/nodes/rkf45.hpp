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
///   `one_by_one = true`, optional: the loop over neurons would not be vectorised;
///   `finish(State&, const Derived&, const Input&) -> spikes`: at the end of the time step; adds the spikes that arrive then.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/math.hpp"
#include "nodes/port_substeps.hpp"
#include "nodes/rkf45_substep.hpp"
#include "nodes/substeps.hpp"
#include "nodes/update.hpp"
#include "nodes/whole_step.hpp"

namespace npl::nodes {

namespace rkf45 {

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

/// The vector loop: t[k] and spikes[k] of neuron k are updated; *pending = a neuron has not reached the end.
/// Only whole vectors: the rest is gathered (Gathered), so that no second and third copy of the loop is compiled for it.
/// @tparam Uniform parameters are equal; of these neurons it makes the first substep only, in which all t are 0
template <class M, bool Uniform>
struct AttemptLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;

  /// @param begin, size of a block; its last neurons are repeated up to whole vectors where `size` is none
  NPL_INLINE static void run(const Lanes<M>* view, std::size_t begin, std::size_t size, double* t, double* spikes, bool* pending) {
    const OwnLanes<M> lanes(*view);
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
  using Rows = InputRows<Ported<M> ? 1 : M::receptors>;  // ports: see ArriveLoop

  NPL_INLINE static bool block(const Lanes<M>& lanes, const Derived& shared, const Rows& rows, std::size_t begin, std::size_t n,
                               double* spikes) {
    std::uint64_t fired = 0;
    const std::size_t values = lanes.derived_at(begin);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      State s = load_fields<State>(lanes.state.data(), i);
      Derived d = shared;
      if constexpr (!Uniform) d = load_fields<Derived>(lanes.derived.data(), values + k);
      Input<M::receptors> in = input_of(lanes, i, lanes.current[i]);
      for (std::size_t r = 0; r < lanes.sums.size(); ++r) in.spikes[r] = rows.get(static_cast<int>(r), k);
      const double count = spikes[i] + M::finish(s, d, in);
      store_fields(lanes.state.data(), i, s);
      spikes[i] = count;
      fired |= math::detail::bits(count);
    }
    return fired != 0;
  }

  NPL_INLINE static void run(const Lanes<M>* view, double* spikes, bool* any) {
    const OwnLanes<M> lanes(*view);
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    Rows rows(lanes.n);
    for (std::size_t begin = 0; begin < lanes.n; begin += block_size<M>) {
      const std::size_t n = std::min(block_size<M>, lanes.n - begin);
      for (std::size_t r = 0; r < lanes.sums.size(); ++r) rows.take(static_cast<int>(r), lanes.sums[r] + begin, lanes.scale[r], n);
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

/// Substeps until every neuron of the batch has reached the end of the time step. @param tried number of neurons that had one
template <class M>
void complete_batch(const Lanes<M>& lanes, double* t, double* spikes, bool pending, std::size_t tried) {
  const Columns columns = columns_of(lanes, t, spikes);
  Room<M> room(lanes);
  if (tried != lanes.n) pending |= attempt_rest(columns, room.gathered, tried);
  if (pending) complete(columns, room.gathered);
}

/// How many neurons are advanced one by one, where they are: of one most of a vector would be empty; of a model that says `one_by_one`
/// all, since its slopes are not inlined, so that no loop over neurons is vectorised.
template <class M>
inline constexpr std::size_t few = requires { M::one_by_one; } ? batch : 1;
/// Substeps of few neurons until they have reached the end of the time step. @param tried number of substeps before
template <class M>
struct FewLoop {
  NPL_INLINE static void run(const Lanes<M>* view, double* t, double* spikes, int tried) {
    const Lanes<M>& lanes = *view;
    for (std::size_t i = 0; i < lanes.n; ++i) {
      auto s = load_fields<typename M::State>(lanes.state.data(), i);
      const auto d = lanes.shared ? *lanes.shared : load_fields<typename M::Derived>(lanes.derived.data(), lanes.derived_at(i));
      for (int attempts = tried; t[i] < d.dt && attempts < max_attempts; ++attempts)
        t[i] = attempt<M>(s, d, lanes.current[i], t[i], spikes[i]);
      if (t[i] < d.dt) field(s, 0) = math::detail::nan;
      store_fields(lanes.state.data(), i, s);
    }
  }
};
template <class M>
void complete_few(const Lanes<M>& lanes, double* t, double* spikes, int tried) {
  Dispatch<FewLoop<M>>::run(&lanes, t, spikes, tried);
}

/// All substeps of the neurons of a batch.
template <class M>
void advance(const Lanes<M>& lanes, double* t, double* spikes) {
  bool pending = false;
  if constexpr (Exact<M>) {
    run_exact<whole::Loop>(lanes, t, &pending);
    if (!pending) return;
    if constexpr (Ported<M>)
      PortColumns<M>(lanes).complete(t, spikes);
    else
      lanes.n <= few<M> ? complete_few(lanes, t, spikes, 1) : complete_batch(lanes, t, spikes, true, lanes.n);
  } else {
    if (lanes.n <= few<M>) return complete_few(lanes, t, spikes, 0);
    const std::size_t tried = attempt_vectors(lanes, t, spikes, &pending);
    if (pending || tried != lanes.n) complete_batch(lanes, t, spikes, pending, tried);
  }
}

}  // namespace rkf45

/// One step of a group of model M, or, of few neurons, several.
template <class M>
void update_rkf45(const GroupView& g) {
  using rkf45::batch;
  static_assert(batch <= std::size(no_current));
  alignas(64) double t[batch], spikes[batch];
  const std::size_t end = g.begin + g.n;
  for (std::size_t begin = g.begin; begin < end; begin += batch) {
    static_assert(offsetof(typename M::Derived, dt) == 0);
    Lanes<M> lanes = lanes_of<M>(g, begin, std::min(batch, end - begin));
    for (std::size_t left = g.steps; left > 0; --left, lanes.skip(1)) {
      if (!g.current) lanes.current = no_current;
      clear_row(t, lanes.n);
      clear_row(spikes, lanes.n);
      bool any = false;
      rkf45::advance(std::as_const(lanes), t, spikes);
      run_loop<rkf45::FinishLoop>(std::as_const(lanes), spikes, &any);
      if constexpr (Ported<M>) run_exact<rkf45::ArriveLoop>(std::as_const(lanes));
      if (any) emit(lanes, spikes, g);
      if (g.sampler) g.sampler->take(lanes.step + 1);
    }
  }
}

}  // namespace npl::nodes

/// Registers a model that is integrated by Runge-Kutta-Fehlberg; see NPL_NEURON.
#define NPL_NEURON_RKF45(id, Type) NPL_MODEL(id, Type, describe<Type>(update_rkf45<StepsOf<Type>>, true))
