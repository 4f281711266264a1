// SPDX-License-Identifier: Apache-2.0
/// Neurons of a group as the vector loops see them: columns of state, of values derived from parameters, and of input.
#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/simd.hpp"
#include "base/word_copy.hpp"
#include "model/fields.hpp"
#include "model/ports.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/model.hpp"

namespace npl::nodes {

/// Models that differ only in what they derive from parameters share compiled loops: they name the struct with the equations in `Steps`.
template <class M>
struct StepsOfModel {
  using type = M;
};
template <class M>
  requires requires { typename M::Steps; }
struct StepsOfModel<M> {
  using type = typename M::Steps;
  static_assert(n_fields<typename type::State> == n_fields<typename M::State> &&
                n_fields<typename type::Derived> == n_fields<typename M::Derived>);
};
template <class M>
using StepsOf = typename StepsOfModel<M>::type;

/// A model with `uniform_loop` has two vector loops: one for neurons with equal parameters, one for parameters of their own. A model
/// without it has the second one only, which takes half the time to compile: equal values are repeated in columns.
template <class M>
inline constexpr bool has_uniform_loop = requires { M::uniform_loop; };

/// True if equal values are kept as columns of a block, too: for models without a uniform loop, and for factors of ports (port_loop.hpp).
template <class M>
inline constexpr bool repeats_values = Ported<M> || !has_uniform_loop<M>;

/// Neurons that a vector loop takes at once.
template <class M>
inline constexpr std::size_t block_size = repeats_values<M> ? repeated_block : chunk;

/// Ports of a group, as the vector loops see them (ports.hpp).
struct PortLanes {
  std::size_t n;
  double* const* state;          ///< columns of the group: field by field, one for each port
  const double* const* factors;  ///< port by port, one for each field
  Fixed* const* sums;
  const double* scale;
  std::size_t input_at;  ///< place in `sums` of the first of the lanes, in the step
  PortsInUse* in_use;
};
struct NoPorts {};

/// Neurons of a group, as the vector loops see them.
template <class M>
struct Lanes {
  std::size_t n;
  std::array<double*, n_fields<typename M::State>> state;
  std::array<const double*, n_fields<typename M::Derived>> derived;  ///< columns; not set when `shared` is and the model has a uniform loop
  const typename M::Derived* shared;                                 ///< values equal for the group, or null
  bool repeated;                                                     ///< the columns hold the same values for each block
  static constexpr std::size_t receptors = Ported<M> ? 0 : M::receptors;
  std::array<Fixed*, receptors> sums;  ///< set to zero when read
  std::array<double, receptors> scale;
  [[no_unique_address]] std::conditional_t<Ported<M>, PortLanes, NoPorts> ports;
  const double* current;  ///< [pA], or null
  const Members* nodes;   ///< of the group
  std::size_t begin;      ///< in nodes
  Step step;
  std::uint64_t seed;
  std::size_t stride;  ///< from the input of a step to that of the next one

  /// Place in `derived` of neuron `begin`, the first of a block.
  NPL_INLINE std::size_t derived_at(std::size_t begin) const { return repeated ? 0 : begin; }
  NPL_INLINE void skip(std::size_t steps) {
    step += static_cast<Step>(steps);
    for (Fixed*& s : sums) s += steps * stride;
    if constexpr (Ported<M>) ports.input_at += steps * stride;
    if (current) current += steps * stride;
  }
};

/// Lanes of a loop: a copy, since the compiler cannot know that stores leave the original alone.
template <class M>
struct OwnLanes : Lanes<M> {
  NPL_INLINE explicit OwnLanes(const Lanes<M>& view) { copy_by_words(static_cast<Lanes<M>&>(*this), view); }
};

/// The n neurons of a group that begin at neuron `begin`.
template <class M>
Lanes<M> lanes_of(const GroupView& g, std::size_t begin, std::size_t n) {
  Lanes<M> lanes;  // not cleared: in a step of few neurons that would take a while
  lanes.n = n;
  std::size_t ports = 0;
  if constexpr (Ported<M>) {
    constexpr std::size_t first = n_fields<typename M::Derived>;
    ports = static_cast<const Ports&>(*g.shape).n;
    lanes.ports = {ports, g.state + M::ports_at, g.derived_columns + first, g.input, g.input_scale, begin, g.ports};
  }
  for (std::size_t k = 0; k < lanes.state.size(); ++k) lanes.state[k] = g.state[state_place<M>(k, ports)] + begin;
  lanes.shared = reinterpret_cast<const typename M::Derived*>(g.derived);
  lanes.repeated = lanes.shared;
  if (!has_uniform_loop<M> || !lanes.shared)
    for (std::size_t k = 0; k < lanes.derived.size(); ++k) lanes.derived[k] = g.derived_columns[k] + lanes.derived_at(begin);
  for (std::size_t r = 0; r < lanes.sums.size(); ++r) lanes.sums[r] = g.input[r] + begin, lanes.scale[r] = g.input_scale[r];
  lanes.current = g.current ? g.current + begin : nullptr;
  lanes.nodes = g.nodes;
  lanes.begin = begin;
  lanes.step = g.step;
  lanes.seed = g.seed;
  lanes.stride = g.stride;
  return lanes;
}

/// Loop<M, true> for neurons with equal values where the model has one, else Loop<M, false>.
template <template <class, bool> class Loop, class M, class... A>
void run_loop(const Lanes<M>& lanes, A... a) {
  if constexpr (has_uniform_loop<M>)
    if (lanes.shared) return Dispatch<Loop<M, true>>::run(&lanes, a...);
  Dispatch<Loop<M, false>>::run(&lanes, a...);
}

/// The same where all models have both loops.
template <template <class, bool> class Loop, class M, class... A>
void run_exact(const Lanes<M>& lanes, A... a) {
  lanes.shared ? Dispatch<Loop<M, true>>::run(&lanes, a...) : Dispatch<Loop<M, false>>::run(&lanes, a...);
}

template <class M>
NPL_INLINE Gid gid_of(const Lanes<M>& lanes, std::size_t i) {
  return (*lanes.nodes)[static_cast<std::int64_t>(lanes.begin + i)];
}

/// Input of neuron i but for its spikes, which are 0 here.
template <class M>
NPL_INLINE Input<M::receptors> input_of(const Lanes<M>& lanes, std::size_t i, double current) {
  Input<M::receptors> in{};
  in.current = current;
  in.gid = gid_of(lanes, i);
  in.step = lanes.step;
  in.seed = lanes.seed;
  return in;
}

}  // namespace npl::nodes
