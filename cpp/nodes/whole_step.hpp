// SPDX-License-Identifier: Apache-2.0
/// The first try of a time step of models whose synapses are linear: conductances and currents are followed exactly to the stages of the
/// Runge-Kutta method, with factors that are computed once since the step is always the same; only the other variables are integrated. A
/// neuron for which the step is too long, or was in the last step, is left to the substeps of rkf45.hpp, in which all variables are
/// integrated. Channels in which nothing flows are skipped: they would add zeros.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/math.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "nodes/step_size.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// Share of a step that substeps had last, from which the whole step is tried: their size is also limited by the synapses.
inline constexpr double worth_trying = 1.0 / 8;
/// Share of a step with which substeps begin where a spike is near: it comes at the end of one, so they should be short there.
inline constexpr double near_spike = 1.0 / 32;

/// Models that say `Exactly`, a struct with
///   `channels`, `rises`, `conductances` of the synapses; `first`, `n`: their variables within State, whose last field is h;
///   `flow`, `reversal`: places of these in Derived;
///   `n_own` other variables, `own(State)`, `set_own(State&, own)`, and their `slopes(own, a, b, State, Derived, current, Start&)` where
///   the synapses give a current a - b V; `Start`: what the stages share, from `start(State, Derived)`; `near(Start)`: is it still right?
template <class M>
concept Exact = requires { typename M::Exactly; };

namespace whole {

/// Current of all channels at the beginning and at the stages: a - b V.
struct Acting {
  alignas(64) double a[n_stages + 1][chunk], b[n_stages + 1][chunk];
  NPL_INLINE void clear(std::size_t n, bool conductances) {
    for (auto& row : a) clear_row(row, n);
    if (!conductances) return;
    for (auto& row : b) clear_row(row, n);
  }
};

/// N derived values: copied when equal for the group, since the compiler cannot know that stores leave them alone.
template <bool Uniform, std::size_t N>
class Factors {
 public:
  /// @param shared equal values @param columns otherwise
  NPL_INLINE Factors(const double* shared, const double* const* columns, std::size_t begin) {
    for (std::size_t k = 0; k < N; ++k) {
      if constexpr (Uniform)
        of_[k] = shared[k];
      else
        of_[k] = columns[k] + begin;
    }
  }
  NPL_INLINE double get(std::size_t k, std::size_t i) const {
    if constexpr (Uniform)
      return of_[k];
    else
      return of_[k][i];
  }

 private:
  std::conditional_t<Uniform, double, const double*> of_[N];
};

NPL_INLINE bool all_zero(const double* x, std::size_t n) {
  std::uint64_t any = 0;
  NPL_UNROLL(8)
  for (std::size_t i = 0; i < n; ++i) any |= math::detail::bits(x[i]) << 1;
  return any == 0;
}

/// Where the values of channel c are: of a model's own, or of port c.
template <class M, bool Uniform>
struct Places {
  using E = typename M::Exactly;
  template <std::size_t N>
  using Values = Factors<Uniform, N>;

  NPL_INLINE static std::size_t number(const Lanes<M>& lanes) {
    if constexpr (Ported<M>)
      return lanes.ports.n;
    else
      return E::channels.size();
  }
  /// @param rise of the conductance instead
  NPL_INLINE static double* column(const Lanes<M>& lanes, std::size_t c, bool rise, std::size_t begin) {
    if constexpr (Ported<M>)
      return lanes.ports.state[(rise ? lanes.ports.n : 0) + c] + lanes.begin + begin;
    else
      return lanes.state[E::first + (rise ? E::channels[c].dg : E::channels[c].g)] + begin;
  }
  NPL_INLINE static Values<n_flow> flow(const Lanes<M>& lanes, std::size_t c, std::size_t begin) {
    if constexpr (Ported<M>)
      return of_port<n_flow>(lanes, c, flow_of_port, begin);
    else
      return own<n_flow>(lanes, E::flow + c * n_flow, begin);
  }
  NPL_INLINE static Values<1> reversal(const Lanes<M>& lanes, std::size_t c, std::size_t begin) {
    if constexpr (Ported<M>)
      return of_port<1>(lanes, c, 0, begin);
    else
      return own<1>(lanes, E::reversal + c, begin);
  }
  NPL_INLINE static double sign([[maybe_unused]] std::size_t c) {
    if constexpr (Ported<M>)
      return 0.0;
    else
      return E::channels[c].sign;
  }
  /// N derived values of port p from the k-th on.
  template <std::size_t N>
  NPL_INLINE static Values<N> of_port(const Lanes<M>& lanes, std::size_t p, std::size_t k, std::size_t begin) {
    const std::size_t at = p * n_port_factors<M> + k;
    const double* shared = reinterpret_cast<const double*>(lanes.shared);
    return {Uniform ? shared + n_fields<typename M::Derived> + at : nullptr, lanes.ports.factors + at, lanes.begin + begin};
  }

