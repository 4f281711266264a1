// SPDX-License-Identifier: Apache-2.0
/// What a network tells: recordings, connections, memory, times.
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/network.hpp"

namespace npl::sim {
namespace {

std::size_t checked(int index, std::size_t n, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= n) throw BadParameter(what, index, "the number of an existing recorder");
  return static_cast<std::size_t>(index);
}

int synapse_index(const synapses::SynapseInfo* info) {
  const auto& all = synapses::synapses();
  return static_cast<int>(std::find(all.begin(), all.end(), info) - all.begin());
}


/// One synapse, as gathered before sorting.
struct Found {
  Gid source, target;
  std::int32_t order;
  std::int32_t delay;
  std::int32_t rank, slice, table;
  std::int64_t position;
  double weight;
  std::int32_t receptor, synapse, label;
};

bool canonical(const Found& a, const Found& b) {
  return std::tie(a.source, a.target, a.order, a.delay, a.table, a.position) < std::tie(b.source, b.target, b.order, b.delay, b.table, b.position);
}

/// The synapses of one source in one table.
struct SourceRow {
  Gid source;
  std::uint32_t row;
  std::int32_t slice, table;
};

/// Room for so many synapses in all columns.
void reserve(Connections& c, std::size_t n) {
  for (auto* column : {&c.source, &c.target}) column->reserve(n);
  for (auto* column : {&c.synapse, &c.receptor, &c.slice, &c.table, &c.label}) column->reserve(n);
  c.weight.reserve(n), c.delay.reserve(n), c.position.reserve(n);
}

void append(Connections& c, const std::vector<Found>& found) {
  for (const Found& f : found) {
    c.source.push_back(f.source);
    c.target.push_back(f.target);
    c.weight.push_back(f.weight);
    c.delay.push_back(f.delay);
    c.synapse.push_back(f.synapse);
    c.receptor.push_back(f.receptor);
    c.slice.push_back(f.rank << slice_bits | f.slice);
    c.table.push_back(f.table);
    c.label.push_back(f.label);
    c.position.push_back(f.position);
  }
}

}  // namespace

int Network::record_spikes(const connect::NodeSet& nodes, Step start, Step stop) {
  for (const connect::Range& r : nodes.ranges()) {
    population_of(r.first, "nodes"), population_of(r.first + (r.count - 1) * r.stride, "nodes");
    for (const auto& p : populations_) {
      if (p->model || p->devices[0]->info->effect == devices::Effect::emits || !r.meets(p->first, p->first + p->n)) continue;
      throw IllegalConnection("nodes: a " + p->devices[0]->info->name + " sends no spikes that could be recorded: record its targets, or a parrot_neuron that it drives");
    }
  }
  mark_connected(nodes);
  note(fingerprint_of(nodes, start, stop));
  spike_recorders_.push_back({nodes, std::max(start, step_), stop});
  return static_cast<int>(spike_recorders_.size()) - 1;
}

int Network::record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling) {
  if (sampling.interval < 1) throw BadParameter("interval", static_cast<double>(sampling.interval), "at least one step");
  if (sampling.offset < 0) throw BadParameter("offset", static_cast<double>(sampling.offset), "at least 0");
  for (Gid gid : gids) {
    const Population& p = population_of(gid, "nodes");
    std::vector<std::string> known;
    if (p.model)
      for (const Field& f : p.model->state) known.push_back(f.name);
    for (const auto& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        known.erase(std::remove_if(known.begin(), known.end(), [](const std::string& k) { return k[0] == '_'; }), known.end());
        throw UnknownName("recordable of " + model_of(gid), name, known);
      }
  }
  for (Gid gid : gids) population_of(gid, "nodes").connected = true;
  note(fingerprint_of(gids, names, sampling.interval, sampling.offset));
  state_recorders_.push_back({gids, names, sampling, step_});
  return static_cast<int>(state_recorders_.size()) - 1;
}

bool Network::precise() const {
  return std::any_of(populations_.begin(), populations_.end(), [](const auto& p) { return p->model && p->model->precise; }) ||
         std::any_of(specs_.begin(), specs_.end(), [](const auto& s) { return s->by_time(); });
}

