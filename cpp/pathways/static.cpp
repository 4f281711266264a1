// SPDX-License-Identifier: Apache-2.0
/// Pathway of static synapses: adds the weights of due synapses to the sums. Runs wait in the calendar; where they are short on average,
/// a spike's row is queued as single events (scatter_queue.hpp) or by windows (window_sums.hpp). Sums are the same (law 1).
#include <cstring>
#include <limits>
#include <optional>

#include "pathways/queueing.hpp"
#include "pathways/recording.hpp"
#include "pathways/scatter_queue.hpp"
#include "pathways/target_bits.hpp"
#include "pathways/window_sums.hpp"

namespace npl::pathways {
namespace {

using tables::Layout;
using tables::RowCursor;
using tables::Weights;

/// Number of runs; from a thousand rows where it is not known.
double estimate_runs(const tables::EdgeTable& t) {
  constexpr std::size_t enough = 1024;
  if (t.layout == Layout::single) return static_cast<double>(t.n_rows());
  if (t.layout == Layout::runs) return static_cast<double>(t.runs.size());
  std::size_t runs = 0, synapses = 0;
  for (std::size_t r = 0; r < t.n_rows(); r += std::max<std::size_t>(1, t.n_rows() / enough)) {
    const auto [begin, end] = t.rows[r];
    synapses += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) runs += i == begin || t.delay[i] != t.delay[i - 1];
  }
  return static_cast<double>(runs) / static_cast<double>(std::max<std::size_t>(1, synapses)) * static_cast<double>(t.n_synapses());
}

constexpr std::uint32_t few = 4;  // synapses of a short row

/// The first synapses of a row.
template <class W>
struct ShortRow {
  std::array<Delay, few> delay;
  std::array<std::uint16_t, few> target;
  std::array<W, few> weight;

  NPL_INLINE void copy(const Delay* delays, const std::uint16_t* targets, const W* weights, std::uint32_t at) {
    std::memcpy(delay.data(), delays + at, sizeof delay);
    std::memcpy(target.data(), targets + at, sizeof target);
    if constexpr (!std::is_same_v<W, NoWeight>) std::memcpy(weight.data(), weights + at, sizeof weight);
  }
  NPL_INLINE void tell(std::uint32_t i, Event<W>& event) const {
    event.target = target[i];
    if constexpr (!std::is_same_v<W, NoWeight>) event.weight = weight[i];
  }
};

class Static : public Queued<Static, StaticEntry> {
 public:
  Static(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice, std::optional<Queueing> fixed)
      : Queued(std::move(table), slice), fixed_(fixed) {
    choose();
  }

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    if (scatters_) return deliver_scattered(step, inputs);
    if (const std::uint64_t events = deliver_bits(step, inputs)) return events;
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }
  void refresh() override { stale_ = scatters_; }
  std::size_t bytes() const override { return Queued::bytes() + rows_.bytes() + queue_.bytes() + windows_.bytes() + bits_.bytes(); }

  void spike(std::span<const Fired> fired) {
    if (!scatters_) return for_fired(fired, [this](std::size_t, const Fired& f) { put(f.step, {first_run(f)}); });
    if (short_ && !stale_) return with_stored([&](auto* weight) { scatter_short(fired, weight); });
    const auto queue_all = [&](auto queue) {
      for_fired(fired, [&](std::size_t, const Fired& f) NPL_INLINE_LAMBDA {
        const RowCursor at = first_run(f);
        rows_.put(f.step + longest_, f.row);
        queue(f.step, at);
      });
    };
    stale_ ? queue_all([](Step, const RowCursor&) {}) : with_queue(queue_all);
  }
  void put_due(Step due, const StaticEntry& e) { scatters_ ? scatter(due, e.at) : calendar_.put(due, e); }
  void prefetch_row(const Fired& f) const {
    const tables::EdgeTable& t = *table_;
    const auto [begin, end] = f.synapses;
    if (short_) return;
    if (t.layout == Layout::words) __builtin_prefetch(&t.delay[begin]);
    if (t.layout == Layout::runs) __builtin_prefetch(&t.run_begin[f.row]);
    if (!scatters_) return;
    const std::uint32_t n = std::min(end - begin, most_fetched);
    if (t.layout == Layout::words) prefetch_lines(&t.delay[begin], n * sizeof(Delay));
    prefetch_lines(&t.target[begin], n * sizeof(std::uint16_t));
    t.prefetch_weights(begin, n);
  }