 private:
  static constexpr std::size_t flow_of_port = 4;  ///< in PortConductance
  template <std::size_t N>
  NPL_INLINE static Values<N> own(const Lanes<M>& lanes, std::size_t k, std::size_t begin) {
    return {Uniform ? reinterpret_cast<const double*>(lanes.shared) + k : nullptr, lanes.derived.data() + k, begin};
  }
};

template <class M, bool Uniform>
struct Channels {
  using E = typename M::Exactly;
  using At = Places<M, Uniform>;

  NPL_INLINE static bool is_silent(const Lanes<M>& lanes, std::size_t c, std::size_t begin, std::size_t n) {
    return all_zero(At::column(lanes, c, false, begin), n) && (!E::rises || all_zero(At::column(lanes, c, true, begin), n));
  }

  NPL_INLINE static void add(const Lanes<M>& lanes, std::size_t c, std::size_t begin, std::size_t n, Acting& acting) {
    constexpr auto rises = E::rises, conducts = E::conductances;
    const auto flow = At::flow(lanes, c, begin);
    const auto reversal = At::reversal(lanes, c, begin);
    const double *g = At::column(lanes, c, false, begin), *dg = At::column(lanes, c, rises, begin);
    const double sign = At::sign(c);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const double x = g[k], rise = dg[k], times = conducts ? reversal.get(0, k) : sign;
      acting.a[0][k] += x * times;
      if constexpr (conducts) acting.b[0][k] += x;
      NPL_UNROLL(5)
      for (std::size_t j = 0; j < n_stages; ++j) {
        double at = x * flow.get(j, k);
        if constexpr (rises) at += rise * flow.get(n_stages + j, k);
        acting.a[j + 1][k] += at * times;
        if constexpr (conducts) acting.b[j + 1][k] += at;
      }
    }
  }

  /// Where the step was good, the channel moves to its end.
  NPL_INLINE static void move(const Lanes<M>& lanes, std::size_t c, std::size_t begin, std::size_t n, const double* t) {
    constexpr auto rises = E::rises;
    const auto flow = At::flow(lanes, c, begin);
    double *g = At::column(lanes, c, false, begin), *dg = At::column(lanes, c, rises, begin);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const bool good = t[k] > 0.0;
      const double x = g[k], rise = dg[k];
      double next = x * flow.get(at_end, k);
      if constexpr (rises) next += rise * flow.get(n_stages + at_end, k);
      g[k] = math::choose(good, next, x);
      if constexpr (rises) dg[k] = math::choose(good, rise * flow.get(2 * n_stages, k), rise);
    }
  }
};

/// Terms with h in the coefficients, which are the same for all neurons of a uniform group; added one after the other.
struct StepInTerms {
  template <std::size_t N, class... Terms>
  NPL_INLINE static rkf45::Vars<N> move(const rkf45::Vars<N>& y, double h, const Terms&... terms) {
    return rkf45::each_variable<N>([&](std::size_t i) NPL_INLINE_LAMBDA { return (y[i] + ... + (h * terms.a * terms.k[i])); });
  }
};

/// One step of the variables of the neuron itself. Its error is squared, in units of the tolerance (NaN if something overflowed).
template <class M>
NPL_INLINE auto try_step(const typename M::State& s, const typename M::Derived& d, double current, const double* a, const double* b,
                         typename M::Exactly::Start& start) {
  using E = typename M::Exactly;
  using Vars = rkf45::Vars<E::n_own>;
  const auto slope = [&](const Vars& y, std::size_t stage)
                         NPL_INLINE_LAMBDA { return E::slopes(y, a[stage], b[stage], s, d, current, start); };
  const auto measure = [&](const Vars& error) NPL_INLINE_LAMBDA {
    double square = 0.0;
    NPL_UNROLL(4)
    for (std::size_t i = 0; i < E::n_own; ++i) square += error[i] * error[i];
    const double scale = d.dt / M::tolerance(d);
    return square * (scale * scale);
  };
  return rkf45::substep<StepInTerms>(E::own(s), d.dt, slope, measure);
}

