// SPDX-License-Identifier: Apache-2.0
/// edit(): the steps of the transaction, and what undoes them.
#include <algorithm>
#include <set>

#include "sim/edit_plan.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {
namespace {

/// Of what must be the same on all ranks.
std::uint64_t fingerprint(const ConnectionEdits& e) {
  if (e.own) return fingerprint_of(std::int64_t{e.remove}, e.sent_before);
  return fingerprint_of(e.slice, e.table, e.position, e.weight, e.delay, e.parameters, e.label, std::int64_t{e.remove}, e.sent_before);
}

}  // namespace

/// Synapses whose delay or rule changes learn by the old one from all spikes so far.
void Connections::learn_before(const ConnectionEdits& e, const EditPlan& plan) {
  if (e.delay.empty() && e.parameters.empty()) return;
  for (const EditPlan::Move& m : plan.moves)
    m.slice->pathways()[m.pathway]->learn(static_cast<std::uint32_t>(e.position[m.k]), step_, !e.parameters.empty());
}

/// The same on all ranks: true if it is so on one. Collective.
bool Connections::anywhere(bool here) const {
  std::int64_t all = here;
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&all, 1), comm::Op::max);
  return all != 0;
}

Handles Connections::edit(const ConnectionEdits& e) {
  require_sources("edit");
  Handles wanted;
  EditPlan plan;
  std::vector<Followed> followed;
  const auto check = [&] {
    wanted = e.follow ? *e.follow : e.remove ? Handles{} : static_cast<const Handles&>(e);
    plan = plan_edits(e), followed = places_of(wanted);
  };
  together("edit", check, ranks() > 1 ? fingerprint(e) : 0);
  std::optional<Handles> now;
  Undo undo;
  agreement_.throughout("edit", [&] { now = apply(e, plan, followed, std::move(wanted), undo); });
  if (!now) return {};
  undo.forget();
  return std::move(*now);
}

/// Makes the planned changes; none: they cannot be made in a row alone, and are to be undone. What is set in place is kept in `undo`.
/// Collective.
std::optional<Handles> Connections::apply(const ConnectionEdits& e, EditPlan& plan, std::vector<Followed>& followed, Handles wanted,
                                          Undo& undo) {
  const auto leaves = [&](const EditPlan::Move& m) { return m.kind != kind_of(*m.slice->pathways()[m.pathway]->table().spec); };
  if (e.in_row && anywhere(std::any_of(plan.moves.begin(), plan.moves.end(), leaves))) return std::nullopt;
  keep_description(undo);
  if (!e.remove) find_specs(plan);
  std::vector<std::size_t> changed = plan.in_place;
  for (const EditPlan::Move& m : plan.moves) changed.push_back(m.k);
  keep_values(e, changed, undo);
  set_in_place(e, plan, undo);
  learn_before(e, plan);
  if (edit_row(e, plan, followed, undo)) plan.moves.clear();
  if (e.in_row && anywhere(!plan.moves.empty())) return std::nullopt;
  move_between_tables(e, plan, followed, undo);
  note_edits(e, plan);
  return handles_after(std::move(wanted), !e.follow, followed);
}

void Connections::set_in_place(const ConnectionEdits& e, const EditPlan& plan, Undo& undo) {
  for (const std::size_t k : plan.in_place) {
    tables::EdgeTable& t = *table_at(e.slice[k], e.table[k], e.position[k]);
    note_edited(e, k, undo);
    if (!e.weight.empty()) t.set_weight(static_cast<std::size_t>(e.position[k]), value_at(e.weight, k));
    set_varied(e, k, static_cast<std::size_t>(e.position[k]), t);
    refresh(e, k);
  }
}

void Connections::move_between_tables(const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed, Undo& undo) {
  std::set<Slice*> touched;
  for (const EditPlan::Move& m : plan.moves) touched.insert(m.slice);
  for (Slice* slice : touched) {
    undo.note([slice, kept = slice->keep()]() mutable { slice->restore(kept); });
    const auto before = [](const Followed& f, SliceId id) { return f.slice->id() < id; };
    const auto first = std::lower_bound(followed.begin(), followed.end(), slice->id(), before);
    const auto last = std::lower_bound(first, followed.end(), slice->id() + 1, before);
    edit_slice(*slice, e, plan, {first, last});
    slice->drop_empty_pathways();
    recorders_.choose_in(*slice);
  }
}

/// Updates weights and delays that later connects, builds and runs depend on; the same on all ranks.
void Connections::note_edits(const ConnectionEdits& e, EditPlan& plan) {
  if (e.slice.empty() && !e.own) return;
  if (ranks() > 1) {
    note(fingerprint_of(std::string_view("edit"), fingerprint(e)));
    std::int64_t delays[] = {plan.shortest, -plan.longest};
    comm_->allreduce(std::span<std::int64_t>(delays), comm::Op::min);
    comm_->allreduce(std::span<double>(plan.largest), comm::Op::max);
    plan.shortest = delays[0], plan.longest = -delays[1];
  }
  for (std::size_t r = 0; r < plan.largest.size(); ++r) description_.specs().of(static_cast<int>(r)).note_set(plan.largest[r]);
  if (plan.longest) description_.note_delays(static_cast<Delay>(plan.shortest), static_cast<Delay>(plan.longest));
  count_synapses();
  routed_ = false;
  channels_stale_ = channels_stale_ || !description_.specs().continuous_kinds().empty();
}

}  // namespace npl::sim
