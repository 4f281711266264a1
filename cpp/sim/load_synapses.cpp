// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "pathways/row_builder.hpp"
#include "sim/kept_synapses.hpp"
#include "sim/stored_synapses.hpp"

namespace npl::sim {
namespace {

using checkpoint::Archive;
using checkpoint::Cursor;
using checkpoint::Shard;
using pathways::Flight;
using tables::EdgeTable;

/// The slice of a node and its local index; null: on another rank.
std::pair<Slice*, Local> place_of(Slices& slices, Gid gid) {
  for (auto& s : slices)
    if (const Local local = s->nodes().local(gid); local != Residents::none) return {s.get(), local};
  return {nullptr, 0};
}

/// True when the slices have the nodes of those that were saved.
bool same_nodes(const Slices& slices, const StoredSynapses& stored) {
  if (slices.size() != stored.nodes.size()) return false;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const Residents& nodes = slices[s]->nodes();
    if (nodes.size() != stored.nodes[s].size()) return false;
    for (const Gid gid : stored.nodes[s])
      if (nodes.local(gid) == Residents::none) return false;
  }
  return true;
}

void load_late(Archive& a, Slices& slices, const StoredSynapses& stored) {
  std::unordered_map<Slice*, std::vector<Late>> found;
  for (std::size_t s = 0; s < stored.nodes.size(); ++s) {
    std::vector<KeptLate> late;
    a.each("late", late, [&](KeptLate& kept) {
      kept.visit(a);
      Late& l = kept.late;
      if (l.receptor < 0 || l.receptor >= most_receptors) throw BadCheckpoint("a spike in flight to a receptor that does not exist");
      const auto [slice, local] = place_of(slices, kept.target);
      l.target = local;
      if (slice) found[slice].push_back(l);
    });
  }
  for (auto& [slice, late] : found) {
    late.insert(late.end(), slice->late().begin(), slice->late().end());
    slice->adopt(std::move(late));
  }
}

/// @tparam History of a node @param of traces of a slice
template <class History, class Of>
void load_traces(Archive& a, const char* number, const char* name, Slices& slices, const StoredSynapses& stored, Of&& of) {
  for (const std::vector<Gid>& nodes : stored.nodes) {
    std::uint64_t traces = 0;
    for (a(number, traces); traces > 0; --traces)
      a.in(name, [&] {
        double tau = 0;
        a("tau", tau);
        for (const Gid gid : nodes) {
          History h;
          visit(a, h);
          const auto [slice, local] = h.size() > 0 ? place_of(slices, gid) : std::pair<Slice*, Local>{};
          if (!slice) continue;
          for (const auto& t : of(*slice))
            if (t->tau_minus() == tau) t->restore(local, std::move(h));
        }
      });
  }
}

void load_histories(Archive& a, Slices& slices) {
  std::vector<KeptTarget> found;
  a.records("histories", found, a.left<Gid>("histories/gid"), [&](KeptTarget& k) { k.visit(a); });
  for (KeptTarget& k : found) {
    const auto [slice, node] = place_of(slices, k.gid);
    if (!slice) continue;
    auto& all = slice->histories();
    const auto history = std::find_if(all.begin(), all.end(), [&, &node = node](const auto& h) { return h.has(node); });
    if (history == all.end()) throw BadCheckpoint("a history of a neuron that keeps none");
    history->restore(node, std::move(k.kept), k.now);
  }
}

/// Spikes of transmitters are those of all slices: the longest history is kept.
void load_volumes(Archive& a, Slices& slices, const StoredSynapses& stored) {
  for (std::size_t s = 0; s < stored.nodes.size(); ++s) {
    std::uint64_t volumes = 0;
    for (a("slices/volumes", volumes); volumes > 0; --volumes) {
      KeptVolume kept;
      a.in("volumes", [&] { kept.visit(a); });
      if (kept.stamps.size() != kept.levels.size() || !(kept.of.tau > 0.0)) throw BadCheckpoint("spikes of a transmitter that do not fit");
      for (auto& slice : slices) slice->volume(kept.of)->restore(kept.stamps, kept.levels);
    }
  }
}

void load_other(Slices& slices, const Shard& from, const StoredSynapses& stored) {
  Archive a(from);
  load_late(a, slices, stored);
  load_traces<synapses::PostHistory>(a, "slices/traces", "traces", slices, stored, [](Slice& s) -> auto& { return s.traces(); });
  if (a.has<std::uint64_t>("slices/exact_traces"))  // columns that are there once some slice has any
    load_traces<synapses::ExactHistory>(a, "slices/exact_traces", "exact", slices, stored,
                                        [](Slice& s) -> auto& { return s.exact_traces(); });
  load_histories(a, slices);
  if (a.has<std::uint64_t>("slices/volumes")) load_volumes(a, slices, stored);
}

}  // namespace

