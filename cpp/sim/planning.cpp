// SPDX-License-Identifier: Apache-2.0
#include "sim/planning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "pathways/queueing.hpp"
#include "sim/exchange_model.hpp"
#include "sim/slice.hpp"
#include "sim/slice_count.hpp"

namespace npl::sim {
namespace {

double nodes_per_rank(const Outline& o, const Machine& m) {
  double n = 0;
  for (const auto& p : o.nodes) n += p.n;
  return n * m.scale / m.ranks;
}

double link_targets(const Outline& o, const Machine& m) {
  double n = 0;
  for (const auto& l : o.links) n += (l.pairs ? 1.0 : l.devices) * l.targets * m.scale / m.ranks;
  return n;
}

/// Work of a rank in a step, as Populations counts it.
Work work_per_rank(const Outline& o, const Machine& m) {
  Work work{.interval = static_cast<double>(std::max<Delay>(o.min_delay, 1))};
  for (const auto& l : o.links) work += work_of_devices(l.devices, (l.pairs ? 1.0 : l.devices) * l.targets);
  for (const auto& p : o.nodes) work.shared += work_of(p.model, p.n);
  for (const auto& e : o.edges) work.shared += e.copies * e.spread.edges * work_of_synapse(o.tables[static_cast<std::size_t>(e.table)]);
  work.shared *= m.scale / m.ranks;
  return work;
}

/// Number of slices of a rank: one per thread or as many as the work calls for, doubled until the nodes fit.
double slices_of(const Outline& o, const Machine& m, double nodes) {
  if (m.slices > 0) return m.slices;
  const double most = m.block_size > 0 ? std::min<double>(static_cast<double>(m.block_size), max_slice_nodes) : max_slice_nodes;
  double slices = m.few_slices ? enough_slices(work_per_rank(o, m), m.threads) : m.threads;
  while (std::ceil(nodes / slices) > most) slices *= 2;
  return slices;
}

double neuron_bytes(const Outline& o, const Machine& m, double slices) {
  std::vector<Candidate> fresh;
  for (const auto& p : o.nodes)
    fresh.push_back({p.group == no_group ? p.model : nullptr, p.n * m.scale / m.ranks / slices, p.uniform, p.varied});
  const std::vector<std::size_t> groups = share_groups(fresh);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Candidate>> together;
  for (std::size_t k = 0; k < groups.size(); ++k)
    if (const auto& p = o.nodes[k]; p.model) together[{p.group, groups[k]}].push_back({p.model, p.n, p.uniform, p.varied});
  double bytes = 0;
  for (const auto& [group, members] : together) {
    const std::size_t each = nodes::Group::bytes_per_neuron(*members[0].model, columns_of(members));
    for (const Candidate& c : members) bytes += c.n * m.scale / m.ranks * static_cast<double>(each);
  }
  return bytes;
}

double input_bytes(const Outline& o, double nodes, double slices) {
  int receptors = 1;
  bool by_steps = std::any_of(o.tables.begin(), o.tables.end(), [](const auto& t) { return t.plasticity != nullptr; });
  for (const auto& p : o.nodes)
    if (p.model)
      receptors = std::max(receptors, std::min(p.model->receptors, max_receptors)), by_steps |= p.model->precise || p.model->history;
  const bool current = std::any_of(o.links.begin(), o.links.end(), [](const auto& l) { return l.current; });
  const auto steps = by_steps ? Step{1} : steps_at_once(static_cast<Local>(std::min(nodes / slices, 1e6)));
  return nodes * static_cast<double>(steps) * (receptors * sizeof(Fixed) + (current ? sizeof(double) : 0));
}

/// Bytes of the postsynaptic traces: one per time constant and node, met with one delay.
double trace_bytes(const Outline& o, const Machine& m, double nodes) {
  std::set<double> tau;
  for (const auto& e : o.edges)
    for (int t : {e.table, e.negative_table})
      if (const auto* rule = t >= 0 ? o.tables[static_cast<std::size_t>(t)].plasticity.get() : nullptr) {
        tau.insert(rule->tau_minus());
        tau.insert(rule->tau_minus_triplet());
      }
  tau.erase(0.0);  // rules without postsynaptic trace
  const double spikes = m.rate * m.time * 1e-3;
  const double seen = spikes > 0 ? synapses::PostArrivals::bytes_per_node + spikes * synapses::PostHistory::bytes_per_spike : 0.0;
  return static_cast<double>(tau.size()) * nodes * (synapses::PostTrace::bytes_per_node + seen);
}

/// Bytes of what neurons record for their synapses in every step, but for contributions, whose number follows from what they do.
double history_bytes(const Outline& o, const Machine& m) {
  double bytes = 0;
  for (const auto& p : o.nodes) {
    if (!p.model || !p.model->history) continue;
    std::vector<double> derived(p.model->n_derived);
    p.model->derive(p.uniform.data(), o.resolution, derived.data());
    nodes::GroupView one{};
    one.n = 1, one.derived = derived.data();
    double wait = 0;
    p.model->history->wait_steps(one, &wait);
    bytes += p.n * m.scale / m.ranks *
             synapses::TargetHistory::bytes_per_node(
                 2 * Step{o.max_delay} + 2 + p.model->history->reach, static_cast<Step>(wait), p.model->history->waits.size(),
                 static_cast<double>(p.model->history->rows) + p.model->history->digest, p.model->history->n_constants);
  }
  return bytes;
}

double device_bytes(const Outline& o, const Machine& m, double slices) {
  double bytes = 0;
  for (const auto& l : o.links) {
    const double devices = l.pairs ? l.devices * m.scale / m.ranks : l.devices, targets = l.targets * m.scale / m.ranks;
    bytes += l.pairs ? devices * (l.part_bytes + l.target_bytes) : devices * (slices * l.parts * l.part_bytes + targets * l.target_bytes);
  }
  return bytes;
}

double recording_bytes(const Outline& o, const Machine& m, double nodes, double slices, const std::vector<TableSize>& tables) {
  double bytes = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (o.tables[t].recorder < 0) continue;
    const auto [some_rows, some_targets] = o.weight_recorders.at(static_cast<std::size_t>(o.tables[t].recorder));
    bytes += slices * grown(tables[t].synapses * m.rate * m.time * 1e-3) * sizeof(pathways::WeightNote);
    bytes += (some_rows ? slices * tables[t].rows : 0) + (some_targets ? nodes : 0);
  }
  const std::size_t spike_bytes = record::RecordedSpikes::bytes_each(nodes * m.ranks) + (o.precise() ? sizeof(double) : 0);
  for (double n : o.spike_recorders)
    if (n > 0) {
      const double here = n * m.scale / m.ranks;
      bytes += std::min(nodes, here) + slices * grown(here / slices * m.rate * m.time * 1e-3) * static_cast<double>(spike_bytes);
    }
  if (o.spike_recorders.size() > 1) {
    double recorded = 0;
    for (double n : o.spike_recorders) recorded += n * m.scale / m.ranks;
    bytes += record::TrackIndex::expected_bytes(nodes, recorded);
  }
  for (const auto& r : o.state_recorders) {
    const double values = r.values / m.ranks / slices, samples = std::floor(m.time / (r.interval * o.resolution));
    bytes += slices * (grown(values) * 2 * sizeof(double) + grown(values * samples) * sizeof(double));
  }
  for (double width : o.binned_recorders) bytes += slices * Binned::expected_bytes(grown(m.time / (width * o.resolution)));
  if (!o.binned_recorders.empty()) bytes += Binned::expected_index_bytes(nodes);
  return bytes;
}

/// Bytes of calendars and of the spikes of an interval at a constant rate; bursts need more.
double in_flight_bytes(const Outline& o, const Machine& m, double slices, double nodes, const std::vector<TableSize>& sizes) {
  if (m.rate <= 0) return 0;
  const double per_step = m.rate * o.resolution * 1e-3, slots = grown(o.max_delay + 2.0);
  double bytes =
      2 * slices * grown(nodes / slices * per_step * std::max<double>(o.min_delay, 1)) * SourcedSpikes::bytes_per_spike(o.precise());
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const tables::TableSpec& spec = o.tables[t];
    if (!spec.plasticity && !spec.keeps_offsets() && spec.recorder < 0) {
      bytes +=
          slices * pathways::queued_bytes(spec, {sizes[t].synapses, sizes[t].rows, sizes[t].runs, nodes / slices}, per_step, o.max_delay);
      continue;
    }
    const double due = per_step * std::max(sizes[t].runs, sizes[t].rows);
    bytes += slices * slots * grown(due + 3 * std::sqrt(due)) * static_cast<double>(pathways::entry_bytes(spec));
  }
  return bytes;
}

