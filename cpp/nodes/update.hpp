// SPDX-License-Identifier: Apache-2.0
/// Turns a model's branch-free update of one neuron into a vectorised update of a group, and its struct into a ModelInfo.
///
/// A model has either
///   `step(State&, const Derived&, const Input&)`, which returns the number of spikes, or, faster,
///   `advance` (the same, without spikes), `crossed(const State&, const Derived&)` (may there be a spike?) and
///   `fire(State&, const Derived&, const Input&)`, which returns the number of spikes and is called for the few neurons that crossed
///   (Input without spikes: `advance` has had them);
///   Models that hold their potential, the first state field, while they are refractory have `free_at`, the number of the state field with
///   the step in which they are free again, and `held(V)`, the potential after a step in which it is held: `advance` need not look at it.
///   `advanced` = number of leading state fields that `advance` changes (all when it is not there): the others are not written.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/math.hpp"
#include "nodes/describe.hpp"
#include "nodes/held.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/lanes.hpp"
#include "nodes/model.hpp"
#include "nodes/port_loop.hpp"
#include "nodes/sampler.hpp"
#include "nodes/small_states.hpp"
#include "nodes/step_words.hpp"

namespace npl::nodes {

template <class M>
concept Splits = requires(typename M::State& s, const typename M::Derived& d, const Input<M::receptors>& in) {
  M::advance(s, d, in);
} || requires(typename M::State& s, const typename M::Derived& d, const Input<M::receptors>& in, PortSums p) { M::advance(s, d, in, p); };

/// Models whose spikes are drawn: `random_id`, and `may_fire(State, Derived, double now, u)`, u = uniform_of_step(random_id), which says no
/// only where `fire` would return 0 and change nothing.
template <class M>
concept Draws = Splits<M> && requires { M::random_id; };

template <class M>
concept Holds = Splits<M> && requires { M::free_at; };

/// Number of state fields that the vector loop writes.
template <class M>
constexpr std::size_t written_fields() {
  if constexpr (requires { M::advanced; })
    return M::advanced;
  else
    return n_fields<typename M::State>;
}

/// Which state variables can decay, found at compile time: names of units are not compared in every step.
template <class M>
inline constexpr auto decaying = [] {
  std::array<bool, M::state.size()> found{};
  for (std::size_t k = 0; k < found.size(); ++k) found[k] = decays(M::state[k]);
  return found;
}();

/// Flushes the state of neurons begin .. begin + n, while it is in cache. Not in the model's own loop, which gcc might not vectorise then.
template <class M>
NPL_INLINE void flush_states(const Lanes<M>& lanes, std::size_t begin, std::size_t n) {
  for (std::size_t k = 0; k < M::state.size(); ++k)
    if (decaying<M>[k]) flush_column(lanes.state[k] + begin, n);
}

/// One step of lanes, block by block of `chunk` neurons: any[b] = a neuron of block b spiked or crossed its threshold;
/// counts[k] = spikes of neuron k (models with `step` only, and then one block).
/// @tparam HasCurrent there may be input currents: with equal values and without them, the most frequent case, they are not even read
/// @tparam Holding neurons that are refractory now keep their potential; else that is done later, for those of a list
template <class M, bool Uniform, bool HasCurrent, bool Holding = false>
struct StepLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;
  static constexpr bool wide = n_fields<Derived> > 24;  ///< copying all columns and values would take longer than a step of one neuron

  /// @param ports PortSums of ported models
  template <class... Ports>
  NPL_INLINE static double one(State& s, const Derived& d, const Input<M::receptors>& in, const Ports&... ports) {
    if constexpr (Splits<M>) {
      const double before = field(s, 0);
      M::advance(s, d, in, ports...);
      if constexpr (Holding) field(s, 0) = field(s, M::free_at) > static_cast<double>(in.step) ? M::held(before) : field(s, 0);
      return M::crossed(s, d) ? math::detail::real(~std::uint64_t{0}) : 0.0;  // a mask: only its bits are looked at
    } else {
      return M::step(s, d, in, ports...);
    }
  }

