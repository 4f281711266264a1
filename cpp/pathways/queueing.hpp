// SPDX-License-Identifier: Apache-2.0
/// The ways in which a static table queues its spikes, and which one is the fastest for given numbers. For the pathway and the memory
/// model.
#pragma once
#include "tables/table_spec.hpp"

namespace npl::pathways {

/// Numbers of a table in one slice.
struct TableCounts {
  double synapses, rows;
  double runs;   ///< of synapses of a row with the same delay
  double nodes;  ///< of the slice
};

struct Queueing {
  enum class By {
    runs,     ///< a calendar entry moves from run to run of a row
    events,   ///< all synapses of a row are queued as single events at once
    windows,  ///< the synapses of a row that are due in the next few steps are added to sums of these steps
  };
  By by = By::runs;
  unsigned window = 0;  ///< (windows) [steps], a power of two
};

/// The fastest way for a static table.
Queueing queueing_of(const TableCounts& table);
/// Expected bytes in flight of a static table in one slice. @param rate spikes per source and step @param longest_delay [steps]
double queued_bytes(const tables::TableSpec& spec, const TableCounts& table, double rate, double longest_delay);

}  // namespace npl::pathways
