// SPDX-License-Identifier: Apache-2.0
/// Queries: connections, their weights and state.
#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <tuple>

#include "comm/collect.hpp"
#include "sim/connections.hpp"
#include "sim/fingerprint.hpp"
#include "sim/projection_numbers.hpp"

namespace npl::sim {
namespace {

/// By name where it is not in the list: a model of the same name has been loaded since.
int synapse_index(const std::vector<const synapses::SynapseInfo*>& all, const synapses::SynapseInfo* info) {
  auto found = std::find(all.begin(), all.end(), info);
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), [&](const auto* m) { return m->name == info->name; });
  return static_cast<int>(found - all.begin());
}

/// One synapse, before sorting.
struct Found {
  Gid source, target;
  std::int32_t order;
  std::int32_t delay;
  std::int32_t rank, slice, table;
  std::int64_t position;
  double weight;
  std::int32_t receptor, synapse, label;
  std::int16_t layer;
};

bool canonical(const Found& a, const Found& b) {
  return std::tie(a.source, a.target, a.order, a.delay, a.table, a.position) <
         std::tie(b.source, b.target, b.order, b.delay, b.table, b.position);
}

/// The synapses of one source in one table.
struct SourceRow {
  Gid source;
  std::uint32_t row;
  std::int32_t slice, table;
};

/// Reserves n entries in all columns.
void reserve(ConnectionColumns& c, std::size_t n) {
  for (auto* column : {&c.source, &c.target}) column->reserve(n);
  for (auto* column : {&c.synapse, &c.receptor, &c.table, &c.label}) column->reserve(n);
  for (auto* column : {&c.delay, &c.position, &c.slice}) column->reserve(n);
  c.weight.reserve(n), c.layer.reserve(n);
}

/// What synapses of one source are sorted by, in 24 bytes instead of those of Found; the index keeps the order of positions.
struct SortKey {
  Gid target;
  std::uint64_t order_delay, table_index;

  auto operator<=>(const SortKey&) const = default;
  std::size_t index() const { return static_cast<std::uint32_t>(table_index); }
};

/// Puts the synapses of one source, found row by row, into canonical order.
class RowSorter {
 public:
  /// Keys of the synapses in canonical order, valid until the next call.
  const std::vector<SortKey>& operator()(const std::vector<Found>& found) {
    keys_.clear();
    Gid low = std::numeric_limits<Gid>::max(), high = 0;
    for (const Found& f : found) {
      keys_.push_back({f.target, std::uint64_t(f.order) << 32 | std::uint32_t(f.delay), std::uint64_t(f.table) << 32 | keys_.size()});
      low = std::min(low, f.target), high = std::max(high, f.target);
    }
    if (std::is_sorted(keys_.begin(), keys_.end())) return keys_;
    if (static_cast<std::size_t>(high - low) < 4 * found.size()) count_targets(low, high);
    if (!std::is_sorted(keys_.begin(), keys_.end())) std::sort(keys_.begin(), keys_.end());
    return keys_;
  }

 private:
  /// Sorts by target alone: a row holds its synapses by delay and position, so most often no more is needed.
  void count_targets(Gid low, Gid high) {
    begin_.assign(static_cast<std::size_t>(high - low) + 2, 0);
    for (const SortKey& k : keys_) ++begin_[static_cast<std::size_t>(k.target - low) + 1];
    for (std::size_t t = 1; t < begin_.size(); ++t) begin_[t] += begin_[t - 1];
    sorted_.resize(keys_.size());
    for (const SortKey& k : keys_) sorted_[begin_[static_cast<std::size_t>(k.target - low)]++] = k;
    keys_.swap(sorted_);
  }

  std::vector<SortKey> keys_, sorted_;
  std::vector<std::uint32_t> begin_;
};

/// @param numbers null: without numbers of projections
template <class At>
void append(ConnectionColumns& c, std::size_t n, ProjectionNumbers* numbers, At&& at) {
  for (std::size_t k = 0; k < n; ++k) {
    const Found& f = at(k);
    c.source.push_back(f.source);
    c.target.push_back(f.target);
    c.weight.push_back(f.weight);
    c.delay.push_back(f.delay);
    c.synapse.push_back(f.synapse);
    c.receptor.push_back(f.receptor);
    c.slice.push_back(slice_handle(f.rank, static_cast<SliceId>(f.slice)));
    c.table.push_back(f.table);
    c.label.push_back(f.label);
    c.layer.push_back(f.layer);
    c.position.push_back(f.position);
    if (numbers) c.projection.push_back((*numbers)(f.order, f.source, f.target, f.delay));
  }
}

