// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

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

/// @param exact some table is of targets that spike between grid points
void save_queued(Columns& to, const std::vector<pathways::QueuedRow>& rows, bool exact) {
  keep_column<std::uint32_t>(to, "queue/row", rows, [](const auto& q) { return q.row; });
  keep_column<Step>(to, "queue/sent", rows, [](const auto& q) { return q.sent; });
  keep_column<Step>(to, "queue/stamp", rows, [](const auto& q) { return q.stamp; });
  keep_column<Step>(to, "queue/last", rows, [](const auto& q) { return q.before.last; });
  for (std::size_t k = 0; k < synapses::PreValues::most; ++k)
    keep_column<double>(to, "queue/value" + std::to_string(k), rows, [k](const auto& q) { return q.before.value[k]; });
  keep_column<std::uint32_t>(to, "queue/repeat", rows, [](const auto& q) { return q.before.repeat; });
  keep_column<double>(to, "queue/offset", rows, [](const auto& q) { return q.offset; });
  if (exact) keep_column<double>(to, "queue/last_offset", rows, [](const auto& q) { return q.before.offset; });
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

void save_exact_traces(Columns& to, Archive& a, const Slice& slice) {
  std::uint64_t traces = slice.exact_traces().size();
  a("slices/exact_traces", traces);
  for (const auto& t : slice.exact_traces()) {
    double tau = t->tau_minus();
    a("exact/tau", tau);
    std::vector<std::uint32_t> lengths;
    synapses::ExactHistory all;
    for (Local i = 0; i < slice.nodes().size(); ++i) {
      const synapses::ExactHistory& h = t->history(i);
      lengths.push_back(static_cast<std::uint32_t>(h.size()));
      all.stamp.insert(all.stamp.end(), h.stamp.begin(), h.stamp.end());
      all.before.insert(all.before.end(), h.before.begin(), h.before.end());
      all.trace.insert(all.trace.end(), h.trace.begin(), h.trace.end());
    }
    to.keep("exact/spikes", std::move(lengths)), to.keep("exact/stamp", std::move(all.stamp));
    to.keep("exact/before", std::move(all.before)), to.keep("exact/trace", std::move(all.trace));
  }
}

/// What neurons recorded for their synapses, neuron by neuron.
struct Histories {
  std::vector<Gid> gid;
  std::vector<Step> now;
  std::vector<std::uint64_t> contributions, levels, waiting;  ///< numbers of values
  std::vector<std::int32_t> stamp;
  std::vector<double> contribution, level, waited;

  void add(const Slice& slice, const synapses::TargetHistory& history) {
    const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    for (std::size_t i = 0; i < history.size(); ++i) {
      const Local node = history.first() + static_cast<Local>(i);
      const synapses::KeptHistory kept = history.kept_of(node);
      gid.push_back(slice.nodes().gid(node)), now.push_back(history.now());
      contributions.push_back(kept.contributions.stamp.size());
      levels.push_back(kept.levels.size()), waiting.push_back(kept.waiting.size());
      append(stamp, kept.contributions.stamp), append(contribution, kept.contributions.value);
      append(level, kept.levels), append(waited, kept.waiting);
    }
  }
  void keep(Columns& to) && {
    to.keep("histories/gid", std::move(gid)), to.keep("histories/now", std::move(now));
    to.keep("histories/contributions", std::move(contributions)), to.keep("histories/levels", std::move(levels));
    to.keep("histories/waiting", std::move(waiting)), to.keep("histories/stamp", std::move(stamp));
    to.keep("histories/contribution", std::move(contribution)), to.keep("histories/level", std::move(level));
    to.keep("histories/waited", std::move(waited));
  }
};

/// Of every slice, once some slice has any.
void save_volumes(Archive& a, const Slice& slice) {
  std::uint64_t volumes = slice.volumes().size();
  a("slices/volumes", volumes);
  for (const auto& v : slice.volumes()) {
    Gid transmitter = v->of().transmitter;
    double tau = v->of().tau;
    std::vector<std::int32_t> stamps = v->stamps();
    std::vector<double> levels = v->levels();
    a("volumes/transmitter", transmitter), a("volumes/tau", tau), a("volumes/stamp", stamps), a("volumes/level", levels);
  }
}

}  // namespace

