// SPDX-License-Identifier: Apache-2.0
/// Edits of one connection, in its row, and the handles of connections after edits.
#include <algorithm>

#include "comm/collect.hpp"
#include "sim/edit_plan.hpp"

namespace npl::sim {

/// Sets the delay of one connection in place, and what else is new, where only its row changes: the time does not grow with the table.
bool Connections::edit_row(const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed, Undo& undo) {
  if (e.remove || e.delay.empty() || plan.moves.size() != 1) return false;
  const EditPlan::Move& m = plan.moves[0];
  pathways::Pathway& pathway = *m.slice->pathways()[m.pathway];
  if (pathway.table().spec != specs_[static_cast<std::size_t>(m.spec)].get()) return false;
  const auto from = static_cast<std::uint32_t>(e.position[m.k]);
  tables::EdgeTable& t = pathway.table();
  note_edited(*m.slice, t.spec, undo);
  const auto now_at = std::make_shared<std::uint32_t>(from);
  undo.note([&t, from, now_at] { t.move(*now_at, from); });  // its delay is among the kept values
  const auto to = pathway.set_delay(from, static_cast<Delay>(value_at(e.delay, m.k)), step_);
  if (!to) return false;
  *now_at = *to;
  if (!e.weight.empty()) t.set_weight(*to, value_at(e.weight, m.k));
  set_varied(e, m.k, *to, t);
  pathway.refresh();
  for (Followed& f : followed) {
    if (f.slice != m.slice || f.pathway != m.pathway) continue;
    if (f.position == from)
      f.position = *to;
    else if (f.position > from && f.position <= *to)
      --f.position;
    else if (f.position < from && f.position >= *to)
      ++f.position;
  }
  return true;
}

/// The followed connections of this rank, by slice.
std::vector<Connections::Followed> Connections::places_of(const Handles& wanted) const {
  wanted.check();
  std::vector<Followed> found;
  found.reserve(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const tables::EdgeTable* t = table_at(wanted.slice[k], wanted.table[k], wanted.position[k]);
    if (!t) continue;
    Slice* slice = slices_[static_cast<std::size_t>(slice_of_handle(wanted.slice[k]))].get();
    found.push_back({k, slice, static_cast<std::size_t>(wanted.table[k]), static_cast<std::uint32_t>(wanted.position[k]), t->spec});
  }
  const auto by_slice = [](const Followed& a, const Followed& b) { return a.slice->id() < b.slice->id(); };
  if (!std::is_sorted(found.begin(), found.end(), by_slice)) std::stable_sort(found.begin(), found.end(), by_slice);
  return found;
}

/// New handles of connections. @param of_all_ranks `wanted` is the same on all ranks, which exchange the positions
Handles Connections::handles_after(Handles wanted, bool of_all_ranks, std::span<const Followed> followed) const {
  std::vector<double> places(2 * wanted.size());  // table + 2, position + 2; 0: on another rank
  const Slice* slice = nullptr;
  const tables::TableSpec* spec = nullptr;
  std::size_t number = 0;
  for (const Followed& f : followed) {
    if (f.spec && (f.slice != slice || f.spec != spec)) number = f.slice->pathway_of(*f.spec), slice = f.slice, spec = f.spec;
    places[2 * f.k] = f.spec ? 2.0 + static_cast<double>(number) : 1.0, places[2 * f.k + 1] = f.spec ? 2.0 + f.position : 1.0;
  }
  if (of_all_ranks) comm::merge(*comm_, places);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (places[2 * k] > 0.0)
      wanted.table[k] = static_cast<std::int32_t>(places[2 * k]) - 2, wanted.position[k] = static_cast<std::int64_t>(places[2 * k + 1]) - 2;
  return wanted;
}

}  // namespace npl::sim
