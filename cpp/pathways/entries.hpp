// SPDX-License-Identifier: Apache-2.0
/// Entries of the calendars: a row with an in-flight spike, by kind of pathway.
#pragma once
#include "pathways/pathway.hpp"
#include "synapses/row_rule.hpp"
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

/// @tparam Time of spikes: Step or Moment
template <class Time>
struct RuleEntry {
  tables::RowCursor at;
  Time sent;  ///< stamp of the spike, with its offset where times are moments
  std::uint32_t row;
  synapses::PreValues before;
};

struct OffGridEntry {
  tables::RowCursor at;
  double offset;  ///< sub-step offset of the arrival: time before the end of the step [ms]
};

/// What checkpoints and edits know of an entry besides its place and time: to a flight, and from it.

inline void tell(const StaticEntry&, Flight&) {}
inline void tell(const OffGridEntry& e, Flight& f) { f.offset = e.offset; }
inline void tell(const PlasticEntry& e, Flight& f) { f.before = {e.before.last, {e.before.trace}}; }
template <class Time>
void tell(const RuleEntry<Time>& e, Flight& f) {
  f.before = e.before, f.offset = synapses::offset_of(e.sent);
}

inline void take(StaticEntry&, const Flight&) {}
inline void take(OffGridEntry& e, const Flight& f) { e.offset = f.offset; }
inline void take(PlasticEntry& e, const Flight& f) { e.stamp = f.stamp(), e.before = {f.before.last, f.before.value[0]}; }
template <class Time>
void take(RuleEntry<Time>& e, const Flight& f) {
  e.sent = synapses::time_of<Time>(f.stamp(), f.offset), e.row = f.at, e.before = f.before;
}

}  // namespace npl::pathways