void mark_stored(const Slices& slices, const TableSpecs& specs, std::span<std::int64_t> edited, std::span<std::int64_t> stored) {
  for (const auto& slice : slices) {
    for (const tables::TableSpec* spec : slice->edited()) edited[static_cast<std::size_t>(specs.index_of(spec))] = 1;
    for (const auto& p : slice->pathways())
      if (p->table().sources.repeats()) stored[static_cast<std::size_t>(specs.index_of(p->table().spec))] = 1;
  }
}

namespace {

/// Spikes in flight by source: of a table whose rows are those of another distribution when it is drawn again.
struct Flights {
  std::vector<std::int32_t> spec;
  std::vector<std::uint64_t> n;
  std::vector<Gid> source;
  std::vector<Step> sent;
  std::vector<double> offset;

  void add(const pathways::Pathway& p, int index, Step now) {
    auto queued = p.queued(now);
    if (queued.empty()) return;
    std::vector<Gid> sources(p.table().n_rows());
    p.table().sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
    const auto key = [&](const auto& q) { return std::tuple(sources[q.row], q.sent, q.offset); };
    std::sort(queued.begin(), queued.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
    spec.push_back(index), n.push_back(queued.size());
    for (const auto& q : queued) source.push_back(sources[q.row]), sent.push_back(q.sent), offset.push_back(q.offset);
  }
  void keep(Columns& to) && {
    to.keep("flights/spec", std::move(spec)), to.keep("flights/n", std::move(n)), to.keep("flights/source", std::move(source));
    to.keep("flights/sent", std::move(sent)), to.keep("flights/offset", std::move(offset));
  }
};

}  // namespace

void save_synapses(Slices& slices, const TableSpecs& specs, const std::vector<std::uint8_t>& drawn, Step now, Columns& to) {
  Archive a(to);
  std::vector<StoredTableOf> tables;
  Flights flights;
  const bool volumes = std::any_of(slices.begin(), slices.end(), [](const auto& slice) { return !slice->volumes().empty(); });
  const bool exact = std::any_of(slices.begin(), slices.end(), [](const auto& slice) {
    return !slice->exact_traces().empty() || std::any_of(slice->pathways().begin(), slice->pathways().end(), [](const auto& p) {
      return p->table().spec->plasticity && p->table().spec->off_grid;
    });
  });
  Histories histories;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    Slice& slice = *slices[s];
    to.keep<std::uint64_t>("slices/nodes", {slice.nodes().size()});
    to.make<Gid>("slices/gid", slice.nodes().size(), [&slice](std::uint64_t begin, std::uint64_t n, Gid* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = slice.nodes().gid(static_cast<Local>(begin + k));
    });
    for (const auto& p : slice.pathways()) {
      const int spec = specs.index_of(p->table().spec);
      if (drawn[static_cast<std::size_t>(spec)]) {
        flights.add(*p, spec, now);
        continue;
      }
      const auto queued = p->queued(now);
      const std::size_t events = p->log() ? p->log()->events.size() : 0;
      tables.push_back({static_cast<int>(s), spec, p->seed(), tables::StoredTable::of(p->table()), queued.size(), events});
      save(p->table(), to);
      save_queued(to, queued, exact);
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
    for (const auto& h : slice.histories()) histories.add(slice, h);
    if (volumes) save_volumes(a, slice);
    if (exact) save_exact_traces(to, a, slice);
  }
  std::move(flights).keep(to);
  if (!histories.gid.empty()) std::move(histories).keep(to);
  a.each("tables", tables, [&](StoredTableOf& t) { t.visit(a); });
  a.finish();
}

}  // namespace npl::sim
