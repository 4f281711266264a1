// SPDX-License-Identifier: Apache-2.0
/// Event queue of a table: entries by the step in which they are due, in a ring of steps.
#pragma once
#include <bit>
#include <cstddef>
#include <vector>

#include "base/ids.hpp"

namespace npl::pathways {

template <class Entry>
class Calendar {
 public:
  /// @param longest_delay of an entry, from the step in which it is put [steps]
  explicit Calendar(Delay longest_delay) : slots_(std::bit_ceil(std::size_t{longest_delay} + 2)) {}

  void put(Step due, const Entry& entry) { at(due).push_back(entry); }
  /// What is due in a step.
  std::vector<Entry>& at(Step step) { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
  const std::vector<Entry>& at(Step step) const { return slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)]; }
  /// Calls f(due, entry) for all entries by time. @param now steps before it are done
  template <class F>
  void for_each(Step now, F&& f) const {
    for (Step due = now; due < now + steps(); ++due)
      for (const Entry& entry : at(due)) f(due, entry);
  }
  /// No entry is due so many steps or more after the present one.
  Step steps() const { return static_cast<Step>(slots_.size()); }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& slot : slots_) total += slot.capacity() * sizeof(Entry);
    return total;
  }

 private:
  std::vector<std::vector<Entry>> slots_;
};

}  // namespace npl::pathways
