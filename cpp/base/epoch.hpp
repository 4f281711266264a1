// SPDX-License-Identifier: Apache-2.0
/// Waiting of threads for one another: spin while the other one runs, sleep when it does not.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/simd.hpp"

namespace npl {

NPL_INLINE void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int machine_cores();  ///< at least 1; asks the system once

/// How long one thread spins before it sleeps, learned from its waits. A wait as long as a scheduler's time slice means that others want
/// the cores: spinning would take the core from the very thread that is waited for. A sleep that was short would better have been a spin.
class SpinBudget {
 public:
  static constexpr int full = 20'000;  ///< spins, some 0.5 ms
  /// @param most spins; 0 where there are more threads than cores
  explicit SpinBudget(int most = full) : most_(most), spins_(std::min(most, 2000)) {}
  int spins() const { return spins_; }
  /// A wait ended after the spins, in a sleep.
  void note_sleep(double seconds) { spins_ = std::min(most_, seconds > slice ? std::max(least, spins_ / 4) : spins_ * 2); }

 private:
  static constexpr int least = 64;
  static constexpr double slice = 1e-3;  ///< [s]
  int most_, spins_;
};

/// A counter that threads wait for to change.
class Epoch {
 public:
  unsigned now() const { return count_.load(std::memory_order_acquire); }
  /// Counts on and wakes all that wait. What was written before is visible to them.
  void advance() {
    count_.fetch_add(1);
    if (asleep_.load() > 0) wake();
  }
  /// Returns when the count differs from `seen`: spins, then sleeps.
  void wait(unsigned seen, SpinBudget& spin_budget) {
    for (int spin = spin_budget.spins(); spin > 0; --spin) {
      if (now() != seen) return;
      pause_briefly();
    }
    if (now() == seen) spin_budget.note_sleep(sleep(seen, std::chrono::nanoseconds::max()));
  }
  /// Sleeps at once; returns also when the time is over.
  void wait_for(unsigned seen, std::chrono::nanoseconds longest) { sleep(seen, longest); }

 private:
  double sleep(unsigned seen, std::chrono::nanoseconds longest);
  void wake();

  // Sequentially consistent with asleep_: either the one that counts sees the sleeper, or the sleeper sees the new count.
  alignas(64) std::atomic<unsigned> count_{0};
  std::atomic<int> asleep_{0};
};

}  // namespace npl
