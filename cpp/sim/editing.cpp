// SPDX-License-Identifier: Apache-2.0
/// edit(): removes connections or changes their weights, delays, parameters or labels, in one transaction: check on all ranks, plan, apply.
/// Connections that move to another table keep their state and their in-flight spikes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/learner.hpp"
#include "comm/collect.hpp"
#include "sim/edit_plan.hpp"
#include "sim/fingerprint.hpp"
#include "sim/joined_rows.hpp"
#include "sim/varied.hpp"
#include "tables/listed.hpp"

namespace npl::sim {
namespace {

/// Checks that an array has one value per connection, one value for all, or none. Throws BadLength.
template <class T>
void check_length(const char* name, const std::vector<T>& values, std::size_t n) {
  if (values.size() > 1 && values.size() != n) throw BadLength(name, values.size(), n);
}

/// Whether synapses learn from a spike after it has arrived.
bool learns_later(const tables::TableSpec& spec) { return spec.single() && spec.single()->catches_up(); }

/// Synapses would begin anew with steps of which nothing is known any more.
[[noreturn]] void refuse_new_state(const tables::TableSpec& spec, const std::vector<double>& before,
                                   const std::vector<double>& parameters) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, parameters).in1 - before.begin());
  throw BadParameter(spec.synapse->parameters[at].name, parameters[at],
                     "unchanged, as when connected: the eligibility trace of " + spec.synapse->name + " depends on it");
}

}  // namespace

/// Checks the call and plans the change of each connection of this rank; changes nothing.
Connections::EditPlan Connections::plan_edits(const ConnectionEdits& e) const {
  const std::size_t n = e.slice.size();
  e.check();
  check_length("weight", e.weight, n), check_length("delay", e.delay, n), check_length("label", e.label, n);
  for (const auto& [name, values] : e.parameters) check_length(name.c_str(), values, n);
  std::set<std::tuple<std::int64_t, std::int32_t, std::int64_t>> known;
  EditPlan plan;
  plan.largest.resize(slices_[0]->largest().size());
  for (std::size_t k = 0; k < n; ++k) {
    const tables::EdgeTable* t = table_at(e.slice[k], e.table[k], e.position[k]);
    if (!known.emplace(e.slice[k], e.table[k], e.position[k]).second)
      throw BadParameter("position[" + std::to_string(k) + "]", static_cast<double>(e.position[k]), "each connection once");
    if (!t) continue;
    Slice& slice = *slices_[static_cast<std::size_t>(slice_of_handle(e.slice[k]))];
    if (e.remove) {
      plan.moves.push_back({k, static_cast<std::size_t>(e.table[k]), &slice, {}});
      continue;
    }
    EditPlan::Kind kind = edited_kind(e, k, *t);
    note_values(e, k, kind, *t, plan);
    const bool stays = e.delay.empty() && kind == kind_of(*t->spec);
    if (!stays)
      plan.moves.push_back({k, static_cast<std::size_t>(e.table[k]), &slice, std::move(kind)});
    else if (!e.weight.empty() || !e.parameters.empty())
      plan.in_place.push_back(k);
  }
  std::stable_sort(plan.moves.begin(), plan.moves.end(), [](const auto& a, const auto& b) { return a.slice->id() < b.slice->id(); });
  return plan;
}

/// Records the range of new values, for scales and intervals.
void Connections::note_values(const ConnectionEdits& e, std::size_t k, const std::vector<double>& kind, const tables::EdgeTable& t,
                              EditPlan& plan) {
  if (!e.weight.empty() && t.spec->scaled()) {
    double& largest = plan.largest[static_cast<std::size_t>(kind[1])];
    largest = std::max(largest, std::abs(value_at(e.weight, k)));
  }
  if (e.delay.empty()) return;
  const auto sub_step = t.spec->synapse->sub_step_delay;
  const std::int64_t delay = value_at(e.delay, k);
  plan.shortest = std::min(plan.shortest, delay - (sub_step && sub_step(&kind[4]) > 0.0));
  plan.longest = std::max(plan.longest, delay);
}

std::vector<double> Connections::kind_of(const tables::TableSpec& spec) const {
  const auto at = std::find_if(specs_.begin(), specs_.end(), [&](const auto& s) { return s.get() == &spec; }) - specs_.begin();
  std::vector<double> kind{static_cast<double>(at), static_cast<double>(spec.receptor), 0.0,
                           static_cast<double>(labels_[static_cast<std::size_t>(spec.order)])};
  kind.insert(kind.end(), spec.parameters.begin(), spec.parameters.end());
  return kind;
}

