// SPDX-License-Identifier: Apache-2.0
/// Queue of rows by windows of some steps, for tables whose runs are short but whose rows are long: a row waits until the window in which
/// its next synapses are due begins, then all of them due in this window are added to sums by step and node, which stay in cache.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "base/buffer.hpp"
#include "base/fixed.hpp"
#include "base/math.hpp"
#include "tables/row_cursor.hpp"

namespace npl::pathways {

class WindowSums {
  /// The rest of a row, from its first synapse due in a later window on.
  struct Rest {
    tables::RowCursor at;
    Step sent;
  };

 public:
  WindowSums() = default;
  /// @param steps of a window, a power of two
  /// @param longest_delay largest distance of due steps from the current step [steps]
  WindowSums(std::size_t nodes, std::size_t steps, Delay longest_delay)
      : nodes_(nodes),
        steps_(static_cast<Step>(steps)),
        steps_log2_(std::countr_zero(steps)),
        sums_(nodes * steps),
        events_(steps),
        waiting_(std::bit_ceil((std::size_t{longest_delay} + 1) / steps + 2)) {}
  bool used() const { return !waiting_.empty(); }
  /// Drops everything. @param now earlier steps have been delivered
  void reset(Step now) {
    std::fill(sums_.begin(), sums_.end(), 0);
    std::fill(events_.begin(), events_.end(), 0);
    for (auto& w : waiting_) w.clear();
    begin_ = now & -steps_;
  }

  /// Queues the rest of a row. @param value value(i): weight of synapse i
  template <class Value>
  void put(const tables::EdgeTable& t, Step sent, tables::RowCursor at, Value value) {
    if (t.layout == tables::Layout::words) return put_words(t, {at, sent}, value);
    if (t.layout == tables::Layout::runs) return put_runs(t, {at, sent}, value);
    put_single(t, {at, sent}, value);
  }
  /// Adds the sums of a step to `to` [nodes] and clears them. Returns the number of events.
  template <class Value>
  std::uint64_t take(const tables::EdgeTable& t, Step step, Fixed* to, Value value) {
    if (step >= begin_ + steps_) begin_window(t, step, value);
    const auto s = static_cast<std::size_t>(step - begin_);
    const std::uint64_t n = std::exchange(events_[s], 0);
    if (n == 0) return 0;
    Fixed* const from = &sums_[s * nodes_];
    for (std::size_t i = 0; i < nodes_; ++i) add_wrapping(to[i], from[i]), from[i] = 0;
    return n;
  }
  std::size_t bytes() const {
    std::size_t total = sums_.bytes() + events_.bytes();
    for (const auto& w : waiting_) total += w.capacity() * sizeof(Rest);
    return total;
  }

  /// Expected bytes. @param rows that get a spike, per step
  static double expected_bytes(double nodes, double steps, double rows, double longest_delay) {
    const double windows = math::power_of_two_from((longest_delay + 1) / steps + 2);
    return steps * (nodes + 1) * sizeof(Fixed) + windows * math::power_of_two_from(rows * steps * 2) * sizeof(Rest);
  }

 private:
  static constexpr std::size_t ahead = 6;     ///< prefetch distance [rows]
  static constexpr std::uint32_t most = 240;  ///< synapses added at once

