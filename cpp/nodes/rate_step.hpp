// SPDX-License-Identifier: Apache-2.0
/// A step of a group of rate neurons (rate.hpp).
#pragma once
#include <algorithm>
#include <array>

#include "model/rate.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// Standard normal numbers of n neurons from `begin` in a step, by gid and step.
void rate_noise(const GroupView& g, std::size_t begin, std::size_t n, double* out);

/// One step of rate neurons.
template <class M>
void update_rates(const GroupView& g) {
  std::array<double, chunk> noise;
  for (std::size_t begin = g.begin; begin < g.begin + g.n; begin += chunk) {
    const std::size_t n = std::min(chunk, g.begin + g.n - begin);
    noise.fill(0.0);
    bool quiet = true;
    const auto derived = [&](std::size_t i) {
      return g.derived ? *reinterpret_cast<const typename M::Derived*>(g.derived) : load_fields<typename M::Derived>(g.derived_columns, i);
    };
    for (std::size_t k = 0; k < n && quiet; k += g.derived ? n : 1) quiet = derived(begin + k).sigma == 0.0;
    if (!quiet) rate_noise(g, begin, n, noise.data());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      auto s = load_fields<typename M::State>(g.state, i);
      const rate::Drive in = g.taken ? rate::Drive{g.taken[0][i], g.taken[1][i]} : rate::Drive{0.0, 0.0};
      M::step(s, derived(i), in, noise[k]);
      store_fields(g.state, i, s);
      for (int r = 0; r < M::receptors; ++r) g.input[r][i] = 0;
    }
  }
}

}  // namespace npl::nodes

/// Registers a rate neuron; see NPL_NEURON.
#define NPL_RATE_NEURON(id, Type) NPL_NEURON_WITH(id, Type, update_rates<Type>)