  /// Edits and checkpoints know the spikes in flight by `rows_` while rows are scattered.
  template <class F>
  void for_entries(Step now, F&& f) const {
    if (!scatters_) return calendar_.for_each(now, f);
    Calendar<StaticEntry> due(longest_);
    rows_.for_each(now, [&](Step last, std::uint32_t row) {
      StaticEntry e{first_run(row)};
      Step next = last - longest_ + tables::next_delay(*table_, e.at);
      int gap = 0;
      for (; next < now && gap >= 0; next += gap) gap = tables::advance_any(*table_, e.at);
      if (gap >= 0) due.put(next, e);
    });
    due.for_each(now, f);
  }
  void adopt(Step now) {
    scatters_ = stale_ = false;
    choose();
    if (!scatters_) return;
    Calendar<StaticEntry> waiting(longest_);
    std::swap(waiting, calendar_);
    begin(now);
    waiting.for_each(now, [&](Step due, const StaticEntry& e) { scatter(due, e.at); });
  }

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_static(std::move(table), slice_, fixed_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& in, Noted&& noted) {
    return with_values(in.to_fixed, [&](auto value) { return add(step, in.sums, noted, value); });
  }

 private:
  /// (coded) All weights in fixed point, by code: rounding them at each event would take longer than all else.
  const Fixed* fixed_book(double to_fixed) {
    const tables::Codebook& book = *table_->spec->book;
    if (!book_ || book_->size() != book.size() || book_scale_ != to_fixed) book_ = book.in_fixed(to_fixed), book_scale_ = to_fixed;
    return book_->data();
  }
  /// All synapses add the same. An edit may end that.
  bool one_value() const { return table_->spec->counts() || table_->spec->weights == Weights::uniform; }
  /// Calls f(value), where value(i) is the weight of synapse i in fixed point.
  template <class F>
  auto with_values(double to_fixed, F&& f) {
    const tables::EdgeTable& t = *table_;
    const auto same_for_all = [&](Fixed each) { return f([each](std::uint32_t) { return each; }); };
    if (t.spec->counts()) return same_for_all(1);
    if (t.spec->weights == Weights::uniform) return same_for_all(round_to_fixed(t.spec->uniform * to_fixed));
    if (t.spec->weights == Weights::f64)
      return f([to_fixed, w = t.weight64.data()](std::uint32_t i) { return round_to_fixed(w[i] * to_fixed); });
    if (t.spec->weights == Weights::coded)
      return f([code = t.code.data(), book = fixed_book(to_fixed)](std::uint32_t i) { return book[code[i]]; });
    return with_rounding(to_fixed, [&](auto fixed) { return f([fixed, w = t.weight32.data()](std::uint32_t i) { return fixed(w[i]); }); });
  }
  /// Adds value(i) to the sum of the target for every due synapse i; returns the number of events.
  template <class Noted, class Value>
  std::uint64_t add(Step step, Fixed* sums, Noted& noted, Value value) {
    const std::uint16_t* target = table_->target.data();
    return walk(step, [&, sums, target, value](const StaticEntry& e) {
      for (std::uint32_t i = e.at.position; i < e.at.position + e.at.length; ++i) add_wrapping(sums[target[i]], value(i));
      noted(e.at, [&](std::uint32_t k) { return table_->weight(e.at.position + k); });
    });
  }

  /// Delivers a step in which most nodes get a spike by bits, if the table has them. Returns the number of events, 0 if it did nothing.
  std::uint64_t deliver_bits(Step step, const Inputs& in) {
    const tables::EdgeTable& t = *table_;
    auto& due = calendar_.at(step);
    if (!may_have_bits_ || due.size() < fewest_rows || !one_value()) return 0;
    std::uint64_t events = 0;
    for (const StaticEntry& e : due) events += e.at.length;
    if (!TargetBits::are_fast(static_cast<double>(events), static_cast<double>(slice_.nodes.size())) || !have_bits()) return 0;
    bit_rows_.clear();
    for (const StaticEntry& e : due)
      if (e.at.position == t.rows[e.at.run].begin) bit_rows_.push_back(e.at.run);
    if (bit_rows_.size() < due.size()) return 0;
    bits_.add(bit_rows_, t.spec->counts() ? 1 : round_to_fixed(t.spec->uniform * in.to_fixed), in.sums);
    due.clear();
    return events;
  }
  /// Makes the bits when they would have been used many times.
  bool have_bits() {
    if (bits_.empty() && ++crowded_steps_ > enough_steps) {
      try {
        bits_ = TargetBits(*table_);
      } catch (const std::bad_alloc&) {
        may_have_bits_ = false;
      }
    }
    return !bits_.empty();
  }

