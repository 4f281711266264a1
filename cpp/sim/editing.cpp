// SPDX-License-Identifier: Apache-2.0
/// edit(): removes connections or changes their weights, delays, parameters or labels, in one transaction: check on all ranks, plan, apply.
/// Connections that move to another table keep their state and their in-flight spikes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/learner.hpp"
#include "comm/collect.hpp"
#include "sim/edit_plan.hpp"
#include "sim/fingerprint.hpp"
#include "sim/varied.hpp"

namespace npl::sim {
namespace {

/// Checks that an array has one value per connection, one value for all, or none. Throws BadLength.
template <class T>
void check_length(const char* name, const std::vector<T>& values, std::size_t n) {
  if (values.size() > 1 && values.size() != n) throw BadLength(name, values.size(), n);
}

std::vector<int> fields_of(const ConnectionEdits& e, const synapses::SynapseInfo& model) {
  std::vector<int> fields;
  for (const auto& [name, values] : e.parameters) fields.push_back(find_field(model.parameters, name));
  return fields;
}

/// Synapses would begin anew with steps of which nothing is known any more.
[[noreturn]] void refuse_new_state(const tables::TableSpec& spec, const std::vector<double>& before,
                                   const std::vector<double>& parameters) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, parameters).in1 - before.begin());
  throw BadParameter(spec.synapse->parameters[at].name, parameters[at],
                     "unchanged, as when connected: the eligibility trace of " + spec.synapse->name + " depends on it");
}

/// Throws BadParameter.
void check_each_once(const Handles& at) {
  const auto place = [&](std::size_t k) { return std::tie(at.slice[k], at.table[k], at.position[k]); };
  std::size_t sorted = 1;
  while (sorted < at.size() && place(sorted - 1) < place(sorted)) ++sorted;
  if (sorted >= at.size()) return;
  std::vector<std::size_t> order(at.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  const auto twice = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) == place(b); });
  if (twice == order.end()) return;
  throw BadParameter("position[" + std::to_string(std::max(twice[0], twice[1])) + "]", static_cast<double>(at.position[*twice]),
                     "each connection once");
}

}  // namespace

/// Checks the call and plans the change of each connection of this rank; changes nothing.
Connections::EditPlan Connections::plan_edits(const ConnectionEdits& e) const {
  const std::size_t n = e.slice.size();
  e.check();
  check_length("weight", e.weight, n), check_length("delay", e.delay, n), check_length("label", e.label, n);
  for (const auto& [name, values] : e.parameters) check_length(name.c_str(), values, n);
  EditPlan plan;
  Places places(*this, e);
  std::array<EditedTable, Places::n_slots> tables;
  for (std::size_t k = 0; k < n; ++k) {
    const tables::EdgeTable* t = places.table(k);
    if (!t || (e.only_weights() && plan_weight(e, k, *t, plan))) continue;
    EditedTable& now = tables[places.slot()];
    if (now.table != t) now = {t, kind_of(*t->spec), fields_of(e, *t->spec->synapse)};
    Kind kind;
    if (!e.remove) kind = edited_kind(e, k, *t, now), note_delay(e, k, kind, *t, plan);
    if (!e.remove && e.delay.empty() && kind == now.kind) continue;
    plan.moves.push_back({k, static_cast<std::size_t>(e.table[k]), &places.slice(), std::move(kind)});
    plan.moving.resize(n);
    plan.moving[k] = 1;
  }
  if (!e.only_weights() || !plan.moves.empty()) check_each_once(e);
  std::stable_sort(plan.moves.begin(), plan.moves.end(), [](const auto& a, const auto& b) { return a.slice->id() < b.slice->id(); });
  return plan;
}

/// Records the range of new delays, for intervals.
void Connections::note_delay(const ConnectionEdits& e, std::size_t k, const Kind& kind, const tables::EdgeTable& t, EditPlan& plan) {
  if (e.delay.empty()) return;
  const auto sub_step = t.spec->synapse->sub_step_delay;
  const std::int64_t delay = value_at(e.delay, k);
  plan.shortest = std::min(plan.shortest, delay - (sub_step && sub_step(&kind[4]) > 0.0));
  plan.longest = std::max(plan.longest, delay);
}