  template <class Rows>
  NPL_INLINE static bool block(const Lanes<M>& lanes, const Derived& shared, const Rows& rows, std::size_t begin, std::size_t n,
                               double* counts) {
    std::uint64_t all = 0;
    const double* current = lanes.current ? lanes.current + begin : no_current;
    const std::size_t values = lanes.derived_at(begin);
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      State s = load_fields<State>(lanes.state.data(), i);
      Input<M::receptors> in = input_of(lanes, i, HasCurrent ? current[k] : 0.0);
      if constexpr (!Ported<M>)
        for (int r = 0; r < M::receptors; ++r) in.spikes[r] = rows.get(r, k);
      const auto advance = [&](const Derived& d) NPL_INLINE_LAMBDA {
        if constexpr (Ported<M>)
          return one(s, d, in, rows.get(k));
        else
          return one(s, d, in);
      };
      double count;
      if constexpr (Uniform)
        count = advance(shared);
      else
        count = advance(load_fields<Derived>(lanes.derived.data(), values + k));
      store_fields<State, written_fields<M>()>(lanes.state.data(), i, s);
      if constexpr (!Splits<M>) counts[k] = count;
      all |= std::bit_cast<std::uint64_t>(count);
    }
    return all != 0;
  }

  /// @param steps in: most steps, 1 for more than one block; out: steps done, the last of which is the only one with any[0]
  template <Isa level>
  NPL_INLINE static void run(const Lanes<M>* view, std::size_t* steps, double* counts, bool* any) {
    if constexpr (Ported<M>)
      run_with<PortRows<M>>(view, steps, counts, any);
    else if constexpr (level == Isa::v4 && Splits<M> && M::receptors <= 2)
      run_with<InputInPlace<M::receptors>>(view, steps, counts, any);
    else
      run_with<InputRows<M::receptors>>(view, steps, counts, any);
  }

  /// A copy, since the compiler cannot know that stores leave the values alone; of wide models field by field: not all are used here.
  NPL_INLINE static Derived shared_values(const Lanes<M>& lanes) {
    if constexpr (!Uniform)
      return {};
    else if constexpr (wide)
      return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
        const double* values = reinterpret_cast<const double*>(lanes.shared);
        return Derived{values[K]...};
      }(std::make_index_sequence<n_fields<Derived>>{});
    else
      return *lanes.shared;
  }

  template <class Rows>
  NPL_INLINE static void run_with(const Lanes<M>* view, std::size_t* steps, double* counts, bool* any) {
    std::conditional_t<wide, const Lanes<M>&, OwnLanes<M>> lanes(*view);
    const Derived shared = shared_values(lanes);
    Rows rows(lanes.n);
    const std::size_t most = wide ? 1 : *steps;  // steps of wide models are taken one by one, by the caller
    for (*steps = 1;; ++*steps) {
      one_step(lanes, shared, rows, counts, any);
      if (*steps == most || any[0]) return;
      if constexpr (!wide) lanes.skip(1);
    }
  }

  template <class Rows>
  NPL_INLINE static void one_step(const Lanes<M>& lanes, const Derived& shared, Rows& rows, double* counts, bool* any) {
    const bool flushing = flushes_in(lanes.step);
    for (std::size_t begin = 0; begin < lanes.n; begin += block_size<M>) {
      const std::size_t n = std::min(block_size<M>, lanes.n - begin);
      if constexpr (Ported<M>)
        rows.run(lanes, begin, n);
      else
        for (int r = 0; r < M::receptors; ++r) rows.take(r, lanes.sums[r] + begin, lanes.scale[r], n);
      if constexpr (block_size<M> == chunk) {
        any[begin / chunk] = block(lanes, shared, rows, begin, n, counts);
      } else {
        const bool spiked = block(lanes, shared, rows, begin, n, counts + begin % chunk);
        any[begin / chunk] = spiked | (begin % chunk != 0 && any[begin / chunk]);
      }
      if (!flushing) continue;
      flush_states(lanes, begin, n);
      if constexpr (Ported<M>) PortRows<M>::flush(lanes, begin, n);
    }
  }
};

/// At most so many steps, up to one in which a neuron spikes or crosses its threshold. Returns their number.
template <class M, bool Holding>
std::size_t step_lanes_as(const Lanes<M>& lanes, double* counts, bool* any, std::size_t steps = 1) {
  if (!has_uniform_loop<M> || !lanes.shared) {
    Dispatch<StepLoop<M, false, true, Holding>>::run(&lanes, &steps, counts, any);
  } else if constexpr (has_uniform_loop<M>) {
    if (Holding || lanes.current)
      Dispatch<StepLoop<M, true, true, Holding>>::run(&lanes, &steps, counts, any);
    else if constexpr (!Holding)
      Dispatch<StepLoop<M, true, false>>::run(&lanes, &steps, counts, any);
  }
  return steps;
}