  void choose() {
    const tables::EdgeTable& t = *table_;
    bits_ = {}, crowded_steps_ = 0;
    may_have_bits_ = t.layout == Layout::single && one_value() && t.n_synapses() > 0 &&
                     TargetBits::are_small(static_cast<double>(t.n_synapses()), static_cast<double>(t.n_rows()),
                                           static_cast<double>(slice_.nodes.size()));
    const Queueing way = fixed_ ? *fixed_
                                : queueing_of({static_cast<double>(t.n_synapses()), static_cast<double>(t.n_rows()), estimate_runs(t),
                                               static_cast<double>(slice_.nodes.size())});
    scatters_ = way.by != Queueing::By::runs;
    windows_ = way.by == Queueing::By::windows ? WindowSums(slice_.nodes.size(), way.window, longest_) : WindowSums();
    short_ = way.by == Queueing::By::events && t.layout == Layout::words && t.n_synapses() >= few && t.n_synapses() < few * t.n_rows();
    queue_.clear(), rows_ = Calendar<std::uint32_t>(scatters_ ? longest_ : 0);
    if (scatters_) begin(0);
    mark_all(!windows_.used());
  }
  /// Forgets all events. @param now earlier steps have been delivered
  void begin(Step now) { windows_.used() ? windows_.reset(now) : queue_.reset(longest_); }
  /// Queues the rest of a row, whose next run is due in step `due`.
  void scatter(Step due, const RowCursor& at) {
    const Step sent = due - tables::next_delay(*table_, at);
    rows_.put(sent + longest_, table_->row_of(at.position));
    busy(sent);  // deliver() must be called until the row's entry is removed; an edit may have made the longest delay longer
    if (!stale_) scatter_events(sent, at);
  }
  void scatter_events(Step sent, const RowCursor& at) {
    with_queue([&](auto queue) { queue(sent, at); });
  }
  /// Calls f(queue), where queue(sent, at) queues the events of a row from a run on.
  template <class F>
  void with_queue(F&& f) {
    if (windows_.used())
      with_values(scale_, [&](auto value) {
        f([this, value](Step sent, const RowCursor& at) NPL_INLINE_LAMBDA { windows_.put(*table_, sent, at, value); });
      });
    else
      with_stored(
          [&](auto* weight) { f([this, weight](Step sent, const RowCursor& at) NPL_INLINE_LAMBDA { scatter_as(sent, at, weight); }); });
  }
  /// Calls f(the weights of the table); f(null NoWeight*) where all are equal.
  template <class F>
  void with_stored(F&& f) {
    const tables::EdgeTable& t = *table_;
    if (one_value()) return f(static_cast<const NoWeight*>(nullptr));
    if (t.spec->weights == Weights::f32) return f(t.weight32.data());
    if (t.spec->weights == Weights::coded) return f(t.code.data());
    f(t.weight64.data());
  }
  template <class W>
  NPL_INLINE void scatter_as(Step sent, RowCursor at, const W* weight) {
    const tables::EdgeTable& t = *table_;
    Step due = sent + tables::next_delay(t, at);
    const std::uint16_t* target = t.target.data();
    const ScatterQueue::Writer<Event<W>> out(queue_);
    const auto put = [&](Step when, std::uint32_t i) {
      Event<W>& e = out.add(when);
      e.target = target[i];
      if constexpr (!std::is_same_v<W, NoWeight>) e.weight = weight[i];
    };
    if constexpr (std::is_same_v<W, NoWeight>)
      if (t.layout == Layout::single) return out.add(due, target + at.position, at.length, t.n_synapses() - at.position);
    if (t.layout == Layout::words) {
      const Delay* delay = t.delay.data();
      for (std::uint32_t i = at.position, end = at.end; i < end; ++i) put(sent + delay[i], i);
      return;
    }
    for (int gap = 0; gap >= 0; gap = tables::advance_any(t, at), due += gap)
      for (std::uint32_t i = at.position; i < at.position + at.length; ++i) put(due, i);
  }
  /// Rows of a few synapses. Their columns are copied first, with no branch that waits for one of them, so that the cache misses of many
  /// rows overlap: in large tables prefetches alone left half of the waiting.
  template <class W>
  void scatter_short(std::span<const Fired> fired, const W* weight) {
    const tables::EdgeTable& t = *table_;
    const auto last = static_cast<std::uint32_t>(t.n_synapses() - few);
    std::array<ShortRow<W>, batch> rows;
    for (std::size_t k = 0; k < fired.size(); ++k)
      rows[k].copy(t.delay.data(), t.target.data(), weight, std::min(fired[k].synapses.begin, last));
    const ScatterQueue::Writer<Event<W>> out(queue_);
    for (std::size_t k = 0; k < fired.size(); ++k) {
      const auto [begin, end] = fired[k].synapses;
      const std::uint32_t at = std::min(begin, last);
      rows_.put(fired[k].step + longest_, fired[k].row);
      if (end - at > few) {
        scatter_as(fired[k].step, first_run(fired[k]), weight);
        continue;
      }
      for (std::uint32_t i = begin - at; i < end - at; ++i) rows[k].tell(i, out.add(fired[k].step + rows[k].delay[i]));
    }
  }
  /// Queues all events in flight anew, with the present weights.
  void scatter_all(Step now) {
    stale_ = false;
    begin(now);
    for_entries(now, [&](Step due, const StaticEntry& e) { scatter_events(due - tables::next_delay(*table_, e.at), e.at); });
  }

