// SPDX-License-Identifier: Apache-2.0
/// Common base of the pathways: queues rows in a calendar, run by run, and moves queued rows along when the table changes.
#pragma once
#include <algorithm>
#include <array>

#include "base/simd.hpp"
#include "pathways/calendar.hpp"
#include "pathways/entries.hpp"
#include "pathways/pathway.hpp"

namespace npl::pathways {

/// @tparam Self the pathway (CRTP), with `void spike(span<const Fired>)`, which queues the first runs of rows and updates their presynaptic
/// states
template <class Self, class Entry>
class Queued : public Pathway {
 public:
  Queued(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) : Pathway(std::move(table), slice), calendar_(longest_) {}

  void schedule(const Emitted& emitted) final {
    std::array<Fired, batch> fired;
    std::size_t n = 0;
    table_->sources.for_rows(emitted.spikes, [&](std::size_t i, std::uint32_t row) NPL_INLINE_LAMBDA {
      fired[n++] = {row, emitted.spikes[i].step, emitted.offset(i), {}};
      if (n == batch) queue(fired), n = 0;
    });
    queue({fired.data(), n});
  }
  void schedule(std::span<const RowSpike> spikes, std::span<const double> offsets) final {
    std::array<Fired, batch> fired;
    for (std::size_t i = 0; i < spikes.size(); i += batch) {
      const std::size_t n = std::min(batch, spikes.size() - i);
      for (std::size_t k = 0; k < n; ++k) fired[k] = {spikes[i + k].row, spikes[i + k].step, offsets.empty() ? 0.0 : offsets[i + k], {}};
      queue({fired.data(), n});
    }
  }
  Step oldest_needed(const synapses::PostTrace*, Step) const override { return INT32_MAX; }
  void bring(const Flight&, const Inputs&) override {}
  std::size_t bytes() const override { return calendar_.bytes(); }

  std::vector<Flight> in_flight(const std::vector<char>& of, Step now) const final {
    std::vector<Flight> found;
    self().for_entries(now, [&](Step due, const Entry& e) {
      Flight f = flight_of(e, due);
      tables::for_rest(*table_, e.at, [&](std::uint32_t i, int gap) {
        f.at = i, f.due = due + gap;
        if (of[i]) found.push_back(f);
      });
    });
    std::stable_sort(found.begin(), found.end(), [](const Flight& a, const Flight& b) { return a.due < b.due; });
    return found;
  }

  std::vector<Flight> queued(Step now) const final {
    std::vector<Flight> found;
    self().for_entries(now, [&](Step due, const Entry& e) {
      found.push_back(flight_of(e, due));
      found.back().at = table_->row_of(e.at.position);
    });
    return found;
  }
  void restore(const Flight& spike, Step now) final {
    std::uint32_t next = tables::Places::gone;
    Step due = 0;
    table_->for_row(spike.at, [&](std::uint32_t i, Delay delay) {
      if (next == tables::Places::gone && spike.sent + delay >= now) next = i, due = spike.sent + delay;
    });
    if (next == tables::Places::gone) return;
    Entry e{};
    e.at = tables::cursor_at(*table_, spike.at, next);
    take(e, spike);
    self().put_due(due, e), busy(spike.sent);
  }

  std::unique_ptr<Pathway> edited(Edits edits, Step now, Moved& places) const final {
    std::vector<char> flying(edits.added ? edits.added->n_rows() : 0);
    for (const Flight& f : edits.requeued) flying[f.at] = 1;
    tables::Merged merged =
        tables::merge({table_.get(), edits.out, rows_in_flight(now)}, {edits.added.get(), {}, flying}, edits.order, edits.layout);
    auto next = this->successor(std::move(merged.table));
    auto& queue = static_cast<Self&>(*next);
    queue.begin_after(*this);
    queue.take_from(*this, merged.old_places, now);
    queue.adopt(now);
    for (Flight f : edits.requeued) {
      f.at = next->table().row_of(merged.new_places(edits.added->rows[f.at].begin));
      next->requeue(f, now);
    }
    places = {std::move(merged.old_places), std::move(merged.new_places)};
    return next;
  }
  std::optional<std::uint32_t> set_delay(std::uint32_t synapse, Delay delay, Step now) final {
    tables::EdgeTable& t = *table_;
    if (t.layout != tables::Layout::words) return ++declined_, std::nullopt;
    if (delay > longest_ || log() || !t.nth.empty()) return std::nullopt;
    const auto row = t.rows[t.row_of(synapse)];
    bool flies = false;
    self().for_entries(now, [&](Step, const Entry& e) { flies |= e.at.position >= row.begin && e.at.position < row.end; });
    return flies ? std::nullopt : std::optional(t.move_to_delay(synapse, delay));
  }
  std::unique_ptr<Pathway> united(const Pathway& other, const Edits& how, Step now) const final {
    const auto& o = static_cast<const Queued&>(other);
    tables::Merged merged =
        tables::merge({table_.get(), {}, rows_in_flight(now)}, {o.table_.get(), {}, o.rows_in_flight(now)}, how.order, how.layout);
    auto next = this->successor(std::move(merged.table));
    auto& queue = static_cast<Self&>(*next);
    queue.begin_after(*this);
    queue.take_from(*this, merged.old_places, now);
    queue.take_from(o, merged.new_places, now);
    queue.adopt(now);
    return next;
  }
  void requeue(Flight spike, Step now) final { self().note_arrival(spike), restore(spike, now); }

 protected:
  /// A spike of the source of a row.
  struct Fired {
    std::uint32_t row;
    Step step;
    double offset;
    tables::RowOffsets::Range synapses;  ///< of the row
  };
  static constexpr std::size_t batch = 128;  ///< spikes that are queued together, at most

