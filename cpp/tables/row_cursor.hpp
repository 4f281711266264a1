// SPDX-License-Identifier: Apache-2.0
/// Position of a spike in a row: it is delivered run by run of equal delay.
#pragma once
#include "base/simd.hpp"
#include "tables/edge_table.hpp"

namespace npl::tables {

/// The next run of a row to be delivered.
struct RowCursor {
  std::uint32_t position;  ///< first synapse of the next run
  std::uint32_t run;       ///< layout runs: index of the next run; layout single: the row; else unused
  std::uint32_t end;       ///< layout runs: one past the last run; else one past the last synapse
  std::uint32_t length;    ///< synapses in the next run
};

/// Moves to the next run of the row; returns the difference of the two delays [steps], or -1 at the end of the row.
template <Layout L>
NPL_INLINE int advance(const EdgeTable& t, RowCursor& p) {
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

/// advance() with the layout of the table selected at run time.
NPL_INLINE int advance_any(const EdgeTable& t, RowCursor& p) {
  return t.layout == Layout::runs ? advance<Layout::runs>(t, p) : t.layout == Layout::words ? advance<Layout::words>(t, p) : -1;
}

/// (layout words) Number of synapses from i to the end of its row with the delay of synapse i.
inline std::uint32_t equal_delays(const EdgeTable& t, std::uint32_t i, std::uint32_t end) {
  std::uint32_t after = i;
  while (after < end && t.delay[after] == t.delay[i]) ++after;
  return after - i;
}

/// The first run of a row. @param synapses of the row @param delay out: its delay [steps]
NPL_INLINE RowCursor first_run(const EdgeTable& t, std::uint32_t row, RowOffsets::Range synapses, Delay& delay) {
  const auto [begin, end] = synapses;
  if (t.layout == Layout::single) {
    delay = t.one_delay;
    return {begin, row, end, end - begin};
  }
  if (t.layout == Layout::words) {
    delay = t.delay[begin];
    return {begin, 0, end, equal_delays(t, begin, end)};
  }
  const std::uint32_t run = t.run_begin[row];
  delay = t.runs[run].delay;
  return {begin, run, t.run_begin[row + 1], t.runs[run].length};
}

/// Cursor at any synapse of a row; its first run may be the rest of a run.
inline RowCursor cursor_at(const EdgeTable& t, std::uint32_t row, std::uint32_t synapse) {
  const auto [begin, end] = t.rows[row];
  if (t.layout == Layout::single) return {synapse, row, end, end - synapse};
  if (t.layout == Layout::words) return {synapse, 0, end, equal_delays(t, synapse, end)};
  std::uint32_t run = t.run_begin[row], last = begin + t.runs[run].length;
  while (last <= synapse) last += t.runs[++run].length;
  return {synapse, run, t.run_begin[row + 1], last - synapse};
}

/// The delay of the next run [steps].
NPL_INLINE Delay next_delay(const EdgeTable& t, const RowCursor& p) {
  return t.layout == Layout::runs ? t.runs[p.run].delay : t.layout == Layout::words ? t.delay[p.position] : t.one_delay;
}

/// Calls f(synapse, gap) for all synapses not yet delivered; gap: its delay minus the delay of the next run [steps].
template <class F>
void for_rest(const EdgeTable& t, const RowCursor& p, F&& f) {
  if (t.layout != Layout::runs) {
    for (std::uint32_t i = p.position; i < p.end; ++i) f(i, t.layout == Layout::words ? t.delay[i] - t.delay[p.position] : 0);
    return;
  }
  std::uint32_t i = p.position, left = p.length;  // a cursor may begin inside a run
  for (std::uint32_t r = p.run; r < p.end; left = ++r < p.end ? t.runs[r].length : 0)
    for (std::uint32_t k = 0; k < left; ++k) f(i++, t.runs[r].delay - t.runs[p.run].delay);
}

}  // namespace npl::tables