/// @param i position of the synapse @param sub_step part of the delay that is less than a step [ms]. Throws BadDelay.
void Connections::check_new_delay(const tables::EdgeTable& t, std::size_t i, std::int64_t delay, double sub_step) const {
  const tables::TableSpec& spec = *t.spec;
  const auto refused = [&](const std::string& allowed) {
    throw BadDelay("delay", static_cast<double>(delay) * settings_.resolution - sub_step, allowed);
  };
  if (delay < 1 + (sub_step > 0.0) || delay > longest_delay) refused("from one step of the resolution to 65535 steps");
  if (spec.continuous() && !spec.synapse->continuous->delayed) refused("left out: connections of " + spec.synapse->name + " have no delay");
  if (!learns_later(spec)) return;
  const std::uint32_t row = t.row_of(static_cast<std::uint32_t>(i));
  const std::int64_t before = t.delay_of(row, static_cast<std::uint32_t>(i)), last = t.pre_last[row];
  // A spike that arrives by the old delay and is learned from by the new one could count twice, or not at all.
  if (delay != before && last > 0 && last > step_ - std::max(before, delay) - learning_quiet)
    refused("unchanged until " + std::to_string(learning_quiet) +
            " steps after the last spike of the source has arrived, by the old delay and by the new one: " + spec.synapse->name +
            " has to learn from the spike before");
}

/// Kind of connection k after the edit. Throws BadParameter.
std::vector<double> Connections::edited_kind(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t) const {
  const tables::TableSpec& spec = *t.spec;
  const auto i = static_cast<std::size_t>(e.position[k]);
  const std::vector<double> before = t.parameters_of(i);
  std::vector<double> kind = kind_of(spec), parameters = before;
  for (const auto& [name, values] : e.parameters) {
    const double value = value_at(values, k);
    if (std::isnan(value)) continue;
    const int at = find_field(spec.synapse->parameters, name);
    if (at < 0) throw UnknownName("parameter of " + spec.synapse->name, name, field_names(spec.synapse->parameters));
    check_value(spec.synapse->parameters[static_cast<std::size_t>(at)], parameters[static_cast<std::size_t>(at)] = value);
  }
  const double sub_step = spec.synapse->sub_step_delay ? spec.synapse->sub_step_delay(parameters.data()) : 0.0;
  const auto changed = parameters != before ? spec.synapse->prepare(parameters.data(), settings_.resolution) : nullptr;  // checks relations
  if (changed && step_ > 0 && learns_later(spec) && changed->single()->synapse_values() != spec.single()->synapse_values())
    refuse_new_state(spec, before, parameters);
  if (const auto* rule = changed ? changed.get() : spec.plasticity.get(); rule && (changed || !e.weight.empty())) {
    const double w = e.weight.empty() ? t.weight(i) : value_at(e.weight, k);
    check_plastic_weights(rule->bounds_of(changed ? nullptr : t.varied(i)), w, w, settings_.strict_weights);
  }
  if (changed || !e.delay.empty())
    check_axonal(
        *spec.synapse, parameters,
        e.delay.empty() ? t.delay_of(t.row_of(static_cast<std::uint32_t>(i)), static_cast<std::uint32_t>(i)) : value_at(e.delay, k),
        settings_.resolution);
  for (const int at : spec.varied) parameters[static_cast<std::size_t>(at)] = spec.parameters[static_cast<std::size_t>(at)];
  std::copy(parameters.begin(), parameters.end(), kind.begin() + 4);
  if (!e.delay.empty()) check_new_delay(t, i, value_at(e.delay, k), sub_step);
  if (!e.label.empty()) kind[3] = value_at(e.label, k);
  kind[2] = spec.weights == tables::Weights::coded && parameters != spec.parameters;  // they may make the synapse plastic
  if (e.weight.empty()) return kind;
  const double w = value_at(e.weight, k);
  if (!std::isfinite(w)) throw BadParameter("weight", w, "a finite number");
  if (spec.rounds() && std::abs(w) > std::numeric_limits<float>::max())
    throw BadParameter("weight", w, "a number in the range of float32 (3.4e38), or connected with double_weights");
  if (spec.input == tables::TargetInput::by_sign && w != 0.0) kind[1] = w < 0.0;
  if (spec.scaled()) description_.specs().of(static_cast<int>(kind[1])).check_set(std::abs(w));
  kind[2] = kind[2] != 0.0 || !spec.holds(w);
  return kind;
}