Emitted Network::emitted(int recorder) const {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  agree("spikes", nullptr, fingerprint_of(recorder));
  std::vector<const record::SpikeTrack*> tracks;
  if (r < spike_recorders_attached_)
    for (const auto& s : slices_) tracks.push_back(s->spike_tracks()[r].get());
  Emitted all = record::merged(tracks);
  if (ranks() == 1) return all;
  std::int64_t offsets = !all.offsets.empty();
  comm_->allreduce(std::span<std::int64_t>(&offsets, 1), comm::Op::max);
  if (offsets) all.offsets.resize(all.spikes.size()), all.offsets = comm::gather(*comm_, all.offsets);
  all.spikes = comm::gather(*comm_, all.spikes);
  record::sort(all);
  return all;
}

void Network::clear_spikes(int recorder) {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (r < spike_recorders_attached_)
    for (auto& s : slices_) s->spike_tracks()[r]->clear();
}

Network::Samples Network::samples(int recorder) const {
  const std::size_t r = checked(recorder, state_recorders_.size(), "recorder");
  agree("samples", nullptr, fingerprint_of(recorder));
  const StateRecorder& sr = state_recorders_[r];
  Samples out;
  for (Step t = std::max<Step>(sr.since + 1, sr.sampling.offset); t <= step_; ++t)
    if (sr.sampling.at(t)) out.stamps.push_back(t);
  const std::size_t width = sr.gids.size() * sr.names.size();
  out.values.resize(out.stamps.size() * width);
  if (r < state_recorders_attached_)
    for (const auto& s : slices_) s->state_tracks()[r]->copy_to(out.values.data(), width);
  comm::merge(*comm_, out.values);
  return out;
}

std::pair<std::size_t, std::size_t> Network::sample_shape(int recorder) const {
  const StateRecorder& r = state_recorders_[checked(recorder, state_recorders_.size(), "recorder")];
  return {r.gids.size(), r.names.size()};
}

void Network::clear_samples(int recorder) {
  const std::size_t r = checked(recorder, state_recorders_.size(), "recorder");
  state_recorders_[r].since = step_;
  note(fingerprint_of(std::string_view("clear"), recorder));
  if (r < state_recorders_attached_)
    for (auto& s : slices_) s->state_tracks()[r]->clear();
}

Connections Network::connections(const connect::NodeSet* sources, const connect::NodeSet* targets, const std::string& synapse) const {
  require_sources("connections");
  const synapses::SynapseInfo* wanted = synapse.empty() ? nullptr : &synapses::find_synapse(synapse);
  for (const auto* set : {sources, targets})
    if (set && set->size()) population_of(set->lowest(), "nodes"), population_of(set->highest(), "nodes");
  Fingerprint arguments;
  for (const auto* set : {sources, targets}) set ? arguments.add(set->size()).add(*set) : arguments.add(std::int64_t{-1});
  agree("connections", nullptr, arguments.add(synapse).value());
  // Source by source, so that only the few synapses of one source are held and compared.
  std::vector<std::vector<char>> is_target;
  std::vector<SourceRow> rows;
  for (const auto& slice : slices_) {
    is_target.emplace_back(targets ? slice->nodes().size() : 0);
    if (targets) targets->for_each_in(slice->nodes(), [&](std::int64_t, Gid, Local local) { is_target.back()[local] = 1; });
    for (std::size_t t = 0; t < slice->deliverers().size(); ++t) {
      const deliver::EdgeTable& table = *slice->deliverers()[t].table;
      if (wanted && table.spec->synapse != wanted) continue;
      table.sources.for_each([&](std::uint32_t row, Gid source) {
        if (!sources || sources->position(source) >= 0) rows.push_back({source, row, static_cast<std::int32_t>(is_target.size() - 1), static_cast<std::int32_t>(t)});
      });
    }
  }
  std::sort(rows.begin(), rows.end(), [](const SourceRow& a, const SourceRow& b) { return std::tie(a.source, a.slice, a.table) < std::tie(b.source, b.slice, b.table); });
  Connections c;
  std::vector<Found> found;
  if (ranks() == 1 && !sources && !targets && !wanted) reserve(c, n_synapses_);
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    for (; last < rows.size() && rows[last].source == rows[first].source; ++last) {
      const SourceRow& r = rows[last];
      const Slice& slice = *slices_[static_cast<std::size_t>(r.slice)];
      const deliver::EdgeTable& table = *slice.deliverers()[static_cast<std::size_t>(r.table)].table;
      const auto& marked = is_target[static_cast<std::size_t>(r.slice)];
      const Found one{r.source, 0, table.spec->order, 0, rank(), static_cast<std::int32_t>(slice.id()), r.table, 0, 0.0, table.spec->receptor, synapse_index(table.spec->synapse),
                      labels_[static_cast<std::size_t>(table.spec->order)]};
      table.for_row(r.row, [&](std::uint32_t i, Delay delay) {
        const Local local = table.target[i];
        if (targets && !marked[local]) return;
        found.push_back(one);
        Found& f = found.back();
        f.target = slice.nodes().gid(local), f.delay = delay, f.position = i, f.weight = table.weight(i);
      });
    }
    if (ranks() > 1) continue;
    std::sort(found.begin(), found.end(), canonical);
    append(c, found);
    found.clear();
  }
  if (ranks() == 1) return c;
  found = comm::gather(*comm_, found);
  std::sort(found.begin(), found.end(), canonical);
  reserve(c, found.size());
  append(c, found);
  return c;
}