  std::uint64_t deliver_scattered(Step step, const Inputs& in) {
    const tables::EdgeTable& t = *table_;
    if (windows_.used() && in.to_fixed != scale_) scale_ = in.to_fixed, stale_ = true;
    if (stale_) scatter_all(step);
    rows_.at(step).clear();
    if (windows_.used()) return with_values(scale_, [&](auto value) { return windows_.take(t, step, in.sums, value); });
    if (t.spec->counts()) return add_events<NoWeight>(step, in.sums, [](const auto&) { return Fixed{1}; });
    const double to_fixed = in.to_fixed;
    if (t.spec->weights == Weights::uniform)
      return add_events<NoWeight>(step, in.sums, [each = round_to_fixed(t.spec->uniform * to_fixed)](const auto&) { return each; });
    if (t.spec->weights == Weights::f64)
      return add_events<double>(step, in.sums, [to_fixed](const auto& e) { return round_to_fixed(e.weight * to_fixed); });
    if (t.spec->weights == Weights::coded)
      return add_events<tables::Code>(step, in.sums, [book = fixed_book(to_fixed)](const auto& e) { return book[e.weight]; });
    return with_rounding(to_fixed,
                         [&](auto fixed) { return add_events<float>(step, in.sums, [fixed](const auto& e) { return fixed(e.weight); }); });
  }
  template <class W, class Value>
  std::uint64_t add_events(Step step, Fixed* sums, Value value) {
    return queue_.take<Event<W>>(step, [sums, value](const Event<W>* events, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) add_wrapping(sums[events[k].target], value(events[k]));
    });
  }

  static constexpr std::size_t fewest_rows = 4;  ///< due in a step, for which bits pay
  static constexpr int enough_steps = 32;
  static constexpr std::uint32_t most_fetched = 256;  ///< synapses of a row; the processor itself goes on from there

  const std::optional<Queueing> fixed_;
  bool scatters_ = false;       ///< rows are queued by event or by window; else by run
  bool short_ = false;          ///< (scatters_) rows have fewer than four synapses on average: they are copied before they are queued
  bool stale_ = false;          ///< weights were set after events had been queued
  bool may_have_bits_ = false;  ///< one delay, one weight, dense rows
  int crowded_steps_ = 0;       ///< in which bits would have been faster
  TargetBits bits_;
  std::vector<std::uint32_t> bit_rows_;
  ScatterQueue queue_;
  WindowSums windows_;               ///< instead of the queue where rows are long
  Calendar<std::uint32_t> rows_{0};  ///< (scatters_) rows in flight, each by the last step in which a synapse of it may be due
  double scale_ = 0.0;               ///< of the sums in the windows
  tables::FixedBook book_;           ///< (coded) see fixed_book()
  double book_scale_ = 0.0;          ///< of book_
};

}  // namespace

std::unique_ptr<Pathway> make_static(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice, std::optional<Queueing> fixed) {
  if (table->spec->recorder < 0) return std::make_unique<Static>(std::move(table), slice, fixed);
  return std::make_unique<Recording<Static>>(std::move(table), slice, Queueing{});
}

}  // namespace npl::pathways
