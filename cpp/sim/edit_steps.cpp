// SPDX-License-Identifier: Apache-2.0
/// edit(): the steps of the transaction, and what undoes them.
#include <algorithm>

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
  for (const Move& m : plan.moves)
    m.slice->pathways()[m.pathway]->learn(static_cast<std::uint32_t>(e.position[m.k]), step_, !e.parameters.empty());
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
  const bool can_fail = ranks() > 1 || !plan.moves.empty();  // after values were set
  if (can_fail || !plan.widened.empty()) keep_description(undo);
  if (!e.remove) find_specs(plan);
  if (e.only_weights()) widen(plan.widened);
  make_room(e, plan, undo);
  if (can_fail) keep_values(e, plan, undo);
  plan.since_spikes = changes_since_spikes(e);
  set_in_place(e, plan);
  learn_before(e, plan);
  if (!edit_row(e, plan, done, undo)) move_between_tables(e, plan, done, undo);
  note_edits(e, plan, done);
  if (done.moved && !e.remove) done.now = handles_after(e, done);
}

/// Updates weights and delays that later connects, builds and runs depend on; the same on all ranks.
void Connections::note_edits(const ConnectionEdits& e, EditPlan& plan, Edited& done) {
  if (e.slice.empty() && !e.own) return;
  for (const Move& m : plan.moves)
    if (const tables::TableSpec* spec = e.weight.empty() ? nullptr : specs_[static_cast<std::size_t>(m.spec)].get(); spec && spec->scaled())
      description_.specs().of(spec->receptor).note_set(std::abs(value_at(e.weight, m.k)));
  done.moved = !plan.moves.empty();
  if (ranks() > 1) agree_on(plan, done);
  if (ranks() > 1 && (done.moved || !e.only_weights())) note(fingerprint_of(std::string_view("edit"), fingerprint(e)));
  if (plan.longest) description_.note_delays(static_cast<Delay>(plan.shortest), static_cast<Delay>(plan.longest));
  channels_stale_ = channels_stale_ || !description_.specs().continuous_kinds().empty();
  if (!done.moved) return;
  count_synapses();
  routed_ = false;
}

/// Collective.
void Connections::agree_on(EditPlan& plan, Edited& done) {
  std::vector<double> largest{done.moved ? 1.0 : 0.0, static_cast<double>(plan.longest), -static_cast<double>(plan.shortest)};
  std::vector<WeightRange>& ranges = description_.specs().weights;
  for (const WeightRange& range : ranges) largest.push_back(range.largest());
  comm_->allreduce(std::span<double>(largest), comm::Op::max);
  done.moved = largest[0] > 0.0, plan.longest = static_cast<std::int64_t>(largest[1]),
  plan.shortest = static_cast<std::int64_t>(-largest[2]);
  for (std::size_t r = 0; r < ranges.size(); ++r) ranges[r].note_set(largest[3 + r]);
}

}  // namespace npl::sim