/// Finds or makes the specs of all kinds that any rank needs, in the same order on all ranks.
void Connections::find_specs(EditPlan& plan) {
  std::size_t width = 4;
  for (const auto& s : specs_) width = std::max(width, 4 + s->parameters.size());
  std::set<EditPlan::Kind> mine;
  for (const EditPlan::Move& m : plan.moves) mine.insert(m.kind);
  std::vector<double> rows;
  for (EditPlan::Kind kind : mine) kind.resize(width), rows.insert(rows.end(), kind.begin(), kind.end());
  if (ranks() > 1) rows = comm::gather(*comm_, rows);
  std::set<EditPlan::Kind> all;
  for (auto at = rows.begin(); at != rows.end(); at += static_cast<std::ptrdiff_t>(width))
    all.emplace(at, at + static_cast<std::ptrdiff_t>(width));
  TableSpecs& specs = description_.specs();
  std::map<EditPlan::Kind, int> spec_of;
  for (const EditPlan::Kind& kind : all) {
    const tables::TableSpec& old = *specs_[static_cast<std::size_t>(kind[0])];
    tables::TableSpec spec = kind[2] != 0.0 ? old.widened() : old;
    spec.parameters.assign(kind.begin() + 4, kind.begin() + 4 + static_cast<std::ptrdiff_t>(old.parameters.size()));
    spec.receptor = static_cast<int>(kind[1]);
    EditPlan::Kind own(kind.begin(), kind.begin() + 4 + static_cast<std::ptrdiff_t>(old.parameters.size()));
    const auto label = static_cast<int>(kind[3]);
    const int layer = label == specs.label_of(old) ? specs.layer_of(old) : 0;
    const int made = spec_of[std::move(own)] = specs.table_for(std::move(spec), label, layer);
    const auto& rule = specs_[static_cast<std::size_t>(made)]->plasticity;
    if (rule && rule->largest_weight() > 0.0) specs.of(specs_[static_cast<std::size_t>(made)]->receptor).note_bound(rule->largest_weight());
  }
  for (EditPlan::Move& m : plan.moves) m.spec = spec_of.at(m.kind);
}

namespace {

/// Synapses to be added to one table of a slice, and their rows.
struct Arriving {
  std::vector<tables::ListedSynapse> list;
  std::vector<std::size_t> k;  ///< [list] index in the call
  JoinedRows<pathways::InFlight> rows;
};

/// In-flight spikes to requeue for the rows of a new table, in order of steps.
std::vector<pathways::Requeued> requeued(const Arriving& a, const tables::Listed& made) {
  std::vector<pathways::Requeued> all;
  std::vector<char> done(made.table->n_rows());
  for (std::size_t j = 0; j < a.list.size(); ++j) {
    const std::uint32_t row = made.table->row_of(made.position[j]);
    if (std::exchange(done[row], 1)) continue;
    for (const pathways::InFlight& f : a.rows.flying(a.list[j].row)) all.push_back({row, f.stamp - 1, f.before, f.offset});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.step < y.step; });
  return all;
}

/// Spikes of earlier steps arrive with the old values: those before ConnectionEdits::sent_before, and those that would have arrived already
/// with a shorter new delay. None where synapses learn from their arrival. @param spec new spec of the connection; null: it is removed
Step sent_before(const ConnectionEdits& e, std::size_t k, const tables::TableSpec* spec, Step now) {
  if (spec && learns_later(*spec)) return 0;
  if (!spec || e.delay.empty()) return e.sent_before;
  return std::max<Step>(e.sent_before, now - value_at(e.delay, k) + (spec->sub_step_delay > 0.0));
}

/// Sources [rows] of a table.
std::vector<Gid> sources_of(const tables::EdgeTable& t) {
  std::vector<Gid> sources(t.n_rows());
  t.sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
  return sources;
}

/// Connections that are removed from the tables of a slice, with the state and in-flight spikes they had.
class Taken {
 public:
  Taken(Slice& slice, Step now) : slice_(slice), now_(now) {}

  /// @param sent_before spikes of earlier steps arrive with the old values
  void mark(std::size_t pathway, std::int64_t position, Step sent_before) {
    const std::size_t n = slice_.pathways()[pathway]->table().n_synapses();
    auto& marks = out_[pathway];
    auto& sent = sent_before_[pathway];
    marks.resize(n), sent.resize(n);
    marks[static_cast<std::size_t>(position)] = 1, sent[static_cast<std::size_t>(position)] = sent_before;
  }
  /// Call when all are marked: spikes emitted before `sent_before` become late input.
  void settle() {
    for (const auto& [p, marks] : out_) {
      sources_[p] = sources_of(slice_.pathways()[p]->table());
      for (const pathways::InFlight& f : slice_.settle(p, marks, sent_before_[p], now_)) flying_[{p, f.synapse}].push_back(f);
    }
    sent_before_.clear();
  }
  /// Adds a connection with its current state to the synapses of another table.
  tables::ListedSynapse& copy(std::size_t pathway, std::uint32_t i, Arriving& to) {
    const tables::EdgeTable& t = slice_.pathways()[pathway]->table();
    const std::uint32_t row = t.row_of(i);
    const Gid source = sources_.at(pathway)[row];
    to.list.push_back(
        {source, to.rows.row(source, {&t, row}, flying_[{pathway, i}]), t.delay_of(row, i), t.target[i], t.weight(i), {&t, i}});
    return to.list.back();
  }
  /// Removed synapses of each table, by pathway.
  std::map<std::size_t, std::vector<char>>& marks() { return out_; }