std::uint64_t Network::connection_count() const {
  double expected = 0;
  for (const auto& p : projections_) expected += p->rule->expected_edges();
  return static_cast<std::uint64_t>(expected) + n_synapses_;
}

void Network::check_columns(std::size_t slice, std::size_t table, std::size_t position) {
  if (table != slice) throw BadLength("table", table, slice);
  if (position != slice) throw BadLength("position", position, slice);
}

std::size_t Network::slice_of(std::int32_t column) { return static_cast<std::size_t>(column & ((1 << slice_bits) - 1)); }

/// The table that holds a connection, or null when that is on another rank; columns that `connections` did not give raise BadParameter.
deliver::EdgeTable* Network::table_at(std::int32_t slice, std::int32_t table, std::int64_t position) const {
  const auto check = [](const char* name, std::int64_t index, std::size_t n) {
    if (index < 0 || static_cast<std::size_t>(index) >= n) throw BadParameter(name, static_cast<double>(index), "as connections() gave it since the last build");
    return static_cast<std::size_t>(index);
  };
  const std::int32_t owner = slice >> slice_bits;
  check("slice", owner, static_cast<std::size_t>(ranks()));
  if (owner != rank()) return nullptr;
  Slice& s = *slices_[check("slice", static_cast<std::int64_t>(slice_of(slice)), slices_.size())];
  deliver::EdgeTable& t = *s.deliverers()[check("table", table, s.deliverers().size())].table;
  check("position", position, t.n_synapses());
  return &t;
}

namespace {

void check_weight(const deliver::TableSpec& spec, double w) {
  if (spec.weights == deliver::Weights::f32 && std::abs(w) > std::numeric_limits<float>::max())
    throw BadParameter("weight", w, "a number that a float32 can hold, unless connected with double_weights");
  if (spec.by_sign && w != 0.0 && (w < 0) != (spec.receptor == 1))
    throw BadParameter("weight", w, spec.receptor == 1 ? "<= 0 (the synapse is inhibitory)" : ">= 0 (the synapse is excitatory)");
}

}  // namespace

std::vector<double> Network::get_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                         const std::vector<std::int64_t>& position) const {
  std::vector<double> weights;
  together("get_weights", [&] { weights = own_weights(slice, table, position); }, fingerprint_of(slice, table, position));
  comm::merge(*comm_, weights);
  return weights;
}

std::vector<double> Network::own_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                         const std::vector<std::int64_t>& position) const {
  check_columns(slice.size(), table.size(), position.size());
  std::vector<double> weights(slice.size());
  for (std::size_t k = 0; k < slice.size(); ++k)
    if (const deliver::EdgeTable* t = table_at(slice[k], table[k], position[k])) weights[k] = t->weight(static_cast<std::size_t>(position[k]));
  return weights;
}

std::vector<double> Network::get_state(const std::string& name, const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                       const std::vector<std::int64_t>& position) const {
  std::vector<double> values;
  together("get_state", [&] { values = own_state(name, slice, table, position); }, fingerprint_of(name, slice, table, position));
  comm::merge(*comm_, values);
  return values;
}