/// Bytes freed by keep_sources = false: the source index, except the sources of this rank (SourceIndex).
double forgotten_bytes(const Outline& o, const Machine& m, double slices, const std::vector<TableSize>& tables, bool directed) {
  double bytes = 0;
  if (!m.keep_sources && directed)
    for (const TableSize& t : tables)
      bytes += slices * std::max(0.0, t.sources - tables::SourceIndex::expected_bytes(t.rows / m.ranks, t.span, !o.by_rank || t.sorted));
  return bytes;
}

/// Bytes of the look-up of sources in all tables of a slice, if there are many.
double look_up_bytes(const Outline& o, const Machine& m, double parts, const std::vector<TableSize>& tables) {
  const auto used = std::count_if(tables.begin(), tables.end(), [](const TableSize& t) { return t.synapses > 0; });
  if (used < static_cast<std::ptrdiff_t>(pathways::SourceRows::few)) return 0;
  double rows = 0, most = 0, span = 0;
  for (const TableSize& t : tables) rows += t.rows, most = std::max(most, t.rows);
  for (const Outline::Nodes& p : o.nodes) span += m.scale * static_cast<double>(p.n);
  return pathways::SourceRows::expected_bytes(sources_reached(o, parts, m.scale), span, rows, most);
}

/// Bytes that a checkpoint takes of this rank. @param all also static synapses that can be drawn again
double checkpoint_bytes(const Outline& o, const Machine& m, double slices, const std::vector<TableSize>& sizes,
                        const std::map<std::string, double>& memory, bool all) {
  constexpr double per_row = sizeof(Gid) + 2 * sizeof(std::uint32_t), per_run = sizeof(tables::Run);
  double bytes = link_targets(o, m) * sizeof(Gid) + memory.at("recordings");
  for (const Outline::Nodes& p : o.nodes)
    if (p.model) {
      const auto columns =
          static_cast<double>(p.model->state.size()) + static_cast<double>(std::count(p.varied.begin(), p.varied.end(), 1));
      bytes += p.n * m.scale / m.ranks * columns * sizeof(double);
    }
  bytes += nodes_per_rank(o, m) * (2 * sizeof(Gid) + (memory.at("traces") > 0 ? sizeof(std::uint32_t) : 0));
  bytes += history_bytes(o, m);
  for (std::size_t t = 0; t < sizes.size(); ++t)
    if (all || t >= o.drawn.size() || !o.drawn[t]) bytes += slices * (sizes[t].payload + per_row * sizes[t].rows + per_run * sizes[t].runs);
  return bytes;
}

