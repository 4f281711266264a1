// SPDX-License-Identifier: Apache-2.0
/// Rounds of the same tasks, done by whoever comes. A round ends when its tasks are done, not when all threads have met: a thread that the
/// system has put to sleep between two tasks holds up nobody, and its tasks are done by others.
#pragma once
#include <atomic>
#include <vector>

#include "base/epoch.hpp"

namespace npl {

class Rounds {
 public:
  /// No task can be claimed before the first open().
  explicit Rounds(std::size_t tasks) : claims_(tasks) {}

  /// Number of the round that is open.
  unsigned number() const { return round_.now(); }
  /// True for one thread per task and round: it does the task, then calls done(). A round that has ended has no tasks left, so a thread
  /// that comes late with the number of an earlier round gets none.
  bool claim(std::size_t task, unsigned round) {
    std::atomic<unsigned>& last = claims_[task].round;
    unsigned seen = last.load(std::memory_order_relaxed);
    return before(seen, round) && last.compare_exchange_strong(seen, round, std::memory_order_acq_rel, std::memory_order_relaxed);
  }
  /// True for the last task of a round. All that was written in tasks of this round is then visible, nobody is inside a task, and the
  /// caller opens the next round.
  bool done() { return open_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  /// Before open(): the next round is without this task.
  void withhold(std::size_t task) {
    claims_[task].round.store(number() + 1, std::memory_order_relaxed);
    ++withheld_;
  }
  void open() {
    open_.store(static_cast<int>(claims_.size() - withheld_), std::memory_order_relaxed);
    withheld_ = 0;
    round_.advance();
  }
  /// Waits until another round than this one is open.
  void wait(unsigned round, SpinBudget& spin_budget) { round_.wait(round, spin_budget); }

 private:
  struct alignas(64) Claim {
    std::atomic<unsigned> round{0};  ///< of the last claim
  };
  static bool before(unsigned a, unsigned b) { return static_cast<int>(a - b) < 0; }  // also when numbers wrap around

  std::vector<Claim> claims_;
  std::size_t withheld_ = 0;
  alignas(64) std::atomic<int> open_{0};
  Epoch round_;
};

}  // namespace npl
