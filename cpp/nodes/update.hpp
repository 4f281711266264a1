// SPDX-License-Identifier: Apache-2.0
/// Turns a model's branch-free `step` of one neuron into a vectorised update of a group, and its struct into a ModelInfo.
#pragma once
#include <algorithm>
#include <array>
#include <utility>

#include "nodes/model.hpp"

namespace npl::nodes {

inline constexpr std::size_t chunk = 256;  ///< neurons between two looks for spikes

/// A struct of nothing but doubles, seen as columns.
template <class S>
inline constexpr std::size_t n_fields = sizeof(S) / sizeof(double);

template <class S, class Column>
NPL_INLINE S load_fields(const Column* columns, std::size_t i) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) { return S{columns[K][i]...}; }(std::make_index_sequence<n_fields<S>>{});
}

template <class S>
NPL_INLINE void store_fields(double* const* columns, std::size_t i, const S& s) {
  const auto values = std::bit_cast<std::array<double, n_fields<S>>>(s);
  [&]<std::size_t... K>(std::index_sequence<K...>) { ((columns[K][i] = values[K]), ...); }(std::make_index_sequence<n_fields<S>>{});
}

/// Reads the sums of neuron i and sets them to zero.
template <int R, bool HasCurrent>
NPL_INLINE Input<R> take_input(const GroupView& g, Fixed* const* sums, const double* scale, std::size_t i) {
  Input<R> in{};
  for (int r = 0; r < R; ++r) {
    in.spikes[r] = fixed_to_double(sums[r][i]) * scale[r];
    sums[r][i] = 0;
  }
  in.current = HasCurrent ? g.current[i] : 0.0;
  in.gid = g.first_gid + static_cast<Gid>(i) * g.gid_stride;
  in.step = g.step;
  in.seed = g.seed;
  return in;
}

/// Appends a spike for every set flag (as many as the flag says) of neurons begin..begin+m.
inline void emit(const GroupView& g, const std::int64_t* flags, std::size_t begin, std::size_t m) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::int64_t k = 0; k < flags[i]; ++k)
      g.spikes->push_back({g.first_gid + static_cast<Gid>(begin + i) * g.gid_stride, g.step});
}

template <class M, bool Uniform, bool HasCurrent>
struct StepBody {
  using State = typename M::State;
  using Derived = typename M::Derived;

  NPL_INLINE static void run(const GroupView* view) {
    const GroupView& g = *view;
    std::array<double*, n_fields<State>> state;
    std::copy_n(g.state, state.size(), state.begin());
    std::array<const double*, n_fields<Derived>> columns{};
    Derived shared{};
    if constexpr (Uniform)
      shared = *reinterpret_cast<const Derived*>(g.derived);
    else
      std::copy_n(g.derived_columns, columns.size(), columns.begin());
    std::array<Fixed*, M::receptors> sums;
    std::array<double, M::receptors> scale;
    for (int r = 0; r < M::receptors; ++r) sums[r] = g.input[r], scale[r] = g.input_scale[r];

    std::int64_t flags[chunk];
    for (std::size_t begin = 0; begin < g.n; begin += chunk) {
      const std::size_t m = std::min(chunk, g.n - begin);
      std::int64_t any = 0;
#pragma GCC ivdep
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t i = begin + k;
        State s = load_fields<State>(state.data(), i);
        const Input<M::receptors> in = take_input<M::receptors, HasCurrent>(g, sums.data(), scale.data(), i);
        if constexpr (Uniform)
          flags[k] = M::step(s, shared, in);
        else
          flags[k] = M::step(s, load_fields<Derived>(columns.data(), i), in);
        store_fields(state.data(), i, s);
        any |= flags[k];
      }
      if (any) emit(g, flags, begin, m);
    }
  }
};

template <template <class, bool, bool> class Body, class M>
void update_group(const GroupView& g) {
  if (g.derived)
    g.current ? Dispatch<Body<M, true, true>>::run(&g) : Dispatch<Body<M, true, false>>::run(&g);
  else
    g.current ? Dispatch<Body<M, false, true>>::run(&g) : Dispatch<Body<M, false, false>>::run(&g);
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
template <class M, template <class, bool, bool> class Body = StepBody>
ModelInfo describe() {
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
  info.update = update_group<Body, M>;
  return info;
}

}  // namespace npl::nodes

/// Registers model struct `Type`; `id` must be the file's name without .cpp (CMake lists the files in registry.gen.cpp).
#define NPL_NEURON(id, Type)                                  \
  namespace npl::nodes {                                      \
  const ModelInfo& model_##id() {                             \
    static const ModelInfo info = describe<Type>();           \
    return info;                                              \
  }                                                           \
  }
