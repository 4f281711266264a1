// SPDX-License-Identifier: Apache-2.0
/// One step of a group of neurons with precise spike times. Most neurons have no event between grid points, neither spike nor become free
/// again: a vector loop takes them to the end of the step. The others are left as they were, and walk from event to event (precise.hpp).
/// The bits are the same as if all walked.
///
/// A model's State begins with what changes without events, V_m first, before is_refractory. Besides what precise.hpp asks it may have
///   `stays_below(const State&, const Derived&, double current)`: false where V_m may exceed V_th inside a step at whose end it does not;
///   `keeps_input(const Derived&)`: input to refractory neurons changes their state otherwise than `receive` does, but for V_m.
#pragma once
#include <algorithm>
#include <cstddef>

#include "nodes/precise.hpp"

namespace npl::nodes {

/// Some neurons in one step.
template <class M>
struct PreciseBlock {
  explicit PreciseBlock(const GroupView& g) : sums(g.n), event(g.events.data()), end(event + g.events.size()) {}

  InputRows<M::receptors> sums;
  alignas(64) double walks[chunk];  ///< not 0: bits of the neurons that walk
  const PreciseEvent *event, *end;  ///< of this block and those behind it
  Local first = 0;                  ///< neuron 0 of the block is this target
  std::size_t begin = 0, n = 0;     ///< in the lanes
};

/// End of the events of the neuron that has the first of them.
inline const PreciseEvent* events_end(const PreciseEvent* event, const PreciseEvent* end) {
  const Local target = event->target;
  do ++event;
  while (event != end && event->target == target);
  return event;
}

template <class M, bool Uniform, bool HasCurrent>
struct PreciseLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;
  static constexpr std::size_t refractory = offsetof(State, is_refractory) / sizeof(double);

  /// Spikes on the grid are added to the sums where a neuron has no others; the first of its events is the earliest.
  NPL_INLINE static void take_events(PreciseBlock<M>& b) {
    const Local last = b.first + static_cast<Local>(b.n);
    while (b.event != b.end && b.event->target < last) {
      const PreciseEvent* next = events_end(b.event, b.end);
      const std::size_t k = b.event->target - b.first;
      if (b.event->offset > 0.0)
        b.walks[k] = math::detail::real(~std::uint64_t{0});
      else
        for (const PreciseEvent* e = b.event; e != next; ++e) b.sums.add(e->receptor, k, e->weight);
      b.event = next;
    }
  }

  NPL_INLINE static void store(const Lanes<M>& lanes, std::size_t i, bool good, const State& next, const State& s) {
    const auto one = [&](auto place) NPL_INLINE_LAMBDA {
      constexpr std::size_t k = decltype(place)::value;
      static_assert(decaying<M>[k]);
      lanes.state[k][i] = math::choose(good, flushed(field(next, k)), field(s, k));
    };
    [&]<std::size_t... K>(std::index_sequence<K...>)
        NPL_INLINE_LAMBDA { (one(std::integral_constant<std::size_t, K>{}), ...); }(std::make_index_sequence<refractory>{});
  }

  /// Takes neuron i to the end of the step, or changes nothing. Returns bits: not 0 where it must walk.
  NPL_INLINE static std::uint64_t one(const Lanes<M>& lanes, const Derived& d, std::size_t i, const double* weights, double walks) {
    const State s = load_fields<State>(lanes.state.data(), i);
    const double current = HasCurrent ? lanes.current[i] : 0.0;
    // Bits: what is neither 0 nor 1 is a refractory neuron, too, but flushing may change it.
    const bool free = math::detail::bits(s.is_refractory) == 0;
    bool stays = (s.is_refractory == 1.0) & (s.free_step > static_cast<double>(lanes.step));
    if constexpr (requires { M::keeps_input(d); }) stays = stays & (M::keeps_input(d) == false);
    State next = s;
    M::propagate(next, d, current, WholeStep{d.h}, false);
    bool quiet = ((s.V_m >= d.V_th) | (next.V_m >= d.V_th)) == false;
    if constexpr (requires { M::stays_below(s, d, current); }) quiet = quiet & M::stays_below(s, d, current);
    M::receive(next, d, weights, -1.0);
    quiet = quiet & ((next.V_m >= d.V_th) == false);
    next.V_m = math::choose(free, next.V_m, s.V_m);
    const bool good = ((free & quiet) | stays) & (math::detail::bits(walks) == 0);
    store(lanes, i, good, next, s);
    return math::detail::bits(math::choose(good, 0.0, 1.0));
  }