template <class M>
constexpr std::size_t most_channels = most_receptors;
template <class M>
  requires(!Ported<M>)
constexpr std::size_t most_channels<M> = M::Exactly::channels.size();

template <class M, bool Uniform>
struct Loop {
  using State = typename M::State;
  using Derived = typename M::Derived;
  using E = typename M::Exactly;

  /// t[k]: the end of the step where it was good, else 0.
  NPL_INLINE static bool block(const Lanes<M>& lanes, const Derived& shared, const Acting& acting, std::size_t begin, std::size_t n,
                               double* t) {
    std::uint64_t left = 0;
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      State s = load_fields<State>(lanes.state.data(), i);
      Derived d = shared;
      if constexpr (!Uniform) d = load_fields<Derived>(lanes.derived.data(), i);
      const bool wanted = (s.h >= worth_trying * d.dt) | (s.h <= 0.0);
      auto next = s;
      if constexpr (requires { M::begin(next); }) M::begin(next);
      const double a[] = {acting.a[0][k], acting.a[1][k], acting.a[2][k], acting.a[3][k], acting.a[4][k], acting.a[5][k]};
      double b[n_stages + 1] = {};
      if constexpr (E::conductances)
        b[0] = acting.b[0][k], b[1] = acting.b[1][k], b[2] = acting.b[2][k], b[3] = acting.b[3][k], b[4] = acting.b[4][k],
        b[5] = acting.b[5][k];
      typename E::Start start = E::start(next, d);
      const auto trial = try_step<M>(next, d, lanes.current[i], a, b, start);
      E::set_own(next, trial.y);
      double fired = 0.0;
      if constexpr (requires { M::accepted(next, d); }) fired = M::accepted(next, d);
      const bool quiet = (fired == 0.0) & E::near(start);  // a spike comes at the end of a substep: a short one
      const bool good = wanted & (trial.error <= 1.0) & quiet;
      const double shorter = d.dt * rkf45::between(math::choose(quiet, 0.9 * rkf45::rough_root(trial.error), near_spike), near_spike, 1.0);
      const double h = math::choose(good, d.dt, math::choose((wanted == false) | ((s.h > 0.0) & (s.h < shorter)), s.h, shorter));
      store_chosen(lanes.state.data(), i, good, next, s, h);
      t[k] = math::choose(good, d.dt, 0.0);
      left |= math::detail::bits(d.dt - t[k]);
    }
    return left != 0;
  }

  /// Stores all fields but those of the synapses, which move later.
  NPL_INLINE static void store_chosen(double* const* columns, std::size_t i, bool good, const State& next, const State& s, double h) {
    const auto store = [&](auto place) NPL_INLINE_LAMBDA {
      constexpr std::size_t k = decltype(place)::value;
      if constexpr (k < E::first || k >= E::first + E::n) columns[k][i] = math::choose(good, field(next, k), field(s, k));
    };
    [&]<std::size_t... K>(std::index_sequence<K...>)
        NPL_INLINE_LAMBDA { (store(std::integral_constant<std::size_t, K>{}), ...); }(std::make_index_sequence<n_fields<State> - 1>{});
    columns[n_fields<State> - 1][i] = h;
  }

  NPL_INLINE static void run(const Lanes<M>* view, double* t, bool* pending) {
    const OwnLanes<M> lanes(*view);
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    Acting acting;
    bool used[most_channels<M>];
    const std::size_t channels = Places<M, Uniform>::number(lanes);
    for (std::size_t begin = 0; begin < lanes.n; begin += chunk) {
      const std::size_t n = std::min(chunk, lanes.n - begin);
      acting.clear(n, E::conductances);
      for (std::size_t c = 0; c < channels; ++c) {
        used[c] = !Channels<M, Uniform>::is_silent(lanes, c, begin, n);
        if (used[c]) Channels<M, Uniform>::add(lanes, c, begin, n, acting);
      }
      if (block(lanes, shared, acting, begin, n, t + begin)) *pending = true;
      for (std::size_t c = 0; c < channels; ++c)
        if (used[c]) Channels<M, Uniform>::move(lanes, c, begin, n, t + begin);
    }
  }
};

}  // namespace whole
}  // namespace npl::nodes
