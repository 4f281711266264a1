// SPDX-License-Identifier: Apache-2.0
/// Entries of the calendars: a row with an in-flight spike, by kind of pathway.
#pragma once
#include "synapses/single.hpp"
#include "tables/row_cursor.hpp"

namespace npl::pathways {

struct StaticEntry {
  tables::RowCursor at;
};

struct PlasticEntry {
  tables::RowCursor at;
  Step stamp;                 ///< of the spike [steps]
  synapses::PreTrace before;  ///< presynaptic state before the spike
};

struct StatefulEntry {
  tables::RowCursor at;
  Step stamp;
  std::uint32_t row;
  synapses::PreValues before;
};

struct OffGridEntry {
  tables::RowCursor at;
  double offset;  ///< sub-step offset of the arrival: time before the end of the step [ms]
};

/// Presynaptic state before the spike of an entry.

inline synapses::PreValues before_of(const StaticEntry&) { return {}; }
inline synapses::PreValues before_of(const OffGridEntry&) { return {}; }
inline synapses::PreValues before_of(const PlasticEntry& e) { return {e.before.last, {e.before.trace}}; }
inline synapses::PreValues before_of(const StatefulEntry& e) { return e.before; }

}  // namespace npl::pathways