void load_flights(Slices& slices, const TableSpecs& specs, Step now, std::span<const Shard> from) {
  using Key = std::tuple<int, Gid, Step, double>;
  std::map<Key, std::uint64_t> all;  // how often: slices that have a row of the source have the same
  for (const Shard& shard : from) {
    Archive a(shard);
    std::vector<Flights> found;
    a.records("flights", found, a.left<std::int32_t>("flights/spec"), [&](Flights& f) { f.visit(a); });
    for (const Flights& f : found) {
      std::map<Key, std::uint64_t> some;
      for (std::size_t i = 0; i < f.source.size(); ++i) ++some[{f.spec, f.source[i], f.sent[i], f.offset[i]}];
      for (const auto& [flight, times] : some) all[flight] = std::max(all[flight], times);
    }
  }
  for (auto& slice : slices)
    for (const auto& [flight, times] : all) {
      const auto& [spec, source, sent, offset] = flight;
      const std::size_t at = slice->pathway_of(specs.at(spec));
      if (at == slice->pathways().size()) continue;
      pathways::Pathway& p = *slice->pathways()[at];
      p.table().sources.for_rows(source, [&, &sent = sent, &offset = offset, &times = times](std::uint32_t row) {
        for (std::uint64_t k = 0; k < times; ++k) p.restore({.at = row, .sent = sent, .offset = offset}, now);
      });
    }
}

StoredSynapses::StoredSynapses(const Shard& from) {
  Cursor<Gid> gid(from, "slices/gid");
  for (const std::uint64_t n : from.all<std::uint64_t>("slices/nodes")) nodes.push_back(gid.next(n));
  Archive a(from);
  a.each("tables", tables, [&](StoredTableOf& t) { t.visit(a); });
  for (const StoredTableOf& t : tables)
    if (t.slice < 0 || static_cast<std::size_t>(t.slice) >= nodes.size()) throw BadCheckpoint("a table of a slice that does not exist");
  const bool exact = a.has<double>("queue/last_offset");
  queued.resize(tables.size()), events.resize(tables.size());
  for (std::size_t k = 0; k < tables.size(); ++k) {
    a.records("queue", queued[k], tables[k].queued, [&](Flight& f) {
      visit(a, f, exact);
      if (f.at >= tables[k].extent.rows) throw BadCheckpoint("spikes in flight in rows that do not exist");
    });
    a.records("sent", events[k], tables[k].events, [&](pathways::WeightEvent& e) { visit(a, e); });
  }
}

/// A table that was saved, some of whose targets may be here.
struct SynapseLoader::Part {
  tables::StoredTables::Loaded loaded;
  const StoredTableOf* of;
  const std::vector<Gid>* nodes;  ///< by local index of the slice that saved
  const std::vector<Flight>* queued;
  const std::vector<pathways::WeightEvent>* events;
  std::unordered_map<std::uint32_t, std::vector<Flight>> flying = {};  ///< by row

  const std::vector<Flight>& spikes_of(std::uint32_t row) const {
    static const std::vector<Flight> none;
    const auto found = flying.find(row);
    return found == flying.end() ? none : found->second;
  }
};

/// The synapses of one table of a slice, from several parts.
struct SynapseLoader::Gathered {
  pathways::RowBuilder rows;
  std::vector<std::vector<std::uint32_t>> listed;  ///< [parts][synapses] index in the list; only where weights were recorded
};

void SynapseLoader::load(Slices& slices, Team& team, std::span<const Shard> from) const {
  std::vector<StoredSynapses> stored;
  for (const Shard& shard : from) stored.emplace_back(shard);
  if (from.size() == 1 && same_nodes(slices, stored[0])) {
    load_same(slices, from[0], stored[0]);
  } else {
    std::vector<int> specs;  // in order of first appearance
    for (const StoredSynapses& s : stored)
      for (const StoredTableOf& t : s.tables)
        if (std::find(specs.begin(), specs.end(), t.spec) == specs.end()) specs.push_back(t.spec);
    for (const int spec : specs) load_spec(slices, team, spec, from, stored);
  }
  for (std::size_t k = 0; k < from.size(); ++k) load_other(slices, from[k], stored[k]);
}

