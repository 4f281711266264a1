// SPDX-License-Identifier: Apache-2.0
/// Calendar queue of a table: entries by the step in which they are due, in a ring of slots.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "base/simd.hpp"

namespace npl::pathways {

/// Entries that are due in one step. Adding one is a few instructions: push_back() of a vector was a call.
template <class Entry>
class DueEntries {
 public:
  NPL_INLINE void add(const Entry& entry) {
    if (n_ == entries_.size()) [[unlikely]]
      grow();
    entries_[n_++] = entry;
    __builtin_prefetch(entries_.data() + n_ + ahead, 1);  // rows go to many steps in turn: the next place of this one is fetched
  }
  void clear() { n_ = 0; }
  std::size_t size() const { return n_; }
  bool empty() const { return n_ == 0; }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + n_; }
  std::size_t bytes() const { return entries_.bytes(); }

 private:
  static constexpr std::size_t least = 4, ahead = 1 + 128 / sizeof(Entry);  ///< entries; ahead: two cache lines
  [[gnu::noinline]] void grow() { entries_.resize(std::max(least, 2 * n_)); }

  Buffer<Entry> entries_;
  std::size_t n_ = 0;
};

template <class Entry>
class Calendar {
 public:
  /// @param longest_delay largest distance of due steps from the current step [steps]
  explicit Calendar(Delay longest_delay) : slots_(std::bit_ceil(std::size_t{longest_delay} + 2)) {}

  /// Adds an entry; due at most `longest_delay` + 1 steps after the current step.
  NPL_INLINE void put(Step due, const Entry& entry) { at(due).add(entry); }
  /// Entries due in a step, in order of addition.
  DueEntries<Entry>& at(Step step) { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
  const DueEntries<Entry>& at(Step step) const { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
  /// Calls f(due, entry) for all entries in order of time. @param now the current step; earlier steps have been delivered
  template <class F>
  void for_each(Step now, F&& f) const {
    for (Step due = now; due < now + steps(); ++due)
      for (const Entry& entry : at(due)) f(due, entry);
  }
  /// Size of the ring [steps]: all entries are due less than this after the current step.
  Step steps() const { return static_cast<Step>(slots_.size()); }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& slot : slots_) total += slot.bytes();
    return total;
  }

 private:
  std::vector<DueEntries<Entry>> slots_;
};

}  // namespace npl::pathways
