// SPDX-License-Identifier: Apache-2.0
/// Log of a weight recorder for one table.
#pragma once
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "base/members.hpp"
#include "tables/edge_table.hpp"

namespace npl::pathways {

/// A transmitted weight.
struct WeightEvent {
  double weight;
  Gid source, target;
  std::int32_t stamp;      ///< of the spike [steps]
  std::uint32_t position;  ///< of the synapse in its table; Places::gone: removed since
  Delay delay;             ///< [steps]
};

/// A weight transmitted since the table was made. The table gives the synapse's source, target and delay.
struct WeightNote {
  double weight;
  std::uint32_t position;  ///< of the synapse in the table
  std::int32_t stamp;      ///< of the spike [steps]
};

/// Logged events, and the selection of synapses: those with a recorded source and a recorded target.
struct WeightLog {
  std::vector<char> rows;            ///< [rows] nonzero: the source is recorded; empty: all
  std::vector<char> targets;         ///< [nodes of the slice] nonzero: the target is recorded; empty: all
  std::vector<WeightEvent> earlier;  ///< from a checkpoint, or from the table before an edit
  std::vector<WeightNote> notes;     ///< transmitted since

  std::size_t size() const { return earlier.size() + notes.size(); }
  void clear() { earlier = {}, notes = {}; }
  std::size_t bytes() const { return rows.capacity() + targets.capacity() + earlier.capacity() * sizeof(WeightEvent) + list_bytes(notes); }
  bool records_row(std::uint32_t row) const { return rows.empty() || rows[row]; }
  bool records_target(Local local) const { return targets.empty() || (local < targets.size() && targets[local]); }
  /// Calls f(event) for each transmitted weight. @param table of these synapses @param nodes of its slice
  template <class F>
  void for_each(const tables::EdgeTable& table, const Residents& nodes, F&& f) const {
    for (const WeightEvent& e : earlier) f(e);
    for (const WeightNote& n : notes) {
      const std::uint32_t row = table.row_of(n.position);
      const Gid target = nodes.gid(table.target[n.position]);
      f(WeightEvent{n.weight, table.row_source[row], target, n.stamp, n.position, table.delay_of(row, n.position)});
    }
  }
};

}  // namespace npl::pathways