/// Whether nodes of a slice are among the targets of a query. Few targets are listed, many are marked.
class TargetTest {
 public:
  /// @param targets null: all
  TargetTest(const connect::NodeSet* targets, const Residents& nodes) : all_(!targets) {
    if (all_) return;
    const bool few = 16 * targets->size() < static_cast<std::int64_t>(nodes.size());
    if (!few) marks_.resize(nodes.size());
    targets->for_each_in(nodes, [&](std::int64_t, Gid, Local local) { few ? listed_.push_back(local) : void(marks_[local] = 1); });
    std::sort(listed_.begin(), listed_.end());
  }
  bool operator()(Local local) const {
    if (all_ || !marks_.empty()) return all_ || marks_[local] != 0;
    if (listed_.empty() || local < listed_.front() || local > listed_.back()) return false;
    return std::binary_search(listed_.begin(), listed_.end(), local);
  }

 private:
  const bool all_;
  std::vector<char> marks_;
  std::vector<Local> listed_;  ///< ascending
};

/// Calls f(row, source) for the rows of sources of a query; null: of all.
template <class F>
void for_rows_of(const connect::NodeSet* sources, const tables::EdgeTable& table, F&& f) {
  if (!sources || 8 * sources->size() > static_cast<std::int64_t>(table.n_rows())) {
    table.sources.for_each([&](std::uint32_t row, Gid source) {
      if (!sources || sources->position(source) >= 0) f(row, source);
    });
    return;
  }
  for (const connect::Range& r : sources->ranges())
    for (std::int64_t k = 0; k < r.count; ++k) {
      const Gid source = r.first + k * r.stride;
      table.sources.for_rows(source, [&](std::uint32_t row) { f(row, source); });
    }
}

/// A query that was checked.
struct Wanted {
  const connect::NodeSet *sources, *targets;
  const synapses::SynapseInfo* synapse;  ///< null: all
  const ProjectionEntry* projection;     ///< null: any
  bool unknown;                          ///< only projections without identity

  bool has(const tables::TableSpec& spec, const TableSpecs& specs) const {
    if (synapse && spec.synapse != synapse) return false;
    if (unknown) return specs.layer_of(spec) == 0;
    return !projection || (specs.layer_of(spec) == projection->layer && ProjectionKind::of(spec, specs.label_of(spec)) == projection->kind);
  }
};

Wanted checked(const Connections::Query& query, const ProjectionBook& book) {
  Wanted w{query.sources, query.targets, query.synapse.empty() ? nullptr : &synapses::find_synapse(query.synapse), nullptr, false};
  if (!query.projection) return w;
  w.unknown = *query.projection < 0;
  w.projection = w.unknown ? nullptr : &book.at(*query.projection);
  if (w.projection) w.sources = &w.projection->sources, w.targets = &w.projection->targets;
  return w;
}

/// The synapses of a query, source by source.
class Reader {
 public:
  Reader(const Slices& slices, const TableSpecs& specs, int rank, const Wanted& wanted)
      : slices_(slices), specs_(specs), rank_(rank), pairs_(wanted.projection && wanted.projection->pairs ? wanted.projection : nullptr) {
    for (const auto& slice : slices) {
      const std::size_t known = rows_.size();
      for (std::size_t t = 0; t < slice->pathways().size(); ++t) {
        const tables::EdgeTable& table = slice->pathways()[t]->table();
        if (!wanted.has(*table.spec, specs)) continue;
        for_rows_of(wanted.sources, table, [&](std::uint32_t row, Gid source) {
          rows_.push_back({source, row, static_cast<std::int32_t>(is_target_.size()), static_cast<std::int32_t>(t)});
        });
      }
      is_target_.emplace_back(rows_.size() > known ? wanted.targets : nullptr, slice->nodes());
    }
    std::sort(rows_.begin(), rows_.end(), [](const SourceRow& a, const SourceRow& b) {
      return std::tie(a.source, a.slice, a.table, a.row) < std::tie(b.source, b.slice, b.table, b.row);
    });
  }
  /// Calls f() after each source, whose synapses have been appended to `found`.
  template <class F>
  void each_source(std::vector<Found>& found, F&& f) const {
    for (std::size_t first = 0, last = 0; first < rows_.size(); first = last) {
      for (; last < rows_.size() && rows_[last].source == rows_[first].source; ++last) append_row(rows_[last], found);
      f();
    }
  }

