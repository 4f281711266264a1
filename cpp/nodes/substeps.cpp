// SPDX-License-Identifier: Apache-2.0
#include "nodes/substeps.hpp"

#include <algorithm>
#include <numeric>

#include "base/math.hpp"

namespace npl::nodes::rkf45 {

namespace {

void copy(const double* from, const std::uint16_t* index, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = from[index[i]];
  std::fill(to + n, to + padded(n), from[index[0]]);
}
void put(const double* from, const std::uint16_t* index, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[index[i]] = from[i];
}

/// Derived value 0 is the time step.
bool is_pending(const Columns& c, std::uint16_t i) { return c.t[i] < (c.shared ? c.shared[0] : c.derived[0][i]); }

}  // namespace

void Gathered::take(const Columns& from, const std::uint16_t* index, std::size_t n) {
  for (std::size_t k = 0; k < state.size(); ++k) copy(from.state[k], index, n, state[k]);
  for (std::size_t k = 0; k < derived.size() && !fixed; ++k) copy(from.derived[k], index, n, derived[k]);
  copy(from.current, index, n, current);
  copy(from.t, index, n, t);
  copy(from.spikes, index, n, spikes);
}

void Gathered::give(const Columns& to, const std::uint16_t* index, std::size_t n) const {
  for (std::size_t k = 0; k < state.size(); ++k) put(state[k], index, n, to.state[k]);
  put(t, index, n, to.t);
  put(spikes, index, n, to.spikes);
}

bool attempt_rest(const Columns& columns, Gathered& gathered, std::size_t whole) {
  std::uint16_t index[padded(1)];
  std::iota(index, index + padded(1), static_cast<std::uint16_t>(whole));
  const std::size_t n = columns.n - whole;
  gathered.take(columns, index, n);
  gathered.attempt(gathered.model, n);
  gathered.give(columns, index, n);
  return std::any_of(index, index + n, [&](std::uint16_t i) { return is_pending(columns, i); });
}

void complete(const Columns& columns, Gathered& gathered) {
  std::uint16_t index[batch];
  std::size_t left = 0;
  for (std::size_t i = 0; i < columns.n; ++i)
    if (is_pending(columns, static_cast<std::uint16_t>(i))) index[left++] = static_cast<std::uint16_t>(i);
  for (int attempts = 1; attempts < max_attempts && left > 0; ++attempts) {
    for (std::size_t begin = 0; begin < left; begin += Gathered::size) {
      const std::size_t n = std::min(Gathered::size, left - begin);
      gathered.take(columns, index + begin, n);
      gathered.attempt(gathered.model, n);
      gathered.give(columns, index + begin, n);
    }
    left = static_cast<std::size_t>(std::remove_if(index, index + left, [&](std::uint16_t i) { return !is_pending(columns, i); }) - index);
  }
  for (std::size_t k = 0; k < left; ++k) columns.state[0][index[k]] = math::detail::nan;
}

}  // namespace npl::nodes::rkf45