  template <class Value>
  void begin_window(const tables::EdgeTable& t, Step step, Value value) {
    begin_ = step & -steps_;
    std::vector<Rest>& due = window_of(step);
    for (std::size_t k = 0; k < due.size(); ++k) {
      if (k + ahead < due.size()) prefetch(t, due[k + ahead].at);
      put(t, due[k].sent, due[k].at, value);
    }
    due.clear();
  }
  template <class Value>
  NPL_INLINE void put_words(const tables::EdgeTable& t, const Rest& row, Value value) {
    const Delay* const delay = t.delay.data();
    const std::uint16_t* const target = t.target.data();
    const std::size_t nodes = nodes_;
    const Step before = row.sent - begin_;  // the slot of a synapse is this + its delay
    Fixed* const sums = sums_.data();
    std::uint64_t* const events = events_.data();
    const Step too_long = steps_ - before;
    std::uint32_t i = row.at.position;
    for (; i < row.at.end && delay[i] < too_long; ++i) {
      const auto slot = static_cast<std::size_t>(before + delay[i]);
      add_wrapping(sums[slot * nodes + target[i]], value(i));
      ++events[slot];
    }
    if (i < row.at.end) window_of(row.sent + delay[i]).push_back({{i, 0, row.at.end, 1}, row.sent});
  }
  template <class Value>
  NPL_INLINE void put_single(const tables::EdgeTable& t, const Rest& row, Value value) {
    const Step due = row.sent + t.one_delay;
    if (due >= begin_ + steps_) return window_of(due).push_back(row);
    const auto slot = static_cast<std::size_t>(due - begin_);
    Fixed* const sums = &sums_[slot * nodes_];
    const std::uint16_t* const target = t.target.data();
    for (std::uint32_t i = row.at.position; i < row.at.position + row.at.length; ++i) add_wrapping(sums[target[i]], value(i));
    events_[slot] += row.at.length;
  }
  /// The slots of the synapses are written out first, sixteen at a time: a loop over each short run would end in a mispredicted branch.
  template <class Value>
  NPL_INLINE void put_runs(const tables::EdgeTable& t, const Rest& row, Value value) {
    const tables::Run* const runs = t.runs.data();
    const Step before = row.sent - begin_, too_long = steps_ - before;
    std::uint32_t offset[most + 16], n = 0, length = row.at.length, run = row.at.run, first = row.at.position;
    for (; run < row.at.end && runs[run].delay < too_long; length = ++run < row.at.end ? runs[run].length : 0) {
      const auto slot = static_cast<std::size_t>(before + runs[run].delay);
      events_[slot] += length;
      for (std::uint32_t left = length; left > 0;) {
        if (n == most) add(t, first, n, offset, value), first += n, n = 0;
        const std::uint32_t taken = std::min(left, most - n);
        for (std::uint32_t k = 0; k < taken; k += 16) std::fill_n(offset + n + k, 16, static_cast<std::uint32_t>(slot * nodes_));
        n += taken, left -= taken;
      }
    }
    add(t, first, n, offset, value);
    if (run < row.at.end) window_of(row.sent + runs[run].delay).push_back({{first + n, run, row.at.end, length}, row.sent});
  }
  template <class Value>
  NPL_INLINE void add(const tables::EdgeTable& t, std::uint32_t first, std::uint32_t n, const std::uint32_t* offset, Value value) {
    Fixed* const sums = sums_.data();
    const std::uint16_t* const target = t.target.data();
    for (std::uint32_t k = 0; k < n; ++k) add_wrapping(sums[std::size_t{offset[k]} + target[first + k]], value(first + k));
  }
  NPL_INLINE static void prefetch(const tables::EdgeTable& t, const tables::RowCursor& at) {
    const std::uint32_t i = at.position;
    constexpr std::uint32_t expected = 32;  // synapses
    const std::uint32_t n = std::min(expected, static_cast<std::uint32_t>(t.target.size()) - i);
    if (t.layout == tables::Layout::runs) prefetch_lines(&t.runs[at.run], 32);
    if (t.layout == tables::Layout::words) prefetch_lines(&t.delay[i], n * sizeof(Delay));
    prefetch_lines(&t.target[i], n * sizeof(std::uint16_t));
    t.prefetch_weights(i, n);
  }
  std::vector<Rest>& window_of(Step due) { return waiting_[static_cast<std::size_t>(due >> steps_log2_) & (waiting_.size() - 1)]; }

  std::size_t nodes_ = 0;
  Step steps_ = 1;  ///< of a window
  int steps_log2_ = 0;
  Step begin_ = 0;                          ///< of the present window
  Buffer<Fixed> sums_;                      ///< [steps][nodes] of the present window
  Buffer<std::uint64_t> events_;            ///< [steps]
  std::vector<std::vector<Rest>> waiting_;  ///< ring of later windows
};

}  // namespace npl::pathways