std::vector<double> Network::own_state(const std::string& name, const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                       const std::vector<std::int64_t>& position) const {
  check_columns(slice.size(), table.size(), position.size());
  std::vector<double> values(slice.size());
  for (std::size_t k = 0; k < slice.size(); ++k)
    if (const deliver::EdgeTable* t = table_at(slice[k], table[k], position[k])) values[k] = t->state(name, static_cast<std::uint32_t>(position[k]));
  return values;
}

void Network::set_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table, const std::vector<std::int64_t>& position,
                          const std::vector<double>& weights) {
  const auto value = [&](std::size_t k) { return weights[weights.size() == 1 ? 0 : k]; };
  std::vector<int> widened;  // orders of the specs of which some table gets a weight per synapse
  together("set_weights", [&] {
    check_columns(slice.size(), table.size(), position.size());
    if (weights.size() != 1 && weights.size() != slice.size()) throw BadLength("weight", weights.size(), slice.size());
    for (std::size_t k = 0; k < slice.size(); ++k) {
      if (!std::isfinite(value(k))) throw BadParameter("weight", value(k), "a finite number");
      const deliver::EdgeTable* t = table_at(slice[k], table[k], position[k]);
      if (!t) continue;
      check_weight(*t->spec, value(k));
      if (t->spec->weights == deliver::Weights::uniform && value(k) != t->spec->uniform) widened.push_back(t->spec->order);
    }
  }, fingerprint_of(slice, table, position, weights));
  widen(widened);
  for (std::size_t k = 0; k < slice.size(); ++k) {
    deliver::EdgeTable* t = table_at(slice[k], table[k], position[k]);
    if (!t) continue;
    if (t->spec->weights == deliver::Weights::uniform && value(k) != t->spec->uniform) t->make_explicit(*explicit_specs_.at(t->spec));
    const auto at = static_cast<std::size_t>(position[k]);
    if (t->spec->weights == deliver::Weights::f32) t->weight32[at] = static_cast<float>(value(k));
    if (t->spec->weights == deliver::Weights::f64) t->weight64[at] = value(k);
    double& largest = largest_[static_cast<std::size_t>(t->spec->receptor)];
    largest = std::max(largest, std::abs(value(k)));
  }
  if (ranks() > 1) comm_->allreduce(std::span<double>(largest_), comm::Op::max);
}

/// Makes specs like those of these orders, but with a double per synapse; the same ones on all ranks, so that lists of specs stay equal.
void Network::widen(const std::vector<int>& orders) {
  std::vector<std::int64_t> wanted(specs_.size());
  for (int order : orders) wanted[static_cast<std::size_t>(order)] = 1;
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(wanted), comm::Op::max);
  for (std::size_t order = 0; order < wanted.size(); ++order)
    for (std::size_t k = 0; wanted[order] && k < specs_.size(); ++k)
      if (specs_[k]->order == static_cast<int>(order) && specs_[k]->weights == deliver::Weights::uniform && !explicit_specs_.contains(specs_[k].get())) {
        specs_.push_back(std::make_unique<deliver::TableSpec>(*specs_[k]));
        specs_.back()->weights = deliver::Weights::f64;
        explicit_specs_[specs_[k].get()] = specs_.back().get();
        break;
      }
}

std::map<std::string, std::uint64_t> Network::memory() const {
  std::map<std::string, std::uint64_t> m;
  for (const auto& s : slices_) {
    const Slice::Bytes b = s->bytes();
    m["neurons"] += b.neurons;
    m["synapses"] += b.synapses;
    m["index"] += b.index;
    m["traces"] += b.traces;
    m["in_flight"] += b.in_flight;
    m["devices"] += b.devices;
    m["recordings"] += b.recordings;
    m["input"] += b.input;
  }
  m["routing"] = exchanger_.bytes() + levels_.bytes();
  m["total"] = std::accumulate(m.begin(), m.end(), std::uint64_t{0}, [](std::uint64_t sum, const auto& kv) { return sum + kv.second; });
  return m;
}

std::vector<double> Network::gather(const std::vector<double>& mine) const {
  agree("gather");
  return comm::gather(*comm_, mine);
}

