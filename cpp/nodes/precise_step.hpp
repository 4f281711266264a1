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

#include "model/precise.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// One neuron in one step.
template <class M>
class PreciseWalk {
  using State = typename M::State;
  using Derived = typename M::Derived;

 public:
  /// @param i number in the group, to whose spikes and offsets it appends
  PreciseWalk(State& s, const Derived& d, double current, std::size_t i, const GroupView& g)
      : s_(s), d_(d), current_(current), i_(i), g_(g), now_(static_cast<double>(g.step)), at_(d.h) {}

  /// @param sums what arrives at the end of the step, by receptor
  void run(const PreciseEvent* event, const PreciseEvent* end, const double* sums) {
    if (!clamped() && s_.V_m >= d_.V_th) emit(d_.h * (1.0 - 0x1p-53));  // it was set so: the spike comes at once
    while (event != end && event->offset > 0.0) {
      const double offset = event->offset;
      double weights[M::receptors] = {};
      for (; event != end && event->offset == offset; ++event) weights[event->receptor] += event->weight;
      advance_to(offset);
      receive(weights);
    }
    double weights[M::receptors];
    std::copy_n(sums, M::receptors, weights);
    for (; event != end; ++event) weights[event->receptor] += event->weight;
    advance_to(0.0);
    receive(weights);
  }

 private:
  bool clamped() const { return s_.is_refractory != 0.0; }
  /// What will be left of this step when refractoriness ends; negative: it does not end in this step.
  double free_at() const { return s_.free_step < now_ ? at_ : s_.free_step == now_ ? std::min(s_.free_offset, at_) : -1.0; }

  void emit(double offset) {
    at_ = offset;
    g_.emit(i_);
    if (g_.offsets) g_.offsets->push_back(offset);
    s_.V_m = d_.V_reset;
    s_.is_refractory = 1.0;
    s_.free_step = now_ + d_.refractory_steps;
    s_.free_offset = offset;
  }

  void receive(const double* weights) {
    M::receive(s_, d_, weights, clamped() ? (s_.free_step - now_) * d_.h + (at_ - s_.free_offset) : -1.0);
    if (!clamped() && s_.V_m >= d_.V_th) emit(at_);
  }

  void release(double offset) {
    M::propagate(s_, d_, current_, at_ - offset, true);
    at_ = offset;
    s_.is_refractory = 0.0;
    if constexpr (requires { M::released(s_); }) M::released(s_);
    if (s_.V_m >= d_.V_th) emit(at_);
  }

  void advance_to(double offset) {
    for (;;) {
      if (const double free = clamped() ? free_at() : -1.0; free >= offset && free >= 0.0)
        release(free);
      else if (at_ > offset)
        piece(offset);
      else
        return;
    }
  }

  /// Without events, up to `offset` or the next spike.
  void piece(double offset) {
    const State before = s_;
    const double dt = at_ - offset;
    M::propagate(s_, d_, current_, dt, clamped());
    const double t = clamped() ? no_crossing : M::crossing(before, s_, d_, current_, dt);
    if (!(t >= 0.0)) {
      at_ = offset;
      return;
    }
    s_ = before;
    M::propagate(s_, d_, current_, t, false);
    emit(std::max(at_ - t, offset));
  }

  State& s_;
  const Derived& d_;
  const double current_;
  const std::size_t i_;
  const GroupView& g_;
  const double now_;
  double at_;
};

/// The state at the end of a step without events inside, where it is good.
template <class M>
struct WholeTry {
  typename M::State next;
  bool good;
};

