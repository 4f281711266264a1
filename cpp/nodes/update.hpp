// SPDX-License-Identifier: Apache-2.0
/// Turns a model's branch-free update of one neuron into a vectorised update of a group, and its struct into a ModelInfo.
///
/// A model has either
///   `step(State&, const Derived&, const Input&)`, which returns the number of spikes, or, faster,
///   `advance` (the same, without spikes), `crossed(const State&, const Derived&)` (is there something to do?) and
///   `fire(State&, const Derived&, const Input&)`, which returns the number of spikes and is called for the few neurons that crossed;
///   `advanced` = number of leading state fields that `advance` changes (all when it is not there): the others are not written.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "nodes/model.hpp"

/// Inlining is not left to gcc's judgement: a call in a loop keeps it scalar.
#define NPL_INLINE_LAMBDA __attribute__((always_inline))

namespace npl::nodes {

inline constexpr std::size_t chunk = 256;  ///< neurons between two looks for spikes

/// A struct of nothing but doubles, seen as columns.
template <class S>
inline constexpr std::size_t n_fields = sizeof(S) / sizeof(double);

/// Field k of such a struct.
template <class S>
NPL_INLINE double& field(S& s, std::size_t k) {
  return reinterpret_cast<double*>(&s)[k];
}
template <class S>
NPL_INLINE double field(const S& s, std::size_t k) {
  return reinterpret_cast<const double*>(&s)[k];
}

template <class S, class Column>
NPL_INLINE S load_fields(const Column* columns, std::size_t i) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA { return S{columns[K][i]...}; }(std::make_index_sequence<n_fields<S>>{});
}

/// Stores the first `Count` fields.
template <class S, std::size_t Count = n_fields<S>>
NPL_INLINE void store_fields(double* const* columns, std::size_t i, const S& s) {
  [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA { ((columns[K][i] = field(s, K)), ...); }(std::make_index_sequence<Count>{});
}

/// At most `chunk` neurons of a group, as the vector loops see them.
template <class M>
struct Lanes {
  std::size_t n;
  std::array<double*, n_fields<typename M::State>> state;
  std::array<const double*, n_fields<typename M::Derived>> derived;  ///< columns; not set when `shared` is
  const typename M::Derived* shared;                                 ///< values equal for the group, or null
  std::array<const double*, M::receptors> spikes;
  const double* current;  ///< [pA], or null
  Gid first_gid, gid_stride;
  Step step;
  std::uint64_t seed;
};

template <class M>
NPL_INLINE Input<M::receptors> load_input(const Lanes<M>& lanes, std::size_t i, bool has_current) {
  Input<M::receptors> in{};
  for (int r = 0; r < M::receptors; ++r) in.spikes[r] = lanes.spikes[r][i];
  in.current = has_current ? lanes.current[i] : 0.0;
  in.gid = lanes.first_gid + static_cast<Gid>(i) * lanes.gid_stride;
  in.step = lanes.step;
  in.seed = lanes.seed;
  return in;
}

/// Reads n sums as doubles and sets them to zero.
struct TakeSums {
  NPL_INLINE static void run(Fixed* sums, double scale, double* out, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = fixed_to_double(sums[i]) * scale;
      sums[i] = 0;
    }
  }
};

inline bool all_zero(const Fixed* sums, std::size_t n) {
  Fixed any = 0;
  std::size_t i = 0;
  for (; i + 16 <= n && !any; i += 16)
    for (std::size_t k = 0; k < 16; ++k) any |= sums[i + k];
  for (; i < n && !any; ++i) any |= sums[i];
  return !any;
}

/// The input of one chunk as doubles; rows that stay zero are neither converted nor written.
template <int Receptors>
class InputRows {
 public:
  void take(const GroupView& g, std::size_t begin, std::size_t n) {
    for (int r = 0; r < Receptors; ++r) {
      Fixed* sums = g.input[r] + begin;
      if (!all_zero(sums, n)) {
        Dispatch<TakeSums>::run(sums, g.input_scale[r], rows_[r], n);
        clear_[r] = false;
      } else if (!clear_[r]) {
        std::fill_n(rows_[r], chunk, 0.0);
        clear_[r] = true;
      }
    }
  }
  const double* row(int r) const { return rows_[r]; }

 private:
  alignas(64) double rows_[Receptors][chunk] = {};
  bool clear_[Receptors];

 public:
  InputRows() { std::fill_n(clear_, Receptors, true); }
};

/// The chunk that begins at neuron `begin`.
template <class M>
Lanes<M> lanes_of(const GroupView& g, std::size_t begin, const InputRows<M::receptors>& input) {
  Lanes<M> lanes{};
  lanes.n = std::min(chunk, g.n - begin);
  for (std::size_t k = 0; k < lanes.state.size(); ++k) lanes.state[k] = g.state[k] + begin;
  lanes.shared = reinterpret_cast<const typename M::Derived*>(g.derived);
  if (!g.derived)
    for (std::size_t k = 0; k < lanes.derived.size(); ++k) lanes.derived[k] = g.derived_columns[k] + begin;
  for (int r = 0; r < M::receptors; ++r) lanes.spikes[r] = input.row(r);
  lanes.current = g.current ? g.current + begin : nullptr;
  lanes.first_gid = g.first_gid + static_cast<Gid>(begin) * g.gid_stride;
  lanes.gid_stride = g.gid_stride;
  lanes.step = g.step;
  lanes.seed = g.seed;
  return lanes;
}

template <class M>
concept Splits = requires(typename M::State& s, const typename M::Derived& d, const Input<M::receptors>& in) { M::advance(s, d, in); };

