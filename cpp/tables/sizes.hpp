// SPDX-License-Identifier: Apache-2.0
/// Memory model of the index of a table, from expected numbers of rows, runs and synapses; see columns.hpp for its columns. Tests compare
/// it with the actual payload_bytes() and index_bytes().
#pragma once
#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "tables/edge_table.hpp"

namespace npl::tables {

/// Bytes of run_begin and runs.
inline double run_bytes(Layout layout, double rows, double runs) {
  return layout == Layout::runs ? sizeof(std::uint32_t) * (rows + 1) + sizeof(Run) * runs : 0;
}

/// Bytes of RowOffsets: none if rows have one synapse, a bit per synapse if rows are short and edges were sorted, else plain offsets.
inline double offset_bytes(bool sorted, double rows, double synapses) {
  if (synapses <= rows * (1 + 1e-9)) return 0;
  return sorted && synapses <= RowOffsets::longest_marked * rows ? RowOffsets::marked_bytes(rows, synapses) : RowOffsets::plain_bytes(rows);
}

/// Mean bytes of a varint that encodes the difference between consecutive members of a random set with this density, plus `skipped`.
inline double mean_varint(double density, double skipped = 0) {
  double bytes = 1, none = math::log1p(-std::min(density, 1 - 1e-12));
  for (double least = 127; least < 1e18; least = least * 128 + 127) bytes += math::exp(none * std::max(least - skipped, 0.0));
  return bytes;
}

/// Mean bytes of a varint of a uniform number below n.
inline double mean_varint_below(double n) {
  double bytes = 1;
  for (double least = 128; least < n; least *= 128) bytes += 1 - least / n;
  return bytes;
}

}  // namespace npl::tables
