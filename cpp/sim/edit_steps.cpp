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

Edited Connections::edit(const ConnectionEdits& e) {
  require_sources("edit");
  EditPlan plan;
  together("edit", [&] { plan = plan_edits(e); }, ranks() > 1 ? fingerprint(e) : 0);
  Edited done;
  all_or_nothing("edit", [&](Undo& undo) { apply(e, plan, done, undo); });
  return done;
}

/// Makes the planned changes. Collective.
void Connections::apply(const ConnectionEdits& e, EditPlan& plan, Edited& done, Undo& undo) {
  keep_description(undo);
  if (!e.remove) find_specs(plan);
  std::vector<std::size_t> changed = plan.in_place;
  for (const EditPlan::Move& m : plan.moves) changed.push_back(m.k);
  keep_values(e, changed, undo);
  set_in_place(e, plan, undo);
  learn_before(e, plan);
  done.moved = anywhere(!plan.moves.empty());
  if (!edit_row(e, plan, done, undo)) move_between_tables(e, plan, done, undo);
  note_edits(e, plan);
  if (done.moved && !e.remove) done.now = handles_after(e, done);
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

void Connections::move_between_tables(const ConnectionEdits& e, const EditPlan& plan, Edited& done, Undo& undo) {
  std::set<Slice*> touched;
  for (const EditPlan::Move& m : plan.moves) touched.insert(m.slice);
  for (Slice* slice : touched) {
    undo.note([slice, kept = slice->keep()]() mutable { slice->restore(kept); });
    edit_slice(*slice, e, plan, done);
    done.renumber(slice_handle(rank(), slice->id()), slice->drop_empty_pathways());
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
