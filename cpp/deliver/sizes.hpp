// SPDX-License-Identifier: Apache-2.0
/// How large the structures of a table will be, from the numbers of what they hold: for predictions. The structures themselves tell what
/// they have become by payload_bytes() and index_bytes(); tests hold the two together.
#pragma once
#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "deliver/edge_table.hpp"
#include "synapses/single.hpp"

namespace npl::deliver {

/// Target, weight and, in words, the delay.
inline double payload_per_synapse(Weights weights, Layout layout) {
  const double weight = weights == Weights::f32 ? sizeof(float) : weights == Weights::f64 ? sizeof(double) : 0;
  return sizeof(std::uint16_t) + weight + (layout == Layout::words ? sizeof(Delay) : 0);
}

/// What synapses that are processed one by one keep besides.
inline double single_per_synapse(const TableSpec& spec) {
  const synapses::SinglePlasticity* rule = spec.plasticity ? spec.plasticity->single() : nullptr;
  return rule ? static_cast<double>(sizeof(double)) * rule->synapse_values() + (rule->draws() ? sizeof(std::uint16_t) : 0) : 0.0;
}

/// Runs and plasticity (values kept of a source, 0: static); where rows begin, and their sources, come besides.
inline double row_bytes(int values, Layout layout, double rows, double runs) {
  return (layout == Layout::runs ? sizeof(std::uint32_t) * (rows + 1) + sizeof(Run) * runs : 0) + (values ? (sizeof(std::int32_t) + sizeof(double) * values) * rows : 0);
}

/// A bit per synapse where rows are short and edges were sorted.
inline double offset_bytes(bool sorted, double rows, double synapses) {
  return sorted && synapses <= 4 * rows ? RowOffsets::marked_bytes(rows, synapses) : RowOffsets::plain_bytes(rows);
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

}  // namespace npl::deliver
