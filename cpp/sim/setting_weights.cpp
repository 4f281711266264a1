// SPDX-License-Identifier: Apache-2.0
/// set_weights(), and what edits of values in place share with it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sim/edit_plan.hpp"
#include "sim/fingerprint.hpp"
#include "tables/kept_values.hpp"

namespace npl::sim {
namespace {

void check_weight(const tables::EdgeTable& table, std::size_t i, double w, bool strict) {
  const tables::TableSpec& spec = *table.spec;
  if (spec.plasticity) check_plastic_weights(spec.plasticity->bounds_of(table.varied(i)), w, w, strict);
  if (spec.rounds() && std::abs(w) > std::numeric_limits<float>::max())
    throw BadParameter("weight", w, "a number in the range of float32 (3.4e38), or connected with double_weights");
  if (spec.input == tables::TargetInput::by_sign && w != 0.0 && (w < 0) != (spec.receptor == 1))
    throw BadParameter("weight", w, spec.receptor == 1 ? "<= 0 (the synapse is inhibitory)" : ">= 0 (the synapse is excitatory)");
}

}  // namespace

/// Sets the parameters of connection k that its table has a column for.
void Connections::set_varied(const ConnectionEdits& e, std::size_t k, std::size_t position, tables::EdgeTable& t) {
  const std::vector<int>& varied = t.spec->varied;
  for (const auto& [name, values] : e.parameters) {
    const auto at = std::find(varied.begin(), varied.end(), find_field(t.spec->synapse->parameters, name));
    const double value = values[values.size() == 1 ? 0 : k];
    if (at != varied.end() && !std::isnan(value)) t.varied(position)[at - varied.begin()] = value;
  }
}

/// What the weights have become (a third factor changes them between spikes) less what tables have: a weight that is set is that of now.
/// Empty: all zero.
std::vector<double> Connections::changes_since_spikes(const Handles& at) const {
  const auto hears = [](const auto& spec) { return spec->plasticity && spec->plasticity->hears().transmitter; };
  if (std::none_of(specs_.begin(), specs_.end(), hears)) return {};
  std::vector<double> changes = own_state("weight", at, {});
  const std::vector<double> kept = own_weights(at);
  for (std::size_t k = 0; k < changes.size(); ++k) changes[k] = std::isnan(changes[k]) ? 0.0 : changes[k] - kept[k];
  return changes;
}

void Connections::set_weights(const Handles& at, const std::vector<double>& weights) {
  std::vector<int> widened;  // TableSpec::order of the specs that get a weight per synapse
  together(
      "set_weights",
      [&] {
        at.check();
        if (weights.size() != 1 && weights.size() != at.size()) throw BadLength("weight", weights.size(), at.size());
        Places places(*this, at);
        for (std::size_t k = 0; k < at.size(); ++k) {
          const double value = value_at(weights, k);
          if (!std::isfinite(value)) throw BadParameter("weight", value, "a finite number");
          const tables::EdgeTable* t = places.table(k);
          if (!t) continue;
          check_weight(*t, places.position(k), value, settings_.strict_weights);
          if (t->spec->scaled()) description_.specs().of(t->spec->receptor).check_set(std::abs(value));
          if (!t->spec->holds(value)) widened.push_back(t->spec->order);
        }
      },
      ranks() > 1 ? fingerprint_of(at.slice, at.table, at.position, weights) : 0);
  all_or_nothing("set_weights", [&](Undo& undo) {
    const std::vector<double> changes = changes_since_spikes(at);
    if (ranks() > 1 || !widened.empty()) keep_description(undo);
    widen(widened);
    make_room(at, weights, undo);
    if (ranks() > 1) keep_weights(at, undo);  // another rank may fail from here on, this one cannot
    put_weights(at, weights, changes);
    channels_stale_ = channels_stale_ || !description_.specs().continuous_kinds().empty();
    if (ranks() > 1)
      for (WeightRange& range : description_.specs().weights) range.agree(*comm_);
  });
}

/// Allocates all that put_weights() of these weights will need.
void Connections::make_room(const Handles& at, const std::vector<double>& weights, Undo& undo) {
  Places places(*this, at);
  const tables::EdgeTable* last = nullptr;
  for (std::size_t k = 0; k < at.size(); ++k) {
    tables::EdgeTable* t = places.table(k);
    if (!t) continue;
    if (std::exchange(last, t) != t) note_edited(places.slice(), t->spec, undo);
    if (!t->spec->holds(value_at(weights, k))) widen_table(*t, undo), note_edited(places.slice(), t->spec, undo);
  }
}

/// @param undo puts back the weights that there are
void Connections::keep_weights(const Handles& at, Undo& undo) const {
  undo.note([this, &at, kept = own_weights(at)] {
    Places places(*this, at);
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (tables::EdgeTable* t = places.table(k)) t->set_weight(places.position(k), kept[k]);
  });
}

/// Allocates nothing. @param changes as changes_since_spikes() returned before
void Connections::put_weights(const Handles& at, const std::vector<double>& weights, const std::vector<double>& changes) {
  Places places(*this, at);
  const tables::EdgeTable* last = nullptr;
  for (std::size_t k = 0; k < at.size(); ++k) {
    tables::EdgeTable* t = places.table(k);
    if (!t) continue;
    const double value = value_at(weights, k);
    if (std::exchange(last, t) != t) places.pathway().refresh();
    t->set_weight(places.position(k), changes.empty() ? value : value - changes[k]);
    if (t->spec->scaled()) description_.specs().of(t->spec->receptor).note_set(std::abs(value));
  }
}

/// @param undo puts back what describes connections, and what the ranks know of them
void Connections::keep_description(Undo& undo) {
  undo.note([this, kept = description_.keep(), n = n_synapses_]() mutable { description_.restore(kept), n_synapses_ = n; });
}

/// @param which indices in `at` of connections whose values will be set in place
void Connections::keep_values(const Handles& at, const std::vector<std::size_t>& which, Undo& undo) const {
  std::map<tables::EdgeTable*, std::vector<std::uint32_t>> positions;
  for (const std::size_t k : which)
    if (tables::EdgeTable* t = table_at(at.slice[k], at.table[k], at.position[k]))
      positions[t].push_back(static_cast<std::uint32_t>(at.position[k]));
  for (auto& [table, synapses] : positions)
    undo.note([kept = tables::KeptValues(*table, std::move(synapses))]() mutable { kept.restore(); });
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

/// A connection of this rank is changed.
void Connections::note_edited(const Handles& at, std::size_t k, Undo& undo) {
  Slice& s = *slices_[static_cast<std::size_t>(slice_of_handle(at.slice[k]))];
  note_edited(s, s.pathways()[static_cast<std::size_t>(at.table[k])]->table().spec, undo);
}

void Connections::note_edited(Slice& slice, const tables::TableSpec* spec, Undo& undo) {
  if (slice.edited().contains(spec)) return;
  undo.note([&slice, spec] { slice.forget_edited(spec); });
  slice.note_edited(spec);
}

/// Tells the pathway of a connection of this rank that weights were set.
void Connections::refresh(const Handles& at, std::size_t k) {
  Slice& s = *slices_[static_cast<std::size_t>(slice_of_handle(at.slice[k]))];
  s.pathways()[static_cast<std::size_t>(at.table[k])]->refresh();
}

/// Makes copies of these specs with a weight of its own per synapse; called with the same orders on all ranks, so that the lists of specs
/// stay equal.
void Connections::widen(const std::vector<int>& orders) {
  if (orders.empty() && ranks() == 1) return;
  std::vector<std::int64_t> wanted(specs_.size());
  for (int order : orders) wanted[static_cast<std::size_t>(order)] = 1;
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