Connections::Kind Connections::kind_of(const tables::TableSpec& spec) const {
  const auto at = std::find_if(specs_.begin(), specs_.end(), [&](const auto& s) { return s.get() == &spec; }) - specs_.begin();
  Kind kind{static_cast<double>(at), static_cast<double>(spec.receptor), 0.0,
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
Connections::Kind Connections::edited_kind(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t,
                                           const EditedTable& now) const {
  const tables::TableSpec& spec = *t.spec;
  const auto i = static_cast<std::size_t>(e.position[k]);
  const std::vector<double> before = t.parameters_of(i);
  Kind kind = now.kind, parameters = before;
  for (std::size_t j = 0; j < e.parameters.size(); ++j) {
    const auto& [name, values] = e.parameters[j];
    const double value = value_at(values, k);
    if (std::isnan(value)) continue;
    const int at = now.fields[j];
    if (at < 0) throw UnknownName("parameter of " + spec.synapse->name, name, field_names(spec.synapse->parameters));
    check_value(spec.synapse->parameters[static_cast<std::size_t>(at)], parameters[static_cast<std::size_t>(at)] = value);
  }
  const double sub_step = spec.synapse->sub_step_delay ? spec.synapse->sub_step_delay(parameters.data()) : 0.0;
  const auto changed = parameters != before ? spec.synapse->rule(parameters.data(), settings_.resolution) : nullptr;  // checks relations
  if (changed && step_ > 0 && learns_later(spec) && changed->synapse_values() != spec.plasticity->synapse_values())
    refuse_new_state(spec, before, parameters);
  const synapses::Plasticity* rule = changed ? changed.get() : spec.plasticity.get();
  const synapses::WeightBounds bounds = rule ? rule->bounds_of(changed ? nullptr : t.varied(i)) : synapses::WeightBounds{};
  if (!e.weight.empty())
    kind[1] = receptor_for(spec, value_at(e.weight, k), rule ? &bounds : nullptr);
  else if (changed)
    check_plastic_weights(bounds, t.weight(i), t.weight(i), settings_.strict_weights);
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
  if (!e.weight.empty()) kind[2] = kind[2] != 0.0 || !spec.holds(value_at(e.weight, k));
  return kind;
}

namespace {

/// The bits of a kind, with zeros up to a width.
comm::Words words_of(const std::vector<double>& kind, std::size_t width) {
  comm::Words words(width);
  for (std::size_t k = 0; k < kind.size(); ++k) words[k] = std::bit_cast<std::int64_t>(kind[k] + 0.0);  // one zero
  return words;
}

std::vector<double> values_of(const comm::Words& words) {
  std::vector<double> values;
  for (const std::int64_t word : words) values.push_back(std::bit_cast<double>(word));
  return values;
}

}  // namespace

/// Finds or makes the specs of all kinds that any rank needs, in the same order on all ranks.
void Connections::find_specs(EditPlan& plan) {
  if (ranks() == 1 && plan.moves.empty()) return;
  std::size_t width = 4;
  for (const auto& s : specs_) width = std::max(width, 4 + s->parameters.size());
  std::set<comm::Words> mine;
  for (const Move& m : plan.moves) mine.insert(words_of(m.kind, width));
  std::set<Kind> all;
  for (const comm::Words& words : comm::united(*comm_, std::move(mine), width)) all.insert(values_of(words));
  TableSpecs& specs = description_.specs();
  std::map<Kind, int> spec_of;
  for (const Kind& kind : all) {
    const tables::TableSpec& old = *specs_[static_cast<std::size_t>(kind[0])];
    tables::TableSpec spec = kind[2] != 0.0 ? old.widened() : old;
    spec.parameters.assign(kind.begin() + 4, kind.begin() + 4 + static_cast<std::ptrdiff_t>(old.parameters.size()));
    spec.receptor = static_cast<int>(kind[1]);
    Kind own(kind.begin(), kind.begin() + 4 + static_cast<std::ptrdiff_t>(old.parameters.size()));
    const auto label = static_cast<int>(kind[3]);
    const int layer = label == specs.label_of(old) ? specs.layer_of(old) : 0;
    const int made = spec_of[std::move(own)] = specs.table_for(std::move(spec), label, layer);
    const auto& rule = specs_[static_cast<std::size_t>(made)]->plasticity;
    if (rule && rule->largest_weight() > 0.0) specs.of(specs_[static_cast<std::size_t>(made)]->receptor).note_bound(rule->largest_weight());
  }
  for (Move& m : plan.moves) m.spec = spec_of.at(m.kind);
}

}  // namespace npl::sim
