// SPDX-License-Identifier: Apache-2.0
/// Calendar queue of a table: entries by the step in which they are due, in a ring of slots.
#pragma once
#include <bit>
#include <cstddef>
#include <vector>

#include "base/ids.hpp"
#include "base/simd.hpp"

namespace npl::pathways {

template <class Entry>
class Calendar {
 public:
  /// @param longest_delay largest distance of due steps from the current step [steps]
  explicit Calendar(Delay longest_delay) : slots_(std::bit_ceil(std::size_t{longest_delay} + 2)) {}

  /// Adds an entry; due at most `longest_delay` + 1 steps after the current step.
  /// Rows go to many slots in turn: the place of the next entries of this one is fetched.
  NPL_INLINE void put(Step due, const Entry& entry) {
    std::vector<Entry>& slot = at(due);
    slot.push_back(entry);
    __builtin_prefetch(slot.data() + slot.size() + ahead, 1);
  }
  /// Entries due in a step, in order of addition.
  std::vector<Entry>& at(Step step) { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
  const std::vector<Entry>& at(Step step) const { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
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
    for (const auto& slot : slots_) total += slot.capacity() * sizeof(Entry);
    return total;
  }

 private:
  static constexpr std::size_t ahead = 1 + 128 / sizeof(Entry);  ///< entries: two cache lines
  std::vector<std::vector<Entry>> slots_;
};

}  // namespace npl::pathways
