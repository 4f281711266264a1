// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/stored_synapses.hpp"

namespace npl::sim {
namespace {

using checkpoint::Archive;
using checkpoint::Columns;

/// One column of a list of structs.
template <class T, class List, class Get>
void keep_column(Columns& to, const std::string& path, const List& list, Get&& get) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const auto& x : list) values.push_back(static_cast<T>(get(x)));
  to.keep(path, std::move(values));
}

void save_queued(Columns& to, const std::vector<pathways::QueuedRow>& rows) {
  keep_column<std::uint32_t>(to, "queue/row", rows, [](const auto& q) { return q.row; });
  keep_column<Step>(to, "queue/sent", rows, [](const auto& q) { return q.sent; });
  keep_column<Step>(to, "queue/stamp", rows, [](const auto& q) { return q.stamp; });
  keep_column<Step>(to, "queue/last", rows, [](const auto& q) { return q.before.last; });
  for (std::size_t k = 0; k < synapses::PreValues::most; ++k)
    keep_column<double>(to, "queue/value" + std::to_string(k), rows, [k](const auto& q) { return q.before.value[k]; });
  keep_column<std::uint32_t>(to, "queue/repeat", rows, [](const auto& q) { return q.before.repeat; });
  keep_column<double>(to, "queue/offset", rows, [](const auto& q) { return q.offset; });
}

void save_events(Columns& to, const std::vector<pathways::WeightEvent>& events) {
  keep_column<double>(to, "sent/weight", events, [](const auto& e) { return e.weight; });
  keep_column<Gid>(to, "sent/source", events, [](const auto& e) { return e.source; });
  keep_column<Gid>(to, "sent/target", events, [](const auto& e) { return e.target; });
  keep_column<std::int32_t>(to, "sent/stamp", events, [](const auto& e) { return e.stamp; });
  keep_column<std::uint32_t>(to, "sent/position", events, [](const auto& e) { return e.position; });
  keep_column<Delay>(to, "sent/delay", events, [](const auto& e) { return e.delay; });
}

void save_trace(Columns& to, const synapses::PostTrace& trace, Local nodes) {
  std::vector<std::uint32_t> lengths;
  std::vector<std::int32_t> stamps;
  std::vector<double> values;
  for (Local i = 0; i < nodes; ++i) {
    const synapses::PostHistory& h = trace.history(i);
    lengths.push_back(static_cast<std::uint32_t>(h.stamp.size()));
    stamps.insert(stamps.end(), h.stamp.begin(), h.stamp.end());
    values.insert(values.end(), h.trace.begin(), h.trace.end());
  }
  to.keep("traces/spikes", std::move(lengths));
  to.keep("traces/stamp", std::move(stamps));
  to.keep("traces/trace", std::move(values));
}

}  // namespace

void save_synapses(Slices& slices, const TableSpecs& specs, Step now, Columns& to) {
  Archive a(to);
  std::vector<StoredTableOf> tables;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    Slice& slice = *slices[s];
    to.keep<std::uint64_t>("slices/nodes", {slice.nodes().size()});
    to.make<Gid>("slices/gid", slice.nodes().size(), [&slice](std::uint64_t begin, std::uint64_t n, Gid* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = slice.nodes().gid(static_cast<Local>(begin + k));
    });
    for (const auto& p : slice.pathways()) {
      const auto queued = p->queued(now);
      const std::size_t events = p->log() ? p->log()->events.size() : 0;
      tables.push_back(
          {static_cast<int>(s), specs.index_of(p->table().spec), p->seed(), tables::StoredTable::of(p->table()), queued.size(), events});
      save(p->table(), to);
      save_queued(to, queued);
      if (events) save_events(to, p->log()->events);
    }
    std::vector<Late> late = slice.late();
    a.each("late", late, [&](Late& l) {
      Gid target = slice.nodes().gid(l.target);
      a("target", target), a("due", l.due), a("receptor", l.receptor), a("counts", l.counts), a("value", l.value);
      a("off_grid", l.off_grid), a("offset", l.offset);
    });
    std::uint64_t traces = slice.traces().size();
    a("slices/traces", traces);
    for (const auto& t : slice.traces()) {
      double tau = t->tau_minus();
      a("traces/tau", tau);
      save_trace(to, *t, slice.nodes().size());
    }
  }
  a.each("tables", tables, [&](StoredTableOf& t) { t.visit(a); });
  a.finish();
}

}  // namespace npl::sim
