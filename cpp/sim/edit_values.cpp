// SPDX-License-Identifier: Apache-2.0
/// edit(): values that change in place, and what undoes them. With one rank and nothing that moves, setting weights allocates nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "sim/edit_plan.hpp"
#include "tables/kept_values.hpp"

namespace npl::sim {

/// Receptor of a connection with a new weight. Throws BadParameter. @param bounds of the weight; null: not plastic
int Connections::receptor_for(const tables::TableSpec& spec, double w, const synapses::WeightBounds* bounds) const {
  if (!std::isfinite(w)) throw BadParameter("weight", w, "a finite number");
  if (bounds) check_plastic_weights(*bounds, w, w, settings_.strict_weights);
  if (spec.rounds() && std::abs(w) > std::numeric_limits<float>::max())
    throw BadParameter("weight", w, "a number in the range of float32 (3.4e38), or connected with double_weights");
  const int receptor = spec.input == tables::TargetInput::by_sign && w != 0.0 ? w < 0.0 : spec.receptor;
  if (spec.scaled()) std::as_const(description_).specs().of(receptor).check_set(std::abs(w));
  return receptor;
}

/// Checks the new weight of a connection whose other values stay. Returns true if the connection stays in its table.
bool Connections::plan_weight(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t, EditPlan& plan) const {
  const tables::TableSpec& spec = *t.spec;
  const double w = value_at(e.weight, k);
  synapses::WeightBounds bounds{};
  if (spec.plasticity) bounds = spec.plasticity->bounds_of(t.varied(static_cast<std::size_t>(e.position[k])));
  if (receptor_for(spec, w, spec.plasticity ? &bounds : nullptr) != spec.receptor) return false;
  if (spec.holds(w)) return true;
  plan.widened.resize(specs_.size());
  plan.widened[static_cast<std::size_t>(spec.order)] = 1;
  return true;
}

/// Calls f(k, places, table) for the connections of this rank that get new values where they are.
template <class F>
void Connections::for_in_place(const ConnectionEdits& e, const EditPlan& plan, F&& f) const {
  if (e.remove || (e.weight.empty() && e.parameters.empty())) return;
  Places places(*this, e);
  for (std::size_t k = 0; k < e.size(); ++k)
    if (plan.stays(k))
      if (tables::EdgeTable* t = places.table(k)) f(k, places, *t);
}

/// Allocates all that set_in_place() will need.
void Connections::make_room(const ConnectionEdits& e, const EditPlan& plan, Undo& undo) {
  for_in_place(e, plan, [&](std::size_t k, const Places& places, tables::EdgeTable& t) {
    if (places.is_new()) note_edited(places.slice(), t.spec, undo);
    if (!e.only_weights() || plan.widened.empty() || t.spec->holds(value_at(e.weight, k))) return;
    widen_table(t, undo);
    note_edited(places.slice(), t.spec, undo);
  });
}

/// What the weights have become (a third factor changes them between spikes) less what tables have: a weight that is set is that of now.
/// Empty: all zero.
std::vector<double> Connections::changes_since_spikes(const ConnectionEdits& e) const {
  const auto hears = [](const auto& spec) { return spec->plasticity && spec->plasticity->hears().transmitter; };
  if (e.remove || e.weight.empty() || std::none_of(specs_.begin(), specs_.end(), hears)) return {};
  std::vector<double> changes = own_state("weight", e, {});
  const std::vector<double> kept = own_weights(e);
  for (std::size_t k = 0; k < changes.size(); ++k) changes[k] = std::isnan(changes[k]) ? 0.0 : changes[k] - kept[k];
  return changes;
}

/// Allocates nothing.
void Connections::set_in_place(const ConnectionEdits& e, const EditPlan& plan) {
  for_in_place(e, plan, [&](std::size_t k, const Places& places, tables::EdgeTable& t) {
    if (places.is_new()) places.pathway().refresh();
    if (!e.weight.empty()) t.set_weight(places.position(k), plan.weight(e, k));
    if (t.spec->scaled() && (e.weight.size() > 1 || (places.is_new() && !e.weight.empty())))
      description_.specs().of(t.spec->receptor).note_set(std::abs(value_at(e.weight, k)));
  });
  for (const auto& [name, values] : e.parameters) set_parameter(e, plan, name, values);
}

namespace {
/// Column of a table with a parameter; none: their number.
std::size_t column_of(const tables::EdgeTable& t, const std::string& name) {
  const std::vector<int>& varied = t.spec->varied;
  return static_cast<std::size_t>(std::ranges::find(varied, find_field(t.spec->synapse->parameters, name)) - varied.begin());
}
/// @param value nan: as it is
void put(tables::EdgeTable& t, std::size_t position, std::size_t column, double value) {
  if (column < t.spec->varied.size() && !std::isnan(value)) t.varied(position)[column] = value;
}
}  // namespace

/// Sets a parameter of the connections that stay, where their tables have a column for it.
void Connections::set_parameter(const ConnectionEdits& e, const EditPlan& plan, const std::string& name,
                                const std::vector<double>& values) {
  std::array<std::size_t, Places::n_slots> columns{};
  for_in_place(e, plan, [&](std::size_t k, const Places& places, tables::EdgeTable& t) {
    std::size_t& column = columns[places.slot()];
    if (places.is_new()) column = column_of(t, name);
    put(t, places.position(k), column, value_at(values, k));
  });
}

/// Sets the parameters of connection k that its table has a column for.
void Connections::set_varied(const ConnectionEdits& e, std::size_t k, std::size_t position, tables::EdgeTable& t) {
  for (const auto& [name, values] : e.parameters) put(t, position, column_of(t, name), value_at(values, k));
}

/// @param undo puts back what describes connections, and what the ranks know of them
void Connections::keep_description(Undo& undo) {
  undo.note([this, kept = description_.keep(), n = n_synapses_]() mutable { description_.restore(kept), n_synapses_ = n; });
}

/// Notes in `undo` the present values of all edited connections.
void Connections::keep_values(const ConnectionEdits& e, const EditPlan& plan, Undo& undo) const {
  std::map<tables::EdgeTable*, std::vector<std::uint32_t>> positions;
  for_in_place(e, plan, [&](std::size_t k, const Places&, tables::EdgeTable& t) {
    positions[&t].push_back(static_cast<std::uint32_t>(e.position[k]));
  });
  for (const Move& m : plan.moves)
    positions[&m.slice->pathways()[m.pathway]->table()].push_back(static_cast<std::uint32_t>(e.position[m.k]));
  for (auto& [table, synapses] : positions)
    undo.note(
        [kept = tables::KeptValues(*table, std::move(synapses), !e.only_weights() || !plan.moves.empty())]() mutable { kept.restore(); });
}

void Connections::widen_table(tables::EdgeTable& t, Undo& undo) const {
  const tables::TableSpec& before = *t.spec;
  auto codes = std::make_shared<Buffer<tables::Code>>(t.code.size());
  std::copy(t.code.begin(), t.code.end(), codes->begin());
  undo.note([&t, &before, codes] {
    if (t.spec != &before) t.narrow(before, std::move(*codes));
  });
  t.widen(*explicit_specs_.at(&before));
}

void Connections::note_edited(Slice& slice, const tables::TableSpec* spec, Undo& undo) {
  if (slice.edited().contains(spec)) return;
  undo.note([&slice, spec] { slice.forget_edited(spec); });
  slice.note_edited(spec);
}

/// Makes copies of specs with a weight of its own per synapse, in the same order on all ranks, so that the lists of specs stay equal.
/// @param wanted [specs by order] 1: these; empty: none of this rank
void Connections::widen(std::vector<std::int64_t> wanted) {
  if (wanted.empty() && ranks() == 1) return;
  wanted.resize(specs_.size());
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(wanted), comm::Op::max);
  for (std::size_t order = 0; order < wanted.size(); ++order)
    for (std::size_t k = 0; wanted[order] && k < specs_.size(); ++k)
      if (specs_[k]->order == static_cast<int>(order) &&
          (specs_[k]->weights == tables::Weights::uniform || specs_[k]->weights == tables::Weights::coded) &&
          !explicit_specs_.contains(specs_[k].get())) {
        specs_.push_back(std::make_unique<tables::TableSpec>(specs_[k]->widened()));
        explicit_specs_[specs_[k].get()] = specs_.back().get();
        break;
      }
}

}  // namespace npl::sim
