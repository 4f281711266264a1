// SPDX-License-Identifier: Apache-2.0
/// disconnect(): synapses leave their tables. And what a connection that is made anew keeps of the one that it stands for.
#include <algorithm>
#include <tuple>

#include "sim/connections.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {

RemovedState Connections::disconnect(const Handles& at, Step sent) {
  require_sources("disconnect");
  Out out;
  together("disconnect", [&] { out = marked(at); }, fingerprint_of(at.slice, at.table, at.position, sent));
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, std::vector<InFlight>> in_flight;  // by slice, table, position
  for (const auto& [where, marks] : out)
    for (const deliver::Owed& o : slices_[where.first]->settle(where.second, marks, sent, step_))
      in_flight[{where.first, where.second, o.synapse}].push_back({0, o.stamp - 1, o.before});
  RemovedState removed = states_of(at);
  for (std::size_t k = 0; k < at.size() && !in_flight.empty(); ++k) {
    if (!table_at(at.slice[k], at.table[k], at.position[k])) continue;
    for (InFlight u : in_flight[{static_cast<std::size_t>(slice_of_handle(at.slice[k])), static_cast<std::size_t>(at.table[k]), at.position[k]}])
      removed.in_flight.push_back({static_cast<std::int64_t>(k), u.step, u.before});
  }
  for (const auto& [where, marks] : out) slices_[where.first]->erase(where.second, marks, step_);
  for (auto& s : slices_) s->drop_empty_tables(), recorders_.choose_in(*s);
  if (at.slice.empty()) return removed;
  note(fingerprint_of(std::string_view("disconnect"), at.slice, at.table, at.position));
  count_synapses();
  routed_ = false;
  return removed;
}

/// The synapses of this rank that are to go, by table.
Connections::Out Connections::marked(const Handles& at) const {
  at.check();
  Out out;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const deliver::EdgeTable* t = table_at(at.slice[k], at.table[k], at.position[k]);
    if (!t) continue;
    auto& marks = out[{static_cast<std::size_t>(slice_of_handle(at.slice[k])), static_cast<std::size_t>(at.table[k])}];
    marks.resize(t->n_synapses());
    char& mark = marks[static_cast<std::size_t>(at.position[k])];
    if (mark) throw BadParameter("position[" + std::to_string(k) + "]", static_cast<double>(at.position[k]), "each connection once");
    mark = 1;
  }
  return out;
}

namespace {

/// Rows of different lengths side by side, filled up with zeros; returns their width.
std::size_t joined(const std::vector<std::vector<double>>& rows, std::vector<double>& out) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  out.assign(rows.size() * width, 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) std::copy(rows[k].begin(), rows[k].end(), out.begin() + static_cast<std::ptrdiff_t>(k * width));
  return width;
}

std::vector<double> part(const Buffer<double>& column, std::size_t item, int width) {
  const double* first = column.data() + item * static_cast<std::size_t>(width);
  return {first, first + width};
}

}  // namespace

RemovedState Connections::states_of(const Handles& at) const {
  RemovedState removed;
  removed.weight = own_weights(at);
  removed.last.resize(at.size());
  std::vector<std::vector<double>> values(at.size()), own(at.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const deliver::EdgeTable* t = table_at(at.slice[k], at.table[k], at.position[k]);
    if (!t || !t->spec->plasticity) continue;
    const auto i = static_cast<std::uint32_t>(at.position[k]);
    const std::size_t row = t->row_of(i);
    removed.last[k] = t->pre_last[row];
    values[k] = part(t->pre_values, row, t->values_per_row);
    own[k] = part(t->synapse_values, i, t->values_per_synapse);
  }
  removed.width = joined(values, removed.values);
  removed.own_width = joined(own, removed.own);
  return removed;
}

void Connections::inherit(const Edges& edges, const RemovedState& states) {
  for_new_tables([&](Slice& slice, Deliverer& d) {
    deliver::EdgeTable& t = *d.table;
    if (!t.spec->plasticity || static_cast<std::size_t>(t.values_per_row) > states.width) return;
    const auto width = static_cast<std::size_t>(t.values_per_row);  // rows of `states` are as wide as the widest
    for (std::size_t k = 0; k < edges.source.size(); ++k) {
      const std::uint32_t row = t.sources.row(edges.source[k]);
      if (row == deliver::SourceIndex::none) continue;
      t.pre_last[row] = static_cast<std::int32_t>(states.last[k]);
      std::copy_n(&states.values[k * states.width], width, &t.pre_values[row * width]);
    }
    if (t.values_per_synapse && static_cast<std::size_t>(t.values_per_synapse) <= states.own_width) inherit_own(slice, t, edges, states);
  });
}

/// The k-th of equal edges is the k-th of equal synapses.
void Connections::inherit_own(Slice& slice, deliver::EdgeTable& t, const Edges& edges, const RemovedState& states) {
  const auto width = static_cast<std::size_t>(t.values_per_synapse);
  std::map<std::tuple<std::uint32_t, Local, Delay>, std::vector<std::uint32_t>> synapses;  // of row, target, delay; the first one last
  for (std::uint32_t row = 0; row < t.n_rows(); ++row)
    t.for_row(row, [&](std::uint32_t i, Delay delay) { synapses[{row, t.target[i], delay}].push_back(i); });
  for (auto& [key, equal] : synapses) std::reverse(equal.begin(), equal.end());
  for (std::size_t k = 0; k < edges.source.size(); ++k) {
    const auto found = synapses.find({t.sources.row(edges.source[k]), slice.nodes().local(edges.target[k]), static_cast<Delay>(edges.delay[k])});
    if (found == synapses.end() || found->second.empty()) continue;
    std::copy_n(&states.own[k * states.own_width], width, &t.synapse_values[found->second.back() * width]);
    found->second.pop_back();
  }
}

void Connections::resend(const std::vector<Gid>& sources, const std::vector<InFlight>& spikes) {
  for_new_tables([&](Slice&, Deliverer& d) {
    for (const InFlight& u : spikes) {
      const std::uint32_t row = d.table->sources.row(sources[static_cast<std::size_t>(u.k)]);
      if (row == deliver::SourceIndex::none) continue;
      d.agenda.resume(*d.table, row, u.step, u.before);
      d.busy(u.step);
    }
  });
}

void Connections::count_synapses() {
  std::int64_t n = 0;
  for (const auto& s : slices_)
    for (const auto& d : s->deliverers()) n += static_cast<std::int64_t>(d.table->n_synapses());
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  n_synapses_ = static_cast<std::uint64_t>(n);
}

}  // namespace npl::sim
