// SPDX-License-Identifier: Apache-2.0
/// Log of a weight recorder for one table.
#pragma once
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"

namespace npl::pathways {

/// A transmitted weight.
struct WeightEvent {
  double weight;
  Gid source, target;
  std::int32_t stamp;      ///< of the spike [steps]
  std::uint32_t position;  ///< of the synapse in its table; Places::gone: removed since
  Delay delay;             ///< [steps]
};

/// Logged events, and the selection of synapses: those with a recorded source and a recorded target.
struct WeightLog {
  std::vector<char> rows;     ///< [rows] nonzero: the source is recorded; empty: all
  std::vector<char> targets;  ///< [nodes of the slice] nonzero: the target is recorded; empty: all
  std::vector<WeightEvent> events;

  std::size_t bytes() const { return rows.capacity() + targets.capacity() + list_bytes(events); }
  bool records_row(std::uint32_t row) const { return rows.empty() || rows[row]; }
  bool records_target(Local local) const { return targets.empty() || (local < targets.size() && targets[local]); }
};

}  // namespace npl::pathways
