// SPDX-License-Identifier: Apache-2.0
/// set_weights(), and what edits of values in place share with it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sim/connections.hpp"
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
  const auto hears = [](const auto& spec) { return spec->single() && spec->single()->hears().transmitter; };
  if (std::none_of(specs_.begin(), specs_.end(), hears)) return {};
  std::vector<double> changes = own_state("weight", at, {});
  const std::vector<double> kept = own_weights(at);
  for (std::size_t k = 0; k < changes.size(); ++k) changes[k] = std::isnan(changes[k]) ? 0.0 : changes[k] - kept[k];
  return changes;
}

void Connections::set_weights(const Handles& at, const std::vector<double>& weights) {
  const auto value = [&](std::size_t k) { return weights[weights.size() == 1 ? 0 : k]; };
  std::vector<int> widened;  // TableSpec::order of the specs that get a weight per synapse
  together(
      "set_weights",
      [&] {
        at.check();
        if (weights.size() != 1 && weights.size() != at.size()) throw BadLength("weight", weights.size(), at.size());
        for (std::size_t k = 0; k < at.size(); ++k) {
          if (!std::isfinite(value(k))) throw BadParameter("weight", value(k), "a finite number");
          const tables::EdgeTable* t = table_at(at.slice[k], at.table[k], at.position[k]);
          if (!t) continue;
          check_weight(*t, static_cast<std::size_t>(at.position[k]), value(k), settings_.strict_weights);
          if (t->spec->scaled()) description_.specs().of(t->spec->receptor).check_set(std::abs(value(k)));
          if (!t->spec->holds(value(k))) widened.push_back(t->spec->order);
        }
      },
      fingerprint_of(at.slice, at.table, at.position, weights));
  all_or_nothing("set_weights", [&](Undo& undo) {
    keep_description(undo);
    channels_stale_ = channels_stale_ || !description_.specs().continuous_kinds().empty();
    widen(widened);
    put_weights(at, weights, undo);
    if (ranks() > 1)
      for (WeightRange& range : description_.specs().weights) range.agree(*comm_);
  });
}

void Connections::put_weights(const Handles& at, const std::vector<double>& weights, Undo& undo) {
  const std::vector<double> changes = changes_since_spikes(at);
  std::vector<std::size_t> all(at.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  keep_values(at, all, undo);
  for (std::size_t k = 0; k < at.size(); ++k) {
    tables::EdgeTable* t = table_at(at.slice[k], at.table[k], at.position[k]);
    if (!t) continue;
    const double value = weights[weights.size() == 1 ? 0 : k];
    note_edited(at, k, undo);
    if (!t->spec->holds(value)) widen_table(*t, undo), note_edited(at, k, undo);
    t->set_weight(static_cast<std::size_t>(at.position[k]), value - (changes.empty() ? 0.0 : changes[k]));
    refresh(at, k);
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