namespace {

std::uint64_t hash_of(const deliver::EdgeTable& table) {
  const deliver::TableSpec& spec = *table.spec;
  Fingerprint hash;
  hash.add(std::string_view(spec.synapse->name)).add(spec.parameters).add(spec.receptor).add(spec.uniform);
  hash.add(static_cast<std::int64_t>(spec.weights)).add(std::int64_t{spec.counts}).add(std::int64_t{spec.by_sign});
  hash.add(static_cast<std::uint64_t>(table.payload_bytes())).add(static_cast<std::uint64_t>(table.index_bytes()));
  table.sources.for_each([&](std::uint32_t row, Gid gid) {
    hash.add(std::uint64_t{row}).add(gid);
    table.for_row(row, [&](auto i, Delay delay) { hash.add(std::uint64_t{table.target[i]}).add(std::uint64_t{delay}).add(table.weight(i)); });
  });
  return hash.value();
}

}  // namespace

std::vector<TableHash> Network::table_hashes() const {
  std::vector<TableHash> hashes;
  for (const auto& s : slices_)
    for (const auto& d : s->deliverers())
      hashes.push_back({static_cast<std::int32_t>(s->id()), d.table->spec->order, d.table->n_synapses(), hash_of(*d.table)});
  return hashes;
}

std::map<std::string, double> Network::timers() const { return timers_; }

std::map<std::string, std::uint64_t> Network::counters() const {
  agree("counters");
  using Columns = std::vector<std::pair<const char*, std::uint64_t>>;
  Columns sums{{"spikes", 0}, {"events", 0}};
  for (const auto& s : slices_) sums[0].second += s->spikes(), sums[1].second += s->events();
  const auto add = [&](const std::array<const char*, 5>& names, const exchange::Counts& c, std::uint64_t routes) {
    const std::uint64_t values[] = {c.messages, c.bytes_sent, c.words_sent, c.rounds, routes};
    for (std::size_t k = 0; k < names.size(); ++k) sums.emplace_back(names[k], values[k]);
  };
  const Exchanger* local = levels_.local();
  const std::uint64_t local_routes = local ? local->n_routes() : 0;
  add({"messages", "bytes_sent", "words_sent", "rounds", "routes"}, exchange_counts(exchanger_, levels_), exchanger_.n_routes() + local_routes);
  add({"local_messages", "local_bytes_sent", "local_words_sent", "local_rounds", "local_routes"}, local ? local->counts() : exchange::Counts{}, local_routes);
  Columns most{{"exchanges", exchanger_.exchanges()}, {"local_exchanges", local ? local->exchanges() : 0}};
  const auto reduce = [&](Columns& columns, comm::Op op) {
    std::vector<std::int64_t> n;
    for (const auto& c : columns) n.push_back(static_cast<std::int64_t>(c.second));
    if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(n), op);
    for (std::size_t k = 0; k < n.size(); ++k) columns[k].second = static_cast<std::uint64_t>(n[k]);
  };
  reduce(sums, comm::Op::sum);
  reduce(most, comm::Op::max);
  std::map<std::string, std::uint64_t> all{{"steps", static_cast<std::uint64_t>(step_)}, {"synapses", n_synapses_}};
  all.insert(sums.begin(), sums.end());
  all.insert(most.begin(), most.end());
  return all;
}

std::map<std::string, double> Network::load() const {
  std::map<std::string, double> load{{"neurons", 0}, {"synapses", 0}, {"spikes", 0}, {"events", 0}};
  for (const auto& s : slices_) {
    for (const auto& g : s->groups()) load["neurons"] += static_cast<double>(g->size());
    for (const auto& d : s->deliverers()) load["synapses"] += static_cast<double>(d.table->n_synapses());
    load["spikes"] += static_cast<double>(s->spikes());
    load["events"] += static_cast<double>(s->events());
  }
  const auto seconds = [&](std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names)
      if (const auto found = timers_.find(name); found != timers_.end()) sum += found->second;
    return sum;
  };
  load["compute"] = seconds({"run_deliver", "run_devices", "run_update", "run_record", "run_schedule", "run_collocate"});
  load["exchange"] = seconds({"run_exchange"});
  load["wait"] = seconds({"run_wait"});
  load["bytes_sent"] = static_cast<double>(exchange_counts(exchanger_, levels_).bytes_sent);
  load["memory"] = static_cast<double>(memory().at("total"));
  return load;
}

}  // namespace npl::sim