/// Number of state fields that the vector loop writes.
template <class M>
constexpr std::size_t written_fields() {
  if constexpr (requires { M::advanced; })
    return M::advanced;
  else
    return n_fields<typename M::State>;
}

/// The vector loop. counts[k] = spikes of neuron k (models with `step` only); *any when somebody spiked or crossed.
template <class M, bool Uniform, bool HasCurrent>
struct StepLoop {
  using State = typename M::State;
  using Derived = typename M::Derived;

  NPL_INLINE static double one(State& s, const Derived& d, const Input<M::receptors>& in) {
    if constexpr (Splits<M>) {
      M::advance(s, d, in);
      return M::crossed(s, d) ? 1.0 : 0.0;
    } else {
      return M::step(s, d, in);
    }
  }

  NPL_INLINE static void run(const Lanes<M>* view, double* counts, bool* any) {
    const Lanes<M> lanes = *view;
    Derived shared{};
    if constexpr (Uniform) shared = *lanes.shared;
    std::uint64_t all = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < lanes.n; ++i) {
      State s = load_fields<State>(lanes.state.data(), i);
      double count;
      if constexpr (Uniform)
        count = one(s, shared, load_input(lanes, i, HasCurrent));
      else
        count = one(s, load_fields<Derived>(lanes.derived.data(), i), load_input(lanes, i, HasCurrent));
      store_fields<State, written_fields<M>()>(lanes.state.data(), i, s);
      if constexpr (!Splits<M>) counts[i] = count;
      all |= std::bit_cast<std::uint64_t>(count);
    }
    *any = all != 0;
  }
};

template <class M>
typename M::Derived derived_of(const Lanes<M>& lanes, std::size_t i) {
  return lanes.shared ? *lanes.shared : load_fields<typename M::Derived>(lanes.derived.data(), i);
}

/// Calls `fire` for the neurons that crossed; counts as in StepLoop.
template <class M>
void fire_crossed(const Lanes<M>& lanes, double* counts) {
  for (std::size_t i = 0; i < lanes.n; ++i) {
    auto s = load_fields<typename M::State>(lanes.state.data(), i);
    const auto d = derived_of(lanes, i);
    counts[i] = 0.0;
    if (!M::crossed(s, d)) continue;
    counts[i] = M::fire(s, d, load_input(lanes, i, lanes.current != nullptr));
    store_fields(lanes.state.data(), i, s);
  }
}

/// Appends counts[i] spikes of each neuron i.
template <class M>
void emit(const Lanes<M>& lanes, const double* counts, std::vector<Spike>& spikes) {
  for (std::size_t i = 0; i < lanes.n; ++i)
    for (double k = 0.0; k < counts[i]; ++k) spikes.push_back({lanes.first_gid + static_cast<Gid>(i) * lanes.gid_stride, lanes.step});
}

/// One step of a group of model M, chunk by chunk.
template <class M>
void update_steps(const GroupView& g) {
  InputRows<M::receptors> input;
  double counts[chunk];
  for (std::size_t begin = 0; begin < g.n; begin += chunk) {
    input.take(g, begin, std::min(chunk, g.n - begin));
    const Lanes<M> lanes = lanes_of<M>(g, begin, input);
    bool any = false;
    if (lanes.shared)
      lanes.current ? Dispatch<StepLoop<M, true, true>>::run(&lanes, counts, &any) : Dispatch<StepLoop<M, true, false>>::run(&lanes, counts, &any);
    else
      lanes.current ? Dispatch<StepLoop<M, false, true>>::run(&lanes, counts, &any) : Dispatch<StepLoop<M, false, false>>::run(&lanes, counts, &any);
    if (!any) continue;
    if constexpr (Splits<M>) fire_crossed(lanes, counts);
    emit(lanes, counts, *g.spikes);
  }
}

template <class M>
void derive_fields(const double* parameters, double dt, double* derived) {
  const typename M::Derived d = M::derive(*reinterpret_cast<const typename M::Params*>(parameters), dt);
  *reinterpret_cast<typename M::Derived*>(derived) = d;
}

template <class M>
void check_fields(const double* parameters) {
  if constexpr (requires(const typename M::Params& p) { M::check(p); })
    M::check(*reinterpret_cast<const typename M::Params*>(parameters));
}

/// The description of model M, for the registry.
template <class M>
ModelInfo describe(void (*update)(const GroupView&)) {
  static_assert(M::parameters.size() == n_fields<typename M::Params>, "one Field per member of Params, in order");
  static_assert(M::state.size() == n_fields<typename M::State>, "one Field per member of State, in order");
  static_assert(M::receptors <= max_receptors);
  ModelInfo info{};
  info.name = M::name;
  info.doc = M::doc;
  info.receptors = M::receptors;
  info.input = M::input;
  if (M::input == SpikeInput::by_sign) info.receptor_names = {"excitatory", "inhibitory"};
  info.parameters.assign(M::parameters.begin(), M::parameters.end());
  info.state.assign(M::state.begin(), M::state.end());
  info.n_derived = n_fields<typename M::Derived>;
  info.derive = derive_fields<M>;
  info.check = check_fields<M>;
  info.update = update;
  return info;
}

}  // namespace npl::nodes

/// Registers model struct `Type` with its update function; `id` must be the file's name without .cpp (CMake lists the files).
#define NPL_NEURON_WITH(id, Type, update)                     \
  namespace npl::nodes {                                      \
  const ModelInfo& model_##id() {                             \
    static const ModelInfo info = describe<Type>(update);     \
    return info;                                              \
  }                                                           \
  }
/// The same for a model with `step` or `advance`.
#define NPL_NEURON(id, Type) NPL_NEURON_WITH(id, Type, update_steps<Type>)
