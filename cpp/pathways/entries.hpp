// SPDX-License-Identifier: Apache-2.0
/// Entries of the calendars: a row with an in-flight spike, by kind of pathway.
#pragma once
#include "pathways/pathway.hpp"
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

struct ExactEntry {
  tables::RowCursor at;
  Step stamp;
  std::uint32_t row;
  synapses::PreValues before;
  double offset;  ///< of the spike: before the end of its step [ms]
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
inline synapses::PreValues before_of(const ExactEntry& e) { return e.before; }

/// What checkpoints keep of an entry besides its time: calls copy(member, kept member), to save or to load.
template <class Copy>
void keep(StaticEntry&, QueuedRow&, Copy&&) {}
template <class Copy>
void keep(OffGridEntry& e, QueuedRow& kept, Copy&& copy) {
  copy(e.offset, kept.offset);
}
template <class Copy>
void keep(PlasticEntry& e, QueuedRow& kept, Copy&& copy) {
  copy(e.stamp, kept.stamp), copy(e.before.last, kept.before.last), copy(e.before.trace, kept.before.value[0]);
}
template <class Copy>
void keep(StatefulEntry& e, QueuedRow& kept, Copy&& copy) {
  copy(e.row, kept.row), copy(e.stamp, kept.stamp), copy(e.before, kept.before);
}
template <class Copy>
void keep(ExactEntry& e, QueuedRow& kept, Copy&& copy) {
  copy(e.row, kept.row), copy(e.stamp, kept.stamp), copy(e.before, kept.before), copy(e.offset, kept.offset);
}

}  // namespace npl::pathways