/// @param weights what arrives at the end of the step, by receptor
template <class M>
NPL_INLINE WholeTry<M> try_whole(const typename M::State& s, const typename M::Derived& d, double current, Step step,
                                 const double* weights) {
  // Bits: what is neither 0 nor 1 is a refractory neuron, too, but flushing may change it.
  const bool free = math::detail::bits(s.is_refractory) == 0;
  bool stays = (s.is_refractory == 1.0) & (s.free_step > static_cast<double>(step));
  if constexpr (requires { M::keeps_input(d); }) stays = stays & (M::keeps_input(d) == false);
  auto next = s;
  M::propagate(next, d, current, WholeStep{d.h}, false);
  bool quiet = ((s.V_m >= d.V_th) | (next.V_m >= d.V_th)) == false;
  if constexpr (requires { M::stays_below(s, d, current); }) quiet = quiet & M::stays_below(s, d, current);
  M::receive(next, d, weights, -1.0);
  quiet = quiet & ((next.V_m >= d.V_th) == false);
  next.V_m = math::choose(free, next.V_m, s.V_m);
  return {next, static_cast<bool>((free & quiet) | stays)};
}

/// Stores what changes without events.
template <class M>
NPL_INLINE void store_whole(double* const* columns, std::size_t i, bool good, const typename M::State& next, const typename M::State& s) {
  const auto one = [&](auto place) NPL_INLINE_LAMBDA {
    constexpr std::size_t k = decltype(place)::value;
    static_assert(decaying<M>[k]);
    columns[k][i] = math::choose(good, flushed(field(next, k)), field(s, k));
  };
  [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
    (one(std::integral_constant<std::size_t, K>{}), ...);
  }(std::make_index_sequence<offsetof(typename M::State, is_refractory) / sizeof(double)>{});
}

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

template <class M, bool Uniform>
struct PreciseLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;

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

  struct Taken {
    double current;
    const double* weights;
  };
  /// Takes neuron i to the end of the step, or changes nothing. Returns bits: not 0 where it must walk.
  NPL_INLINE static std::uint64_t one(const Lanes<M>& lanes, const Derived& d, std::size_t i, Taken taken, double walks) {
    const State s = load_fields<State>(lanes.state.data(), i);
    const WholeTry<M> trial = try_whole<M>(s, d, taken.current, lanes.step, taken.weights);
    const bool good = trial.good & (math::detail::bits(walks) == 0);
    store_whole<M>(lanes.state.data(), i, good, trial.next, s);
    return math::detail::bits(math::choose(good, 0.0, 1.0));
  }

  NPL_INLINE static void run(const Lanes<M>* view, PreciseBlock<M>* block, bool* any) {
    const OwnLanes<M> lanes(*view);
    PreciseBlock<M>& b = *block;
    const std::size_t begin = b.begin, n = b.n;
    for (int r = 0; r < M::receptors; ++r) b.sums.take(r, lanes.sums[r] + begin, lanes.scale[r], n);
    clear_row(b.walks, n);
    take_events(b);
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    std::uint64_t all = 0;
    const double* current = lanes.current ? lanes.current + begin : no_current;
    const std::size_t values = lanes.derived_at(begin);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      double weights[M::receptors];
      for (int r = 0; r < M::receptors; ++r) weights[r] = b.sums.get(r, k);
      std::uint64_t walks;
      if constexpr (Uniform)
        walks = one(lanes, shared, i, {current[k], weights}, b.walks[k]);
      else
        walks = one(lanes, load_fields<Derived>(lanes.derived.data(), values + k), i, {current[k], weights}, b.walks[k]);
      b.walks[k] = math::detail::real(walks);
      all |= walks;
    }
    *any = all != 0;
  }
};

/// @param sums, event, end of neuron i
template <class M>
void walk_one(const GroupView& g, std::size_t i, const PreciseEvent* event, const PreciseEvent* end, const double* sums) {
  using Derived = typename M::Derived;
  auto s = load_fields<typename M::State>(g.state, i);
  Derived own;
  if (!g.derived) own = load_fields<Derived>(g.derived_columns, i);
  const Derived& d = g.derived ? *reinterpret_cast<const Derived*>(g.derived) : own;
  PreciseWalk<M>(s, d, g.current ? g.current[i] : 0.0, i, g).run(event, end, sums);
  for (std::size_t k = 0; k < n_fields<typename M::State>; ++k)
    if (decaying<M>[k]) field(s, k) = flushed(field(s, k));
  store_fields(g.state, i, s);
}