template <class M>
typename M::Derived derived_of(const Lanes<M>& lanes, std::size_t i) {
  return lanes.shared ? *lanes.shared : load_fields<typename M::Derived>(lanes.derived.data(), i);
}

/// Marks the neurons of begin..end that crossed (nonzero), 8 bytes each: the lanes of the comparison. `begin` begins a block.
/// @param random of models that say may_fire
template <class M, bool Uniform>
struct MarkLoop {
  NPL_INLINE static void run(const Lanes<M>* view, std::size_t begin, std::size_t n, const StepWords* random, double* marks) {
    const OwnLanes<M> lanes(*view);
    typename M::Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    const auto marked = [&](const typename M::State& s, const typename M::Derived& d, std::size_t k) NPL_INLINE_LAMBDA {
      if constexpr (Draws<M>)
        return M::may_fire(s, d, static_cast<double>(lanes.step), random->uniform(k));
      else
        return M::crossed(s, d);
    };
    for (std::size_t done = 0; done < n; done += block_size<M>) {
      const std::size_t values = lanes.derived_at(begin + done), size = std::min(block_size<M>, n - done);
      NPL_IVDEP
      for (std::size_t j = 0; j < size; ++j) {
        const std::size_t k = done + j;
        const auto s = load_fields<typename M::State>(lanes.state.data(), begin + k);
        const bool mark = Uniform ? marked(s, shared, k) : marked(s, load_fields<typename M::Derived>(lanes.derived.data(), values + j), k);
        marks[k] = mark ? 1.0 : 0.0;
      }
    }
  }
};

/// Calls `fire` for neuron i, which crossed.
template <class M>
void fire_one(const Lanes<M>& lanes, std::size_t i, const GroupView& g) {
  auto s = load_fields<typename M::State>(lanes.state.data(), i);
  const double count = M::fire(s, derived_of(lanes, i), input_of(lanes, i, lanes.current ? lanes.current[i] : 0.0));
  store_fields(lanes.state.data(), i, s);
  if constexpr (Holds<M>)
    if (count > 0.0 && g.held) g.held->fired(lanes.begin + i, field(s, M::free_at));
  for (double k = 0.0; k < count; ++k) g.emit(lanes.begin + i, lanes.step);
}

/// Calls `fire` for the neurons in begin..end that crossed; most blocks have one or two.
template <class M>
void fire_crossed(const Lanes<M>& lanes, std::size_t begin, std::size_t end, double* marks, const GroupView& g) {
  constexpr std::size_t at_once = 8;
  const std::size_t n = end - begin;
  std::conditional_t<Draws<M>, StepWords, char> drawn;
  const StepWords* random = nullptr;
  if constexpr (Draws<M>) {
    drawn.draw({lanes.seed, M::random_id, lanes.step}, *lanes.nodes, lanes.begin + begin, n);
    random = &drawn;
  }
  run_loop<MarkLoop>(lanes, begin, n, random, marks);
  std::size_t k = 0;
  for (; k + at_once <= n; k += at_once) {
    std::uint64_t any = 0;
    for (std::size_t i = k; i < k + at_once; ++i) any |= std::bit_cast<std::uint64_t>(marks[i]);
    for (std::size_t i = k; any != 0 && i < k + at_once; ++i)
      if (marks[i] != 0.0) fire_one(lanes, begin + i, g);
  }
  for (; k < n; ++k)
    if (marks[k] != 0.0) fire_one(lanes, begin + k, g);
}

/// Appends counts[i] spikes of each neuron i.
template <class M>
void emit(const Lanes<M>& lanes, const double* counts, const GroupView& g) {
  for (std::size_t i = 0; i < lanes.n; ++i)
    for (double k = 0.0; k < counts[i]; ++k) g.emit(lanes.begin + i, lanes.step);
}

