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

/// Presynaptic state before the spike of an entry.

inline synapses::PreValues before_of(const StaticEntry&) { return {}; }
inline synapses::PreValues before_of(const OffGridEntry&) { return {}; }
inline synapses::PreValues before_of(const PlasticEntry& e) { return {e.before.last, {e.before.trace}}; }
template <class Time>
synapses::PreValues before_of(const RuleEntry<Time>& e) {
  return e.before;
}

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
void keep(Step& sent, QueuedRow& kept, Copy&& copy) {
  copy(sent, kept.stamp);
}
template <class Copy>
void keep(synapses::Moment& sent, QueuedRow& kept, Copy&& copy) {
  copy(sent.stamp, kept.stamp), copy(sent.before, kept.offset);
}
template <class Time, class Copy>
void keep(RuleEntry<Time>& e, QueuedRow& kept, Copy&& copy) {
  copy(e.row, kept.row), keep(e.sent, kept, copy), copy(e.before, kept.before);
}

}  // namespace npl::pathways
