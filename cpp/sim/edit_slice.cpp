// SPDX-License-Identifier: Apache-2.0
/// edit(): connections that leave a table or change their place in it. They keep their state and their in-flight spikes.
#include <algorithm>
#include <span>

#include "pathways/row_builder.hpp"
#include "sim/edit_plan.hpp"

namespace npl::sim {

/// Synapses to be added to one table of a slice.
struct Connections::Arriving {
  pathways::RowBuilder rows;
  std::vector<std::size_t> k;  ///< [synapses] index in the call
  tables::Listed made = {};

  /// Their spikes in flight, in order of steps.
  std::vector<pathways::Flight> requeued() const {
    std::vector<pathways::Flight> all;
    rows.for_flying(*made.table, made.position, [&](const pathways::Flight& f) { all.push_back(f); });
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.emitted() < y.emitted(); });
    return all;
  }
};

namespace {

/// First step whose spikes arrive with the new values of connection k; spikes emitted earlier arrive with the old ones. It is
/// ConnectionEdits::sent_before, or later where a shorter delay would put an arrival into the past. 0 for rules that learn after arrival.
/// @param spec new spec of the connection; null: it is removed
Step sent_before(const ConnectionEdits& e, std::size_t k, const tables::TableSpec* spec, Step now) {
  if (spec && learns_later(*spec)) return 0;
  if (!spec || e.delay.empty()) return e.sent_before;
  return std::max<Step>(e.sent_before, now - value_at(e.delay, k) + (spec->sub_step_delay > 0.0));
}

/// Notes the time constants of the postsynaptic traces that a synapse has read where it is to read others; the least of those of a target.
/// @param to by new time constant and target [ms]
void note_carried(const synapses::Plasticity* before, const synapses::Plasticity* after, Local target,
                  std::map<double, std::map<Local, double>>& to) {
  const auto note = [&](double from, double tau) {
    if (from == tau || from == 0.0 || tau == 0.0) return;
    double& least = to[tau].try_emplace(target, from).first->second;
    least = std::min(least, from);
  };
  if (!before || !after) return;
  note(before->tau_minus(), after->tau_minus());
  note(before->tau_minus_triplet(), after->tau_minus_triplet());
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
      const tables::EdgeTable& t = slice_.pathways()[p]->table();
      auto& sources = sources_[p];
      sources.resize(t.n_rows());
      t.sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
      for (const pathways::Flight& f : slice_.settle(p, marks, sent_before_[p], now_)) flying_[{p, f.at}].push_back(f);
    }
    sent_before_.clear();
  }
  /// Adds a connection with its current state to the synapses of another table.
  tables::ListedSynapse& copy(std::size_t pathway, std::uint32_t i, pathways::RowBuilder& to) {
    const tables::EdgeTable& t = slice_.pathways()[pathway]->table();
    const std::uint32_t row = t.row_of(i);
    const Gid source = sources_.at(pathway)[row];
    return to.add(to.row(source, t.target[i], {&t, row}, flying_[{pathway, i}]), source, t, i, t.delay_of(row, i), t.target[i]);
  }
  /// Removed synapses of each table, by pathway.
  std::map<std::size_t, std::vector<char>>& marks() { return out_; }

 private:
  Slice& slice_;
  Step now_;
  std::map<std::size_t, std::vector<char>> out_;                                           ///< by pathway
  std::map<std::size_t, std::vector<Step>> sent_before_;                                   ///< by pathway: of its synapses
  std::map<std::size_t, std::vector<Gid>> sources_;                                        ///< by pathway: of rows
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<pathways::Flight>> flying_;  ///< by pathway, synapse
};

}  // namespace

void Connections::move_between_tables(const ConnectionEdits& e, const EditPlan& plan, Edited& done, Undo& undo) {
  for (auto first = plan.moves.begin(); first != plan.moves.end();) {
    Slice& slice = *first->slice;
    const auto last = std::find_if(first, plan.moves.end(), [&](const Move& m) { return m.slice != &slice; });
    undo.note([&slice, kept = slice.keep()]() mutable { slice.restore(kept); });
    edit_slice(slice, e, plan, {first, last}, done, undo);
    done.renumber(slice_handle(rank(), slice.id()), slice.drop_empty_pathways());
    recorders_.choose_in(slice);
    first = last;
  }
}

