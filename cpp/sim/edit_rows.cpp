// SPDX-License-Identifier: Apache-2.0
/// Edits of one connection, in its row, and the handles of connections after edits.
#include "comm/collect.hpp"
#include "sim/edit_plan.hpp"

namespace npl::sim {
namespace {

/// Positions after the synapse at `from` has moved to `to`. @param n synapses of the table
tables::Places moved_within(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t low = std::min(from, to), high = std::max(from, to);
  std::vector<tables::Places::Stretch> all{
      {0, 0, low}, {from, to, 1}, {from < to ? low + 1 : low, from < to ? low : low + 1, high - low}, {high + 1, high + 1, n - high - 1}};
  std::erase_if(all, [](const auto& stretch) { return stretch.length == 0; });
  return tables::Places(std::move(all));
}

}  // namespace

/// Sets the delay of one connection in place, and what else is new, where only its row changes: the time does not grow with the table.
bool Connections::edit_row(const ConnectionEdits& e, const EditPlan& plan, Edited& done, Undo& undo) {
  if (e.remove || e.delay.empty() || plan.moves.size() != 1) return false;
  const Move& m = plan.moves[0];
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
  if (!e.weight.empty()) t.set_weight(*to, plan.weight(e, m.k));
  set_varied(e, m.k, *to, t);
  pathway.refresh();
  done.in_row = *to;
  done.table(e.slice[m.k], m.pathway) = {e.table[m.k], moved_within(static_cast<std::uint32_t>(t.n_synapses()), from, *to), {}};
  return true;
}

Handles Edited::of(Handles at) const {
  const Table* table = nullptr;
  std::pair<std::int64_t, std::int32_t> known{-1, -1};
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (std::exchange(known, std::pair(at.slice[k], at.table[k])) != std::pair(at.slice[k], at.table[k]) || k == 0) {
      const auto found = tables_.find(known);
      table = found == tables_.end() ? nullptr : &found->second;
    }
    if (!table || at.position[k] < 0) continue;
    const auto before = static_cast<std::uint32_t>(at.position[k]);
    const std::uint32_t stays = table->places ? (*table->places)(before) : before;
    const auto left = table->gone_to.find(before);
    if (left != table->gone_to.end())
      std::tie(at.table[k], at.position[k]) = left->second;
    else if (stays == tables::Places::gone)
      at.table[k] = -1, at.position[k] = -1;
    else
      at.table[k] = table->number, at.position[k] = stays;
  }
  return at;
}

void Edited::renumber(std::int64_t slice, const std::vector<std::int32_t>& numbers) {
  for (auto at = tables_.lower_bound({slice, 0}); at != tables_.end() && at->first.first == slice; ++at) {
    Table& table = at->second;
    table.number = numbers[static_cast<std::size_t>(table.number)];
    for (auto& [before, place] : table.gone_to) place.first = numbers[static_cast<std::size_t>(place.first)];
  }
}

/// New handles of edited connections, on all ranks. Collective.
Handles Connections::handles_after(const Handles& edited, const Edited& done) const {
  Handles now = done.of(edited);
  if (ranks() == 1) return now;
  std::vector<double> places(2 * now.size());  // table + 1, position + 1; 0: on another rank
  for (std::size_t k = 0; k < now.size(); ++k)
    if (rank_of_handle(now.slice[k]) == rank())
      places[2 * k] = now.table[k] + 1.0, places[2 * k + 1] = static_cast<double>(now.position[k]) + 1.0;
  comm::merge(*comm_, places);
  for (std::size_t k = 0; k < now.size(); ++k)
    now.table[k] = static_cast<std::int32_t>(places[2 * k]) - 1, now.position[k] = static_cast<std::int64_t>(places[2 * k + 1]) - 1;
  return now;
}

}  // namespace npl::sim
