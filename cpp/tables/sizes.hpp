// SPDX-License-Identifier: Apache-2.0
/// Expected bytes of the index of a table, from numbers of rows, runs and synapses; columns.hpp has those of its columns. The structures
/// tell what they have become by payload_bytes() and index_bytes(); tests hold the two together.
#pragma once
#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "tables/edge_table.hpp"

namespace npl::tables {

/// Beginnings of runs, and runs.
inline double run_bytes(Layout layout, double rows, double runs) {
  return layout == Layout::runs ? sizeof(std::uint32_t) * (rows + 1) + sizeof(Run) * runs : 0;
}

/// A bit per synapse where rows are short and edges were sorted.
inline double offset_bytes(bool sorted, double rows, double synapses) {
  return sorted && synapses <= RowOffsets::longest_marked * rows ? RowOffsets::marked_bytes(rows, synapses) : RowOffsets::plain_bytes(rows);
}

/// Mean length of a difference between numbers of which a share `density` occurs, at random; longer by `skipped`.
inline double mean_varint(double density, double skipped = 0) {
  double bytes = 1, none = math::log1p(-std::min(density, 1 - 1e-12));
  for (double least = 127; least < 1e18; least = least * 128 + 127) bytes += math::exp(none * std::max(least - skipped, 0.0));
  return bytes;
}

/// Mean length of numbers below n, all equally often.
inline double mean_varint_below(double n) {
  double bytes = 1;
  for (double least = 128; least < n; least *= 128) bytes += 1 - least / n;
  return bytes;
}

/// Blocks of a SourceList: the plain number and where its differences begin, instead of a difference.
inline double block_bytes(double rows) { return std::ceil(rows / SourceList::block) * (2 * sizeof(std::uint64_t) - 1); }

/// An array for all gids of the range, where a quarter of them occurs.
inline bool direct(double rows, double span) { return span <= 4 * rows; }

}  // namespace npl::tables