/// @param moves of the slice
void Connections::edit_slice(Slice& slice, const ConnectionEdits& e, const EditPlan& plan, std::span<const Move> moves, Edited& done,
                             Undo& undo) {
  const std::size_t n = slice.pathways().size();
  for (std::size_t p = 0; p < n; ++p) done.table(slice_handle(rank(), slice.id()), p).number = static_cast<std::int32_t>(p);
  const auto new_spec = [&](const Move& m) { return e.remove ? nullptr : specs_[static_cast<std::size_t>(m.spec)].get(); };
  Taken taken(slice, step_);
  for (const Move& m : moves) taken.mark(m.pathway, e.position[m.k], sent_before(e, m.k, new_spec(m), step_));
  taken.settle();
  std::map<int, Arriving> arriving;  // by index of the spec
  std::map<double, std::map<Local, double>> carried;
  for (const Move& m : e.remove ? std::span<const Move>() : moves) {
    const auto i = static_cast<std::uint32_t>(e.position[m.k]);
    tables::EdgeTable& t = slice.pathways()[m.pathway]->table();
    set_varied(e, m.k, i, t);  // after the spikes that arrive with the old values
    note_carried(t.spec->plasticity.get(), new_spec(m)->plasticity.get(), t.target[i], carried);
    Arriving& to = arriving[m.spec];
    tables::ListedSynapse& synapse = taken.copy(m.pathway, i, to.rows);
    if (!e.delay.empty()) synapse.delay = static_cast<Delay>(value_at(e.delay, m.k));
    if (!e.weight.empty()) synapse.weight = plan.weight(e, m.k);
    to.k.push_back(m.k);
  }
  for (const auto& [tau, from] : carried) slice.carry_traces(tau, from, undo);
  for (auto& [index, to] : arriving) {  // while the tables that they leave are still there
    const tables::TableSpec& spec = *specs_[static_cast<std::size_t>(index)];
    to.made = to.rows.table(spec, settings_.layout);
    if (const std::size_t p = slice.pathway_of(spec); p < n) taken.marks().try_emplace(p);
  }
  for (auto& [p, out] : taken.marks()) {
    auto to = arriving.extract(description_.specs().index_of(slice.pathways()[p]->table().spec));
    replace_pathway(slice, p, std::move(out), to.empty() ? nullptr : &to.mapped(), e, done);
  }
  for (auto& [index, to] : arriving) replace_pathway(slice, slice.pathways().size(), {}, &to, e, done);
}

/// Replaces a pathway by one without some synapses and with others, or adds one.
/// @param out [synapses] 1: removed @param to null: none are added
void Connections::replace_pathway(Slice& slice, std::size_t pathway, std::vector<char> out, Arriving* to, const ConnectionEdits& e,
                                  Edited& done) {
  const bool fresh = pathway == slice.pathways().size();
  const std::int64_t handle = slice_handle(rank(), slice.id());
  slice.note_edited(to ? to->made.table->spec : slice.pathways()[pathway]->table().spec);
  pathways::Edits edits{.out = std::move(out), .order = source_order(), .layout = settings_.layout};
  if (!edits.layout && !fresh && slice.pathways()[pathway]->wants_delays()) edits.layout = tables::Layout::words;
  if (to) edits.requeued = to->requeued(), edits.added = std::move(to->made.table);
  pathways::Moved places = slice.edit(pathway, std::move(edits), step_);
  if (!fresh) done.table(handle, pathway).places = std::move(places.stayed);
  for (std::size_t j = 0; to && j < to->k.size(); ++j) {
    Edited::Table& before = done.table(handle, static_cast<std::size_t>(e.table[to->k[j]]));
    before.gone_to[static_cast<std::uint32_t>(e.position[to->k[j]])] = {static_cast<std::int32_t>(pathway),
                                                                        places.added(to->made.position[j])};
  }
}

}  // namespace npl::sim
