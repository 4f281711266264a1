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

/// What checkpoints keep of an entry besides its row and time.
inline void save(const StaticEntry&, QueuedRow&) {}
inline void save(const OffGridEntry& e, QueuedRow& to) { to.offset = e.offset; }
template <class Entry>
void save(const Entry& e, QueuedRow& to) {
  to.stamp = e.stamp, to.before = before_of(e);
}
inline void save(const ExactEntry& e, QueuedRow& to) { to.stamp = e.stamp, to.before = e.before, to.offset = e.offset; }
inline void load(const QueuedRow& from, ExactEntry& e) {
  e.row = from.row, e.stamp = from.stamp, e.before = from.before, e.offset = from.offset;
}
inline void load(const QueuedRow&, StaticEntry&) {}
inline void load(const QueuedRow& from, OffGridEntry& e) { e.offset = from.offset; }
inline void load(const QueuedRow& from, PlasticEntry& e) { e.stamp = from.stamp, e.before = {from.before.last, from.before.value[0]}; }
inline void load(const QueuedRow& from, StatefulEntry& e) { e.row = from.row, e.stamp = from.stamp, e.before = from.before; }

}  // namespace npl::pathways