  NPL_INLINE static void run(const Lanes<M>* view, PreciseBlock<M>* block, bool* any) {
    const Lanes<M> lanes = *view;
    PreciseBlock<M>& b = *block;
    const std::size_t begin = b.begin, n = b.n;
    for (int r = 0; r < M::receptors; ++r) b.sums.take(r, lanes.sums[r] + begin, lanes.scale[r], n);
    std::fill_n(b.walks, n, 0.0);
    take_events(b);
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    std::uint64_t all = 0;
#pragma GCC ivdep
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      double weights[M::receptors];
      for (int r = 0; r < M::receptors; ++r) weights[r] = b.sums.get(r, k);
      std::uint64_t walks;
      if constexpr (Uniform)
        walks = one(lanes, shared, i, weights, b.walks[k]);
      else
        walks = one(lanes, load_fields<Derived>(lanes.derived.data(), i), i, weights, b.walks[k]);
      b.walks[k] = math::detail::real(walks);
      all |= walks;
    }
    *any = all != 0;
  }
};

/// @param sums, event, end of neuron i
template <class M>
void walk_one(const Lanes<M>& lanes, std::size_t i, const GroupView& g, const PreciseEvent* event, const PreciseEvent* end,
              const double* sums) {
  auto s = load_fields<typename M::State>(lanes.state.data(), i);
  const auto d = derived_of(lanes, i);
  PreciseWalk<M>(s, d, lanes.current ? lanes.current[i] : 0.0, {gid_of(lanes, i), lanes.step}, g).run(event, end, sums);
  for (std::size_t k = 0; k < n_fields<typename M::State>; ++k)
    if (decaying<M>[k]) field(s, k) = flushed(field(s, k));
  store_fields(lanes.state.data(), i, s);
}

/// Those of a block that the loop left. @param event the first of the block
template <class M>
void walk_marked(const Lanes<M>& lanes, const PreciseBlock<M>& b, const PreciseEvent* event, const GroupView& g) {
  const PreciseEvent* const end = b.event;
  for (std::size_t k = 0; k < b.n; ++k) {
    if (math::detail::bits(b.walks[k]) == 0) continue;
    while (event != end && event->target < b.first + k) ++event;
    const PreciseEvent* next = event;
    if (event != end && event->target == b.first + k) next = events_end(event, end);
    if (event != next && !(event->offset > 0.0)) event = next;  // in the sums already
    double sums[M::receptors];
    for (int r = 0; r < M::receptors; ++r) sums[r] = b.sums.get(r, k);
    walk_one(lanes, b.begin + k, g, event, next, sums);
    event = next;
  }
}

template <class M, bool Uniform>
void precise_loop(const Lanes<M>& lanes, PreciseBlock<M>& b, bool& any) {
  lanes.current ? Dispatch<PreciseLoop<M, Uniform, true>>::run(&lanes, &b, &any)
                : Dispatch<PreciseLoop<M, Uniform, false>>::run(&lanes, &b, &any);
}

/// All neurons walk.
template <class M>
void walk_all(const GroupView& g, const Lanes<M>& lanes) {
  const PreciseEvent *event = g.events.data(), *end = event + g.events.size();
  for (std::size_t i = 0; i < g.n; ++i) {
    double sums[M::receptors];
    for (int r = 0; r < M::receptors; ++r) sums[r] = fixed_to_double(lanes.sums[r][i]) * lanes.scale[r], lanes.sums[r][i] = 0;
    const PreciseEvent* next = event;
    if (event != end && event->target == g.first_local + i) next = events_end(event, end);
    walk_one(lanes, i, g, event, next, sums);
    event = next;
  }
}

/// One step of a group.
template <class M>
void update_precise(const GroupView& g) {
  constexpr std::size_t few = 4;  ///< neurons for which the vector loop is not worth its preparation
  const Lanes<M> lanes = lanes_of<M>(g, 0, g.n);
  if (g.n < few) return walk_all(g, lanes);
  PreciseBlock<M> b(g);
  for (std::size_t begin = 0; begin < g.n; begin += chunk) {
    b.begin = begin, b.n = std::min(chunk, g.n - begin), b.first = g.first_local + static_cast<Local>(begin);
    const PreciseEvent* first = b.event;
    bool any = false;
    lanes.shared ? precise_loop<M, true>(lanes, b, any) : precise_loop<M, false>(lanes, b, any);
    if (any) walk_marked(lanes, b, first, g);
  }
}

}  // namespace npl::nodes
