// SPDX-License-Identifier: Apache-2.0
/// Rows in flight, run by run.
#pragma once
#include "base/simd.hpp"
#include "deliver/edge_table.hpp"

namespace npl::deliver {

/// A row in flight: its next run, and when its spike was emitted.
struct Pending {
  std::uint32_t position;  ///< first synapse of the next run
  std::uint32_t run;       ///< layout runs: index of the next run; layout words: unused
  std::uint32_t end;       ///< layout runs: one past the last run; layout words: one past the last synapse
  std::uint32_t length;    ///< synapses in the next run
};

/// Moves to the next run of the row; returns the delay between the two, or -1 at the end of the row.
template <Layout L>
NPL_INLINE int advance(const EdgeTable& t, Pending& p) {
  p.position += p.length;
  if constexpr (L == Layout::runs) {
    const Delay now = t.runs[p.run].delay;
    if (++p.run == p.end) return -1;
    p.length = t.runs[p.run].length;
    return t.runs[p.run].delay - now;
  } else if constexpr (L == Layout::single) {
    return -1;
  } else {
    if (p.position == p.end) return -1;
    const Delay now = t.delay[p.position - 1], next = t.delay[p.position];
    std::uint32_t i = p.position + 1;
    while (i < p.end && t.delay[i] == next) ++i;
    p.length = i - p.position;
    return next - now;
  }
}

/// As advance, where the layout is asked for at every run.
NPL_INLINE int advance_any(const EdgeTable& t, Pending& p) {
  return t.layout == Layout::runs ? advance<Layout::runs>(t, p) : t.layout == Layout::words ? advance<Layout::words>(t, p) : -1;
}

/// The first run of a row.
inline Pending first_run(const EdgeTable& t, std::uint32_t row, Delay& delay) {
  const auto [begin, end] = t.rows[row];
  Pending p{begin, 0, 0, 0};
  if (t.layout == Layout::single) {
    p.end = end;
    p.length = end - begin;
    delay = t.one_delay;
  } else if (t.layout == Layout::runs) {
    p.run = t.run_begin[row];
    p.end = t.run_begin[row + 1];
    p.length = t.runs[p.run].length;
    delay = t.runs[p.run].delay;
  } else {
    p.end = end;
    delay = t.delay[p.position];
    std::uint32_t i = p.position;
    while (i < p.end && t.delay[i] == delay) ++i;
    p.length = i - p.position;
  }
  return p;
}

}  // namespace npl::deliver