 private:
  Slice& slice_;
  Step now_;
  std::map<std::size_t, std::vector<char>> out_;                                             ///< by pathway
  std::map<std::size_t, std::vector<Step>> sent_before_;                                     ///< by pathway: of its synapses
  std::map<std::size_t, std::vector<Gid>> sources_;                                          ///< by pathway: of rows
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<pathways::InFlight>> flying_;  ///< by pathway, synapse
};

}  // namespace

/// Applies the plan in one slice.
void Connections::edit_slice(Slice& slice, const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed) {
  const auto here = [&](auto&& f) {
    for (const EditPlan::Move& m : plan.moves)
      if (m.slice == &slice) f(m);
  };
  Taken taken(slice, step_);
  here([&](const auto& m) {
    const tables::TableSpec* spec = e.remove ? nullptr : specs_[static_cast<std::size_t>(m.spec)].get();
    taken.mark(m.pathway, e.position[m.k], sent_before(e, m.k, spec, step_));
  });
  taken.settle();
  std::map<const tables::TableSpec*, Arriving> arriving;
  here([&](const auto& m) {
    if (e.remove) return;
    set_varied(e, m.k, static_cast<std::size_t>(e.position[m.k]),
               m.slice->pathways()[m.pathway]->table());  // after the spikes that arrive with the old values
    Arriving& to = arriving[specs_[static_cast<std::size_t>(m.spec)].get()];
    tables::ListedSynapse& synapse = taken.copy(m.pathway, static_cast<std::uint32_t>(e.position[m.k]), to);
    if (!e.delay.empty()) synapse.delay = static_cast<Delay>(value_at(e.delay, m.k));
    if (!e.weight.empty()) synapse.weight = value_at(e.weight, m.k);
    to.k.push_back(m.k);
  });
  for (const auto& [spec, to] : arriving)
    if (const std::size_t p = slice.pathway_of(*spec); p < slice.pathways().size()) taken.marks().try_emplace(p);
  for (const auto& [p, out] : taken.marks()) slice.note_edited(slice.pathways()[p]->table().spec);
  for (const auto& [spec, to] : arriving) slice.note_edited(spec);
  std::map<std::size_t, tables::Places> stayed;  // by pathway
  std::map<std::pair<std::size_t, std::uint32_t>, std::pair<const tables::TableSpec*, std::uint32_t>>
      moved;                                                  // pathway and position of before
  std::map<const tables::TableSpec*, tables::Listed> listed;  // while the tables that they leave are still there
  for (const auto& [spec, to] : arriving) listed[spec] = tables::table_of(*spec, to.list, to.rows.states(), settings_.layout);
  const auto apply = [&](std::size_t pathway, std::vector<char> out, const tables::TableSpec* spec) {
    pathways::Edits edits{.out = std::move(out), .order = source_order(), .layout = settings_.layout};
    if (!edits.layout && pathway < slice.pathways().size() && slice.pathways()[pathway]->wants_delays())
      edits.layout = tables::Layout::words;
    const auto to = arriving.extract(spec);
    tables::Listed& made = listed[spec];
    if (!to.empty()) edits.requeued = requeued(to.mapped(), made), edits.added = std::move(made.table);
    pathways::Moved places = slice.edit(pathway, std::move(edits), step_);
    stayed[pathway] = std::move(places.stayed);
    for (std::size_t j = 0; j < made.position.size(); ++j) {
      const std::size_t k = to.mapped().k[j];
      moved[{static_cast<std::size_t>(e.table[k]), static_cast<std::uint32_t>(e.position[k])}] = {spec, places.added(made.position[j])};
    }
  };
  for (auto& [p, out] : taken.marks()) apply(p, std::move(out), slice.pathways()[p]->table().spec);
  while (!arriving.empty()) apply(slice.pathways().size(), {}, arriving.begin()->first);
  for (Followed& f : followed) {
    const auto places = stayed.find(f.pathway);
    if (places == stayed.end()) continue;
    if (const auto to = moved.find({f.pathway, f.position}); to != moved.end())
      std::tie(f.spec, f.position) = to->second;
    else if ((f.position = places->second(f.position)) == tables::Places::gone)
      f.spec = nullptr;
  }
}

}  // namespace npl::sim