  /// Calls queue(k, spike) for each, and fetches the rows of the next ones.
  template <class Queue>
  NPL_INLINE void for_fired(std::span<const Fired> fired, Queue&& queue) const {
    const std::size_t n = fired.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (k + rows_ahead < n) self().prefetch_row(fired[k + rows_ahead]);
      queue(k, fired[k]);
    }
  }
  /// Calls process(entry) for each run due in a step, in order of scheduling, and prefetches the next rows. Returns the number of events.
  template <class Process>
  std::uint64_t walk(Step step, Process&& process) {
    switch (table_->layout) {
      case tables::Layout::runs: return walk_as<tables::Layout::runs>(step, process);
      case tables::Layout::words: return walk_as<tables::Layout::words>(step, process);
      case tables::Layout::single: break;
    }
    return walk_as<tables::Layout::single>(step, process);
  }
  /// Queues an entry whose next run is the first run of its row.
  void put(Step step, Entry e) { calendar_.put(step + tables::next_delay(*table_, e.at), e); }
  /// Queues an entry whose next run is due in this step.
  void put_due(Step due, const Entry& e) { calendar_.put(due, e); }
  tables::RowCursor first_run(std::uint32_t row) const {
    Delay delay = 0;
    return tables::first_run(*table_, row, table_->rows[row], delay);
  }
  NPL_INLINE tables::RowCursor first_run(const Fired& f) const {
    Delay delay = 0;
    return tables::first_run(*table_, f.row, f.synapses, delay);
  }
  /// (off-grid) Offsets of the emission from those of the arrival, and the other way round.
  void note_emission(Flight&) const {}
  void note_arrival(Flight&) const {}
  /// Calls f(due, entry) for all rows in flight, in order of time. @param now earlier steps have been delivered
  template <class F>
  void for_entries(Step now, F&& f) const {
    calendar_.for_each(now, f);
  }
  /// Fetches what spike() reads of a row.
  void prefetch_row(const Fired&) const {}
  /// Called after the table and the calendar have been replaced.
  void adopt(Step) {}
  /// Takes over what another pathway has recorded of synapses that have moved here.
  virtual void take_log(const Pathway&, const tables::Places&) {}

  Calendar<Entry> calendar_;

 private:
  static constexpr std::size_t ahead = 4, rows_ahead = 16;  ///< prefetch distances [rows]: of delivery, of queueing

  /// Queues some spikes; the look-ups of their rows, each a chain of cache misses, overlap.
  void queue(std::span<Fired> fired) {
    for (const Fired& f : fired) table_->rows.prefetch(f.row);
    if (table_->rows.are_marked())
      for (const Fired& f : fired) table_->rows.prefetch_marks(f.row);
    for (Fired& f : fired) f.synapses = table_->rows[f.row];
    for (const Fired& f : fired.first(std::min(rows_ahead, fired.size()))) self().prefetch_row(f);
    self().spike(fired);
    for (const Fired& f : fired) busy(f.step);
  }

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

  template <tables::Layout L, class Process>
  std::uint64_t walk_as(Step step, Process& process) {
    const tables::EdgeTable& t = *table_;
    auto& due = calendar_.at(step);
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < std::min(ahead, due.size()); ++i) prefetch_run(t, due[i].at);
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (i + ahead < due.size()) prefetch_run(t, due[i + ahead].at);
      Entry e = due[i];
      int gap = 0;
      do {
        process(e);
        events += e.at.length;
        gap = tables::advance<L>(t, e.at);
      } while (gap == 0);
      if (gap > 0) calendar_.put(step + gap, e);
    }
    due.clear();
    return events;
  }

  NPL_INLINE static void prefetch_run(const tables::EdgeTable& t, const tables::RowCursor& p) {
    prefetch_lines(&t.target[p.position], p.length * sizeof(std::uint16_t));
    t.prefetch_weights(p.position, p.length);
  }

  Flight flight_of(const Entry& e, Step due) const {
    Flight f{.sent = due - tables::next_delay(*table_, e.at)};
    tell(e, f);
    self().note_emission(f);
    return f;
  }
  std::vector<char> rows_in_flight(Step now) const {
    std::vector<char> rows;
    self().for_entries(now, [&](Step, const Entry& e) {
      rows.resize(table_->n_rows());
      rows[table_->row_of(e.at.position)] = 1;
    });
    return rows;
  }

  /// Queues the undelivered rest of every row in flight for its new positions. Merging never joins rows in flight, so the rest is one row.
  void move_entries(const tables::Places& places, const tables::EdgeTable& table, Calendar<Entry>& moved, Step now) const {
    self().for_entries(now, [&](Step due, Entry e) {
      std::uint32_t next = tables::Places::gone;
      Step then = due;
      tables::for_rest(*table_, e.at, [&](std::uint32_t i, int gap) {
        if (next == tables::Places::gone && places(i) != tables::Places::gone) next = places(i), then = due + gap;
      });
      if (next == tables::Places::gone) return;
      const std::uint32_t row = table.row_of(next);
      e.at = tables::cursor_at(table, row, next);
      if constexpr (requires { e.row; }) e.row = row;
      moved.put(then, e);
    });
  }
  /// A pathway never forgets its longest delay: rows in flight may still be due so late.
  void begin_after(const Queued& before) {
    longest_ = std::max(before.longest_, table_->longest_delay());
    calendar_ = Calendar<Entry>(longest_);
    declined_ = before.declined_;
  }
  void take_from(const Queued& before, const tables::Places& places, Step now) {
    before.move_entries(places, *table_, calendar_, now);
    busy_until_ = std::max(busy_until_, before.busy_until_);
    this->take_log(before, places);
  }
};

}  // namespace npl::pathways