/// Those of a block that the loop left. @param event the first of the block
template <class M>
void walk_marked(const GroupView& g, const PreciseBlock<M>& b, const PreciseEvent* event) {
  const PreciseEvent* const end = b.event;
  for (std::size_t k = 0; k < b.n; ++k) {
    if (math::detail::bits(b.walks[k]) == 0) continue;
    while (event != end && event->target < b.first + k) ++event;
    const PreciseEvent* next = event;
    if (event != end && event->target == b.first + k) next = events_end(event, end);
    if (event != next && !(event->offset > 0.0)) event = next;  // in the sums already
    double sums[M::receptors];
    for (int r = 0; r < M::receptors; ++r) sums[r] = b.sums.get(r, k);
    walk_one<M>(g, b.begin + k, event, next, sums);
    event = next;
  }
}

/// Calls f(i, sums, event, end) for each neuron with what arrives at it; its sums are zero then.
template <class M, class F>
NPL_INLINE void for_each_with_input(const GroupView& g, F&& f) {
  const PreciseEvent *event = g.events.data(), *end = event + g.events.size();
  for (std::size_t i = 0; i < g.n; ++i) {
    double sums[M::receptors];
    for (int r = 0; r < M::receptors; ++r) sums[r] = fixed_to_double(g.input[r][i]) * g.input_scale[r], g.input[r][i] = 0;
    const PreciseEvent* next = event;
    if (event != end && event->target == g.first_local + i) next = events_end(event, end);
    f(i, sums, event, next);
    event = next;
  }
}

/// One step in which all neurons walk: for tests.
template <class M>
void walk_all(const GroupView& g) {
  for_each_with_input<M>(g, [&](std::size_t i, const double* sums, const PreciseEvent* event, const PreciseEvent* end) {
    walk_one<M>(g, i, event, end, sums);
  });
}

/// One step of neurons too few for the vector loop and its preparation.
template <class M>
void update_few(const GroupView& g) {
  using Derived = typename M::Derived;
  for_each_with_input<M>(g, [&](std::size_t i, double* sums, const PreciseEvent* event, const PreciseEvent* end) NPL_INLINE_LAMBDA {
    if (event != end && event->offset > 0.0) return walk_one<M>(g, i, event, end, sums);
    for (; event != end; ++event) sums[event->receptor] += event->weight;
    const auto s = load_fields<typename M::State>(g.state, i);
    const double current = g.current ? g.current[i] : 0.0;
    const auto trial = g.derived ? try_whole<M>(s, *reinterpret_cast<const Derived*>(g.derived), current, g.step, sums)
                                 : try_whole<M>(s, load_fields<Derived>(g.derived_columns, i), current, g.step, sums);
    if (!trial.good) return walk_one<M>(g, i, end, end, sums);
    store_whole<M>(g.state, i, true, trial.next, s);
  });
}

/// One step of a group.
template <class M>
void update_precise(const GroupView& g) {
  constexpr std::size_t few = 4;
  if (g.n < few) return update_few<M>(g);
  const Lanes<M> lanes = lanes_of<M>(g, 0, g.n);
  PreciseBlock<M> b(g);
  for (std::size_t begin = 0; begin < g.n; begin += block_size<M>) {
    b.begin = begin, b.n = std::min(block_size<M>, g.n - begin), b.first = g.first_local + static_cast<Local>(begin);
    const PreciseEvent* first = b.event;
    bool any = false;
    run_loop<PreciseLoop>(lanes, &b, &any);
    if (any) walk_marked(g, b, first);
  }
}

template <class M>
ModelFacts describe_precise() {
  ModelFacts facts = describe<M>(update_precise<M>);
  facts.walk = walk_all<M>;
  return facts;
}

}  // namespace npl::nodes

/// Registers a model that does what precise.hpp asks.
#define NPL_PRECISE_NEURON(id, Type) NPL_MODEL(id, Type, describe_precise<Type>())
