// SPDX-License-Identifier: Apache-2.0
/// Stopwatches for phases: one clock read where a phase ends, never one per synapse.
#pragma once
#include <array>
#include <chrono>

namespace npl {

/// Time of the monotonic clock [s]; only differences mean something.
inline double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Adds up the time of consecutive phases of one thread; Phase is an enum with a last member `count_`.
template <class Phase>
class PhaseTimer {
 public:
  void start() { last_ = seconds_now(); }
  /// Adds the time since start() or the last lap() to `phase`.
  void lap(Phase phase) {
    const double now = seconds_now();
    sums_[static_cast<std::size_t>(phase)] += now - last_;
    last_ = now;
  }
  /// Total of a phase [s].
  double operator[](Phase phase) const { return sums_[static_cast<std::size_t>(phase)]; }

 private:
  double last_ = 0.0;
  std::array<double, static_cast<std::size_t>(Phase::count_)> sums_{};
};

}  // namespace npl
