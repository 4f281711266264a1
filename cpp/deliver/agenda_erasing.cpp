// SPDX-License-Identifier: Apache-2.0
/// The calendar when synapses are taken out of its table.
#include <algorithm>

#include "deliver/agenda.hpp"

namespace npl::deliver {
namespace {

const Pending& at(const Pending& p) { return p; }
Pending& at(Pending& p) { return p; }
template <class Entry>
auto& at(Entry& e) { return e.at; }

synapses::PreValues before(const Pending&) { return {}; }
synapses::PreValues before(const PendingPrecise&) { return {}; }
synapses::PreValues before(const PendingPlastic& p) { return {p.before.last, {p.before.trace}}; }
template <class Entry>
synapses::PreValues before(const Entry& e) { return e.before; }

/// Delay of the next run of a row in flight.
Delay delay_of(const EdgeTable& t, const Pending& p) {
  return t.layout == Layout::runs ? t.runs[p.run].delay : t.layout == Layout::words ? t.delay[p.position] : t.one_delay;
}

/// Calls f(synapse, steps after the next run is due) for the synapses that a row has not come to yet.
template <class F>
void for_rest(const EdgeTable& t, const Pending& p, F&& f) {
  if (t.layout != Layout::runs) {
    for (std::uint32_t i = p.position; i < p.end; ++i) f(i, t.layout == Layout::words ? t.delay[i] - t.delay[p.position] : 0);
    return;
  }
  std::uint32_t i = p.position;
  for (std::uint32_t r = p.run; r < p.end; ++r)
    for (std::uint32_t k = 0; k < t.runs[r].length; ++k) f(i++, t.runs[r].delay - t.runs[p.run].delay);
}

/// A row in flight whose next run begins with `synapse`.
Pending resumed(const EdgeTable& t, std::uint32_t synapse) {
  const std::uint32_t row = t.row_of(synapse);
  const auto [begin, end] = t.rows[row];
  if (t.layout == Layout::single) return {synapse, 0, end, end - synapse};
  if (t.layout == Layout::words) {
    std::uint32_t i = synapse;
    while (i < end && t.delay[i] == t.delay[synapse]) ++i;
    return {synapse, 0, end, i - synapse};
  }
  std::uint32_t run = t.run_begin[row], last = begin + t.runs[run].length;
  while (last <= synapse) last += t.runs[++run].length;
  return {synapse, run, t.run_begin[row + 1], last - synapse};
}

/// What Agenda::schedule_precise did, undone.
void note_times(const TableSpec& spec, double offset, Owed& o) {
  const double emitted = offset - spec.earlier;
  o.offset = offset;
  o.before.value[0] = emitted < 0.0 ? emitted + spec.resolution : emitted;
  o.stamp += emitted < 0.0;
}

template <class Entry>
void collect(const std::vector<std::vector<Entry>>& slots, const EdgeTable& table, const std::vector<char>& out, Step now, std::vector<Owed>& found) {
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const Step due = now + static_cast<Step>(k);
    for (const Entry& e : slots[static_cast<std::size_t>(due) & (slots.size() - 1)])
      for_rest(table, at(e), [&](std::uint32_t i, int gap) {
        if (!out[i]) return;
        found.push_back({due + gap, due - delay_of(table, at(e)) + 1, i, before(e)});
        if constexpr (requires { e.offset; }) note_times(*table.spec, e.offset, found.back());
      });
  }
}

template <class Entry>
void move_all(std::vector<std::vector<Entry>>& slots, const EdgeTable& table, const Remainder& left, Step now) {
  std::vector<std::vector<Entry>> moved(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const Step due = now + static_cast<Step>(k);
    for (Entry& e : slots[static_cast<std::size_t>(due) & (slots.size() - 1)]) {
      std::uint32_t next = gone;
      Step then = due;
      for_rest(table, at(e), [&](std::uint32_t i, int gap) {
        if (next == gone && left.place[i] != gone) next = left.place[i], then = due + gap;
      });
      if (next == gone) continue;
      at(e) = resumed(*left.table, next);
      if constexpr (requires { e.row; }) e.row = left.table->row_of(next);
      moved[static_cast<std::size_t>(then) & (slots.size() - 1)].push_back(e);
    }
  }
  slots = std::move(moved);
}

}  // namespace

std::vector<Owed> Agenda::owed(const EdgeTable& table, const std::vector<char>& out, Step now) const {
  std::vector<Owed> found;
  if (single_) single_->owed(table, out, now, found);
  collect(slots_, table, out, now, found);
  collect(precise_, table, out, now, found);
  collect(plastic_, table, out, now, found);
  std::stable_sort(found.begin(), found.end(), [](const Owed& a, const Owed& b) { return a.due < b.due; });
  return found;
}

void Agenda::resume(const EdgeTable& table, std::uint32_t row, Step step, const synapses::PreValues& before) {
  if (single_) return single_->resume(table, row, step, before);
  if (table.spec->by_time()) return schedule_precise(table, row, step, before.value[0]);
  const Pending first = resumed(table, table.rows[row].begin);
  const Step due = step + delay_of(table, first);
  if (table.spec->plasticity)
    put(plastic_, due, PendingPlastic{first, step + 1, {before.last, before.value[0]}});
  else
    put(slots_, due, first);
}

void Agenda::move(const EdgeTable& table, const Remainder& left, Step now) {
  move_all(slots_, table, left, now);
  move_all(precise_, table, left, now);
  move_all(plastic_, table, left, now);
  if (single_) single_->move(table, left, now);
}

void OneByOne::owed(const EdgeTable& table, const std::vector<char>& out, Step now, std::vector<Owed>& found) const { collect(slots_, table, out, now, found); }

void OneByOne::resume(const EdgeTable& table, std::uint32_t row, Step step, const synapses::PreValues& before) {
  const Pending first = resumed(table, table.rows[row].begin);
  const Step due = step + delay_of(table, first);
  Entry e{first, step + 1, row, before};
  e.before.repeat = repeats(due, e);
  put(due, e);
}

void OneByOne::move(const EdgeTable& table, const Remainder& left, Step now) {
  move_all(slots_, table, left, now);
  for (WeightEvent& e : log_.events)
    if (e.position != gone) e.position = left.place[e.position];
}

void OneByOne::bring(EdgeTable& table, const Owed& o, synapses::PlasticRun run) {
  run.target = &table.target[o.synapse];
  process(table, {{o.synapse, 0, 0, 1}, o.stamp, table.row_of(o.synapse), o.before}, run);
}

}  // namespace npl::deliver
