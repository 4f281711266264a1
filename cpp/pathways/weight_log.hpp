// SPDX-License-Identifier: Apache-2.0
/// What a weight recorder notes of one table.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace npl::pathways {

/// A weight that a synapse has sent.
struct WeightEvent {
  double weight;
  Gid source, target;
  std::int32_t stamp;      ///< of the spike
  std::uint32_t position;  ///< of the synapse in its table; Places::gone where it was removed since
  Delay delay;
};

/// Events, and which synapses are recorded: those whose row and target are.
struct WeightLog {
  std::vector<char> rows;     ///< [rows] is the source recorded? Empty: all are.
  std::vector<char> targets;  ///< [nodes of the slice] is the target recorded? Empty: all are.
  std::vector<WeightEvent> events;

  std::size_t bytes() const { return rows.capacity() + targets.capacity() + events.capacity() * sizeof(WeightEvent); }
  bool records_row(std::uint32_t row) const { return rows.empty() || rows[row]; }
  bool records_target(Local local) const { return targets.empty() || (local < targets.size() && targets[local]); }
};

}  // namespace npl::pathways