std::vector<std::string> limits_of(const Outline& o, const Machine& m, const std::vector<TableSize>& tables) {
  std::vector<std::string> limits;
  double nodes = 0;
  for (const auto& p : o.nodes) nodes += p.n * m.scale;
  for (const TableSize& t : tables)
    if (t.synapses > 4294967295.0)
      limits.push_back("more than 2^32 - 1 synapses of a kind in a slice: use more ranks or threads, or a smaller block_size");
  if (nodes >= 1099511627776.0) limits.push_back("2^40 or more nodes");
  return limits;
}

}  // namespace

Forecast forecast(const Outline& o, const Machine& m) {
  const double nodes = nodes_per_rank(o, m), slices = slices_of(o, m, nodes);
  std::vector<TableSize> tables;
  Forecast f;
  for (std::size_t t = 0; t < o.tables.size(); ++t) {
    tables.push_back(table_size(o, static_cast<int>(t), m.ranks, m.ranks * slices, m.scale));
    f.bytes["synapses"] += slices * tables[t].payload;
    f.bytes["index"] += slices * tables[t].index;
    f.counts["synapses"] += slices * tables[t].synapses;
    f.counts["rows"] += slices * tables[t].rows;
    f.counts["runs"] += slices * tables[t].runs;
    if (o.tables[t].plasticity) f.counts["plastic_rows"] += slices * tables[t].rows;
  }
  f.bytes["index"] += slices * look_up_bytes(o, m, m.ranks * slices, tables);
  const ExchangeSize exchange = exchange_size(o, m, slices, tables);
  const double forgotten = forgotten_bytes(o, m, slices, tables, exchange.routes > 0);
  f.bytes["index"] -= forgotten;
  f.bytes["neurons"] = neuron_bytes(o, m, slices);
  f.bytes["input"] = input_bytes(o, nodes, slices);
  f.bytes["traces"] = trace_bytes(o, m, nodes) + history_bytes(o, m);
  f.bytes["devices"] = device_bytes(o, m, slices);
  f.bytes["recordings"] = recording_bytes(o, m, nodes, slices, tables);
  f.bytes["in_flight"] = in_flight_bytes(o, m, slices, nodes, tables);
  f.bytes["routing"] = exchange.tables;
  f.bytes["buffers"] = exchange.buffers;
  double total = 0;
  for (const auto& [term, bytes] : f.bytes) total += bytes;
  f.bytes["total"] = total;
  f.counts["checkpoint"] = checkpoint_bytes(o, m, slices, tables, f.bytes, false);
  f.counts["checkpoint_stored"] = checkpoint_bytes(o, m, slices, tables, f.bytes, true);
  // Peak: while the last slices of all threads are built, or while routes are made.
  const double later = exchange.tables + exchange.buffers + f.bytes["devices"] + f.bytes["recordings"] + f.bytes["input"] +
                       f.bytes["traces"] + f.bytes["in_flight"];
  const double construction = std::max(
      {0.0, std::min<double>(m.threads, slices) * slice_construction(o, tables) - later, exchange.construction - exchange.buffers});
  f.bytes["construction"] = construction + std::max(forgotten, 0.0);
  f.bytes["peak"] = total + f.bytes["construction"];
  f.counts["nodes"] = nodes, f.counts["slices"] = slices;
  f.counts["routes"] = exchange.routes, f.counts["partners"] = exchange.partners, f.counts["words"] = exchange.words;
  f.counts["dense"] = exchange.dense;
  f.work = {{"nodes", nodes},
            {"links", link_targets(o, m)},
            {"edges", 0},
            {"sorted", 0},
            {exchange.dense ? "dense" : "routes", exchange.dense ? f.counts["rows"] : exchange.routes}};
  for (const TableSize& t : tables) f.work[t.sorted ? "sorted" : "edges"] += slices * t.synapses;

  f.limits = limits_of(o, m, tables);
  return f;
}

}  // namespace npl::sim