 private:
  void append_row(const SourceRow& r, std::vector<Found>& found) const {
    const Slice& slice = *slices_[static_cast<std::size_t>(r.slice)];
    const tables::EdgeTable& table = slice.pathways()[static_cast<std::size_t>(r.table)]->table();
    const TargetTest& is_target = is_target_[static_cast<std::size_t>(r.slice)];
    const tables::TableSpec& spec = *table.spec;
    const Found one{r.source,
                    0,
                    spec.order,
                    0,
                    rank_,
                    static_cast<std::int32_t>(slice.id()),
                    r.table,
                    0,
                    0.0,
                    spec.receptor,
                    synapse_index(synapses_, spec.synapse),
                    specs_.label_of(spec),
                    static_cast<std::int16_t>(specs_.layer_of(spec))};
    table.for_row(r.row, [&](std::uint32_t i, Delay delay) {
      const Local local = table.target[i];
      if (!is_target(local)) return;
      const Gid target = slice.nodes().gid(local);
      if (pairs_ && !pairs_->has(r.source, target)) return;
      found.push_back(one);
      Found& f = found.back();
      f.target = target, f.delay = delay, f.position = i, f.weight = table.weight(i);
    });
  }

  const Slices& slices_;
  const TableSpecs& specs_;
  int rank_;
  const ProjectionEntry* pairs_;  ///< null: all pairs of sources and targets
  const std::vector<const synapses::SynapseInfo*> synapses_ = synapses::synapses();
  std::vector<SourceRow> rows_;
  std::vector<TargetTest> is_target_;  ///< [slices]
};

}  // namespace

ConnectionColumns Connections::find(const Query& query, bool gather) const {
  require_sources("connections");
  const Wanted what = checked(query, description_.book());
  for (const auto* set : {what.sources, what.targets})
    if (set) populations_.check_nodes(*set, "nodes");
  Fingerprint arguments;
  for (const auto* set : {query.sources, query.targets}) set ? arguments.add(set->size()).add(*set) : arguments.add(std::int64_t{-1});
  if (query.projection) arguments.add(*query.projection);
  if (gather) agree("connections", nullptr, arguments.add(query.synapse).value());
  const bool alone = !gather || ranks() == 1;
  const Reader reader(slices_, description_.specs(), rank(), what);
  ConnectionColumns c;
  std::vector<Found> found;
  RowSorter sorted;
  ProjectionNumbers known(description_.book(), description_.specs());
  ProjectionNumbers* const numbers = query.numbers ? &known : nullptr;
  if (ranks() == 1 && !what.sources && !what.targets && !what.synapse) reserve(c, n_synapses_);
  // Source by source, so that only the synapses of one source are stored and sorted at a time.
  reader.each_source(found, [&] {
    if (!alone) return;
    const std::vector<SortKey>& keys = sorted(found);
    append(c, found.size(), numbers, [&](std::size_t k) -> const Found& { return found[keys[k].index()]; });
    found.clear();
  });
  if (alone) return c;
  found = comm::gather(*comm_, found);
  std::sort(found.begin(), found.end(), canonical);
  reserve(c, found.size());
  append(c, found.size(), numbers, [&](std::size_t k) -> const Found& { return found[k]; });
  return c;
}

std::size_t Connections::check_index(const char* name, std::int64_t index, std::size_t n) {
  if (index < 0 || static_cast<std::size_t>(index) >= n)
    throw BadParameter(name, static_cast<double>(index), "as connections() gave it since the last build");
  return static_cast<std::size_t>(index);
}

/// The pathway of a connection, or null if it is on another rank. Throws BadParameter for invalid handles.
pathways::Pathway* Connections::pathway_at(std::int64_t slice, std::int32_t table) const {
  const std::int64_t owner = rank_of_handle(slice);
  check_index("slice", owner, static_cast<std::size_t>(ranks()));
  if (owner != rank()) return nullptr;
  Slice& s = *slices_[check_index("slice", slice_of_handle(slice), slices_.size())];
  return s.pathways()[check_index("table", table, s.pathways().size())].get();
}