/// Puts the potentials of the held neurons back.
template <class M, bool Uniform>
void restore_held_as(const Lanes<M>& lanes, const HeldNeurons& held, bool* any) {
  const bool flushing = flushes_in(lanes.step);
  typename M::Derived shared{};
  if constexpr (Uniform) shared = *lanes.shared;
  held.restore([&](std::size_t neuron, double before) NPL_INLINE_LAMBDA {
    const std::size_t i = neuron - lanes.begin;
    const double V = M::held(before);
    lanes.state[0][i] = flushing ? flushed(V) : V;
    const auto s = load_fields<typename M::State>(lanes.state.data(), i);
    any[i / chunk] |= M::crossed(s, Uniform ? shared : derived_of(lanes, i));
  });
}
template <class M>
void restore_held(const Lanes<M>& lanes, const HeldNeurons& held, bool* any) {
  lanes.shared ? restore_held_as<M, true>(lanes, held, any) : restore_held_as<M, false>(lanes, held, any);
}

/// The vector loop. Few neurons that are held are taken from a list, many are found in the loop.
template <class M>
void step_lanes(const Lanes<M>& lanes, const GroupView& g, double* counts, bool* any) {
  if constexpr (Holds<M>) {
    g.held->keep({lanes.begin, lanes.n, static_cast<std::size_t>(g.nodes->size())}, lanes.step, g.state[0],
                 lanes.state[M::free_at] - lanes.begin);
    if (g.held->many()) return static_cast<void>(step_lanes_as<M, true>(lanes, counts, any));
  }
  step_lanes_as<M, false>(lanes, counts, any);
  if constexpr (Holds<M>) restore_held(lanes, *g.held, any);
}

/// The vector loop, then `fire` for the few neurons that crossed.
template <class M>
void step_and_fire(const Lanes<M>& lanes, const GroupView& g, double* counts, bool* any) {
  step_lanes(lanes, g, counts, any);
  for (std::size_t b = 0; b * chunk < lanes.n; ++b) {
    if (!any[b]) continue;
    if constexpr (Splits<M>)
      fire_crossed(lanes, b * chunk, std::min(lanes.n, (b + 1) * chunk), counts, g);
    else
      emit(lanes, counts, g);
  }
  if constexpr (Holds<M>) g.held->end_piece();
}

/// Several steps of few neurons: a call, the view and the derived values for all of them. Neurons that are held are found in the loop.
template <class M>
void several_steps(GroupView g) {
  if (g.held) g.held->forget();
  g.held = nullptr;
  Lanes<M> lanes = lanes_of<M>(g, g.begin, g.n);
  double counts[chunk];
  bool any = false;
  for (std::size_t done; g.steps > 0; g.steps -= done, lanes.skip(1)) {
    const std::size_t most = g.sampler ? std::min(g.steps, static_cast<std::size_t>(g.sampler->next() - lanes.step)) : g.steps;
    done = step_lanes_as<M, Holds<M>>(lanes, counts, &any, most);
    lanes.skip(done - 1);
    if constexpr (Splits<M>) {
      if (any) fire_crossed(lanes, 0, lanes.n, counts, g);
    } else {
      if (any) emit(lanes, counts, g);
    }
    if (g.sampler) g.sampler->take(lanes.step + 1);
  }
}

/// One step of a group of model M, or several.
template <class M>
void update_steps(const GroupView& g) {
  if constexpr (Ported<M>) {
    if (!g.ports) {
      PortsInUse ports;
      GroupView with = g;
      with.ports = &ports;
      return update_steps<M>(with);
    }
    if (!g.ports->known())
      g.ports->read(static_cast<const Ports&>(*g.shape).n, g.state + M::ports_at, n_port_states<M>,
                    static_cast<std::size_t>(g.nodes->size()));
  }
  if (g.steps > 1) return several_steps<M>(g);
  if constexpr (Holds<M>)
    if (!g.held) {
      HeldNeurons held;
      GroupView with = g;
      with.held = &held;
      return update_steps<M>(with);
    }
  constexpr std::size_t blocks = Splits<M> ? 64 : 1;
  double counts[chunk];
  bool any[blocks];
  const std::size_t end = g.begin + g.n;
  for (std::size_t begin = g.begin; begin < end; begin += blocks * chunk)
    step_and_fire(lanes_of<M>(g, begin, std::min(blocks * chunk, end - begin)), g, counts, any);
}

}  // namespace npl::nodes

/// Registers model struct `Type` with its update function; see NPL_MODEL.
#define NPL_NEURON_WITH(id, Type, update) NPL_MODEL(id, Type, describe<Type>(update))
/// The same for a model with `step` or `advance`.
#define NPL_NEURON(id, Type) NPL_MODEL(id, Type, describe<Type>(update_steps<Type>, true))