/// Slices with the same nodes, though perhaps in another order: tables are read as they are.
void SynapseLoader::load_same(Slices& slices, const Shard& from, const StoredSynapses& stored) const {
  tables::StoredTables reader(from);
  for (std::size_t k = 0; k < stored.tables.size(); ++k) {
    const StoredTableOf& of = stored.tables[k];
    const tables::TableSpec& spec = spec_of(of);
    const std::vector<Gid>& nodes = stored.nodes[static_cast<std::size_t>(of.slice)];
    Slice& slice = *slices[static_cast<std::size_t>(of.slice)];
    auto loaded = reader.next(of.extent, spec);
    EdgeTable& t = *loaded.table;
    std::vector<std::uint16_t> local(nodes.size());
    bool moved = false;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      local[i] = static_cast<std::uint16_t>(slice.nodes().local(nodes[i])), moved |= local[i] != i;
    for (std::uint16_t& target : t.target) {
      if (target >= local.size()) throw BadCheckpoint("a synapse onto a node that does not exist");
      if (moved) target = local[target];
    }
    if (!tables::index_sources(t, loaded.sources, order_)) throw BadCheckpoint("rows of sources in an order that is not known");
    pathways::Pathway& p = slice.adopt(std::move(loaded.table), of.seed);
    for (const Flight& spike : stored.queued[k]) p.restore(spike, now_);
    if (p.log()) p.log()->earlier = stored.events[k];
  }
}

void SynapseLoader::load_spec(Slices& slices, Team& team, int spec, std::span<const Shard> from,
                              const std::vector<StoredSynapses>& stored) const {
  std::vector<Part> parts;
  for (std::size_t s = 0; s < from.size(); ++s) {
    tables::StoredTables reader(from[s]);
    for (std::size_t k = 0; k < stored[s].tables.size(); ++k) {
      const StoredTableOf& of = stored[s].tables[k];
      if (of.spec != spec) {
        reader.skip(of.extent, spec_of(of));
        continue;
      }
      parts.push_back({reader.next(of.extent, spec_of(of)), &of, &stored[s].nodes[static_cast<std::size_t>(of.slice)], &stored[s].queued[k],
                       &stored[s].events[k]});
      for (const Flight& f : stored[s].queued[k]) parts.back().flying[f.at].push_back(f);
      for (const std::uint16_t target : parts.back().loaded.table->target)
        if (target >= parts.back().nodes->size()) throw BadCheckpoint("a synapse onto a node that does not exist");
    }
  }
  team.run([&](int thread) {
    for (std::size_t k = static_cast<std::size_t>(thread); k < slices.size(); k += static_cast<std::size_t>(team.size()))
      load_parts(*slices[k], spec_of(*parts[0].of), parts);
  });
}

void SynapseLoader::gather(const Slice& slice, const Part& part, Gathered& to) const {
  const EdgeTable& t = *part.loaded.table;
  std::vector<Local> local(part.nodes->size());
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = slice.nodes().local((*part.nodes)[i]);
  std::vector<std::uint32_t> listed(part.events->empty() ? 0 : t.n_synapses(), tables::Places::gone);
  std::uint32_t first = 0;  // where the row before is that of the same source: they stay in order
  for (std::uint32_t row = 0; row < t.n_rows(); ++row) {
    const Gid source = part.loaded.sources[row];
    if (row > 0 && part.loaded.sources[row - 1] != source) first = 0;
    std::uint32_t at = tables::Places::gone;
    t.for_row(row, [&](std::uint32_t i, Delay delay) {
      const Local target = local[t.target[i]];
      if (target == Residents::none) return;
      if (at == tables::Places::gone) first = at = to.rows.row(source, {&t, row}, part.spikes_of(row), first);
      if (!listed.empty()) listed[i] = static_cast<std::uint32_t>(to.rows.list().size());
      to.rows.add(at, source, t, i, delay, static_cast<std::uint16_t>(target));
    });
  }
  to.listed.push_back(std::move(listed));
}

/// Whether weights were recorded of targets of a slice: they stay where an edit has taken all synapses out of the table.
bool SynapseLoader::has_events(const Slice& slice, std::span<const Part> parts) {
  const auto is_here = [&](const pathways::WeightEvent& e) { return slice.nodes().local(e.target) != Residents::none; };
  return std::ranges::any_of(parts, [&](const Part& p) { return std::ranges::any_of(*p.events, is_here); });
}

void SynapseLoader::load_parts(Slice& slice, const tables::TableSpec& spec, std::span<const Part> parts) const {
  Gathered all;
  for (const Part& part : parts) gather(slice, part, all);
  const std::vector<tables::ListedSynapse>& list = all.rows.list();
  if (list.empty() && !has_events(slice, parts)) return;
  tables::Listed made = all.rows.table(spec, layout_);
  for (std::size_t k = 0; !made.table->nth.empty() && k < list.size(); ++k)
    made.table->nth[made.position[k]] = list[k].history.table->nth[list[k].history.at];
  pathways::Pathway& p = slice.adopt(std::move(made.table), parts[0].of->seed);
  all.rows.for_flying(p.table(), made.position, [&](const Flight& spike) { p.restore(spike, now_); });
  if (!p.log()) return;
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (pathways::WeightEvent e : *parts[k].events) {
      if (slice.nodes().local(e.target) == Residents::none) continue;
      if (e.position != tables::Places::gone) e.position = made.position[all.listed[k][e.position]];
      p.log()->earlier.push_back(e);
    }
}

}  // namespace npl::sim