/// As pathway_at.
tables::EdgeTable* Connections::table_at(std::int64_t slice, std::int32_t table, std::int64_t position) const {
  pathways::Pathway* p = pathway_at(slice, table);
  if (p) check_index("position", position, p->table().n_synapses());
  return p ? &p->table() : nullptr;
}

void Connections::Places::look_up(std::size_t k) {
  pathways::Pathway* p = connections_.pathway_at(at_.slice[k], at_.table[k]);
  *last_ = {true, at_.table[k], at_.slice[k], p ? &p->table() : nullptr};
}

std::vector<double> Connections::get_weights(const Handles& at, bool gather) const {
  if (!gather) return own_weights(at);
  std::vector<double> weights;
  together("get_weights", [&] { weights = own_weights(at); }, fingerprint_of(at.slice, at.table, at.position));
  comm::merge(*comm_, weights);
  return weights;
}

std::vector<double> Connections::own_weights(const Handles& at) const {
  at.check();
  std::vector<double> weights(at.size());
  Places places(*this, at);
  for (std::size_t k = 0; k < at.size(); ++k)
    if (const tables::EdgeTable* t = places.table(k)) weights[k] = t->weight(places.position(k));
  return weights;
}

std::vector<double> Connections::get_state(const std::string& name, const Handles& at, bool gather,
                                           std::optional<std::pair<Step, Step>> when) const {
  if (!gather) return own_state(name, at, when);
  std::vector<double> values;
  together("get_state", [&] { values = own_state(name, at, when); }, fingerprint_of(name, at.slice, at.table, at.position));
  comm::merge(*comm_, values);
  return values;
}

std::vector<double> Connections::own_state(const std::string& name, const Handles& at, std::optional<std::pair<Step, Step>> when) const {
  struct Asked {
    std::vector<std::uint32_t> synapses;
    std::vector<std::size_t> index;
  };
  at.check();
  std::map<std::pair<std::size_t, std::size_t>, Asked> asked;  // by slice and table
  Places places(*this, at);
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (!places.table(k)) continue;
    Asked& some = asked[{static_cast<std::size_t>(slice_of_handle(at.slice[k])), static_cast<std::size_t>(at.table[k])}];
    some.synapses.push_back(static_cast<std::uint32_t>(at.position[k])), some.index.push_back(k);
  }
  const pathways::StateTime then = when ? pathways::StateTime{step_, when->first, when->second} : pathways::StateTime{step_, step_, step_};
  std::vector<double> values(at.size()), found;
  for (const auto& [place, some] : asked) {
    found.resize(some.synapses.size());
    slices_[place.first]->pathways()[place.second]->states(name, some.synapses, then, found.data());
    for (std::size_t k = 0; k < found.size(); ++k) values[some.index[k]] = found[k];
  }
  return values;
}

std::vector<double> Connections::get_parameter(const std::string& name, const Handles& at, bool gather) const {
  if (!gather) return own_parameter(name, at);
  std::vector<double> values;
  together("get_parameter", [&] { values = own_parameter(name, at); }, fingerprint_of(name, at.slice, at.table, at.position));
  comm::merge(*comm_, values);
  return values;
}

std::vector<double> Connections::own_parameter(const std::string& name, const Handles& at) const {
  at.check();
  std::vector<double> values(at.size());
  Places places(*this, at);
  for (std::size_t k = 0; k < at.size(); ++k) {
    const tables::EdgeTable* t = places.table(k);
    if (!t) continue;
    const int p = find_field(t->spec->synapse->parameters, name);
    values[k] = p < 0 ? std::numeric_limits<double>::quiet_NaN() : t->parameters_of(places.position(k))[static_cast<std::size_t>(p)];
  }
  return values;
}

std::vector<TableHash> Connections::table_hashes() const {
  std::vector<TableHash> hashes;
  for (const auto& s : slices_)
    for (const auto& p : s->pathways())
      hashes.push_back({static_cast<std::int32_t>(s->id()), p->table().spec->order, p->table().n_synapses(), tables::hash_of(p->table())});
  return hashes;
}

}  // namespace npl::sim
