// SPDX-License-Identifier: Apache-2.0
/// One substep of one neuron, of models as rkf45.hpp describes them.
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include "base/math.hpp"
#include "model/fields.hpp"
#include "nodes/step_size.hpp"

namespace npl::nodes::rkf45 {

/// y + h * (the sum of the terms).
struct TermsFirst {
  template <std::size_t N, class... Terms>
  NPL_INLINE static Vars<N> move(const Vars<N>& y, double h, const Terms&... terms) {
    return each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return y[i] + h * (... + (terms.a * terms.k[i])); });
  }
};

/// Squares of scale * x, and their sum.
template <std::size_t N>
NPL_INLINE Vars<N> squared(double scale, const Vars<N>& x) {
  return each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return scale * x[i] * (scale * x[i]); });
}
template <std::size_t N>
NPL_INLINE double squared_norm(double scale, const Vars<N>& x) {
  const Vars<N> squares = squared(scale, x);
  return [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA { return (... + squares[I]); }(std::make_index_sequence<N>{});
}

/// The first N fields of a state, and a state with other first fields.
template <std::size_t N, class State>
NPL_INLINE Vars<N> vars_of(const State& s) {
  return each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return model::field(s, i); });
}
template <std::size_t N, class State>
NPL_INLINE State with_vars(State s, const Vars<N>& y) {
  [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA { ((model::field(s, I) = y[I]), ...); }(std::make_index_sequence<N>{});
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
    return State{math::choose(first, model::field(a, K), model::field(b, K))...};
  }(std::make_index_sequence<model::n_fields<State>>{});
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

/// The state in the first substep of a time step, or as it is.
template <class M>
NPL_INLINE typename M::State begun(const typename M::State& s, const typename M::Derived& d, double t) {
  auto next = s;
  if constexpr (requires { M::begin(next); }) M::begin(next);
  if constexpr (requires { M::begin(next, d); }) M::begin(next, d);
  return select(t == 0.0, next, s);
}

struct Size {
  double h, wish;
  bool last;  ///< of the time step
};
/// @param wish State::h @param t within the time step
NPL_INLINE Size substep_size(double wish, double dt, double t) {
  const double rest = dt - t, most = math::choose(wish > 0.0, wish, dt);
  const bool last = most >= rest;
  return {math::choose(last, rest, math::choose(most > 0.5 * rest, 0.5 * rest, most)), most, last};  // two halves rather than a sliver
}

/// Decides on a substep to the state `next`, which s becomes where it is good. Returns the spikes; `good` is that in, out.
/// @param alive the state before is finite @param done the time step has ended
template <class M>
NPL_INLINE double judge(typename M::State& s, typename M::State& next, const typename M::Derived& d, const Size& size, double error,
                        bool alive, bool& good, bool& done) {
  const bool stuck = size.h <= 1e-14 * d.dt;  // smaller steps would not move t
  good = (error <= 1.0) | stuck;
  const double proposed = size.h * between(0.9 * rough_root(error), 0.2, 5.0);
  double fired = 0.0;
  if constexpr (requires { M::accepted(next, d); }) fired = M::accepted(next, d);
  s = select(good, next, s);
  // A shortened substep says little, and the steps before a reset say nothing about those after.
  double wanted = math::choose(good & (proposed < size.wish) & (size.h < size.wish), size.wish, proposed);
  wanted = math::choose(good & (fired > 0.0), d.dt, wanted);
  s.h = between(wanted, 1e-14 * d.dt, d.dt);
  done = (alive == false) | (good & size.last);
  return math::choose(good, fired, 0.0);
}

/// Tries one substep from time t within the time step; returns the new time and adds the spikes.
template <class M>
NPL_INLINE double attempt(typename M::State& s, const typename M::Derived& d, double current, double t, double& spikes) {
  s = begun<M>(s, d, t);
  const Size size = substep_size(s.h, d.dt, t);
  const auto trial = try_substep<M>(s, d, current, size.h);
  const bool alive = is_finite(vars_of<M::n_ode>(s));
  auto next = with_vars<M::n_ode>(s, trial.y);
  bool good, done;
  spikes += judge<M>(s, next, d, size, trial.error, alive, good, done);
  return math::choose(done, d.dt, t + math::choose(good, size.h, 0.0));
}

}  // namespace npl::nodes::rkf45
