// SPDX-License-Identifier: Apache-2.0
/// Time of the phases of a run, of one thread. Short pieces of work are split into phases now and then only, so that reading the clock
/// costs little: the time of the others is shared out as that of those that were split.
#pragma once
#include <algorithm>

#include "base/timers.hpp"

namespace npl::sim {

enum class RunPhase { deliver, devices, update, record, schedule, wait, collocate, exchange, count_ };

class alignas(64) RunClock {
 public:
  /// A run begins: time since the last one does not count.
  void start() { last_ = seconds_now(); }
  /// A piece of work begins, some phases long. Decides whether it is split.
  void begin_piece() {
    if (--until_split_ > 0) return;
    splits_ = true;
    laps_ = 0;
    add(rest_);
    begun_ = last_;
  }
  /// Ends a phase of a piece of work.
  void lap(RunPhase phase) {
    if (!splits_) return;
    add(sums_[index(phase)]);
    ++laps_;
  }
  void end_piece() {
    if (!splits_) return;
    splits_ = false;
    // The clock takes at most 2 % of the time.
    const double clocks = laps_ * clock, taken = std::max(last_ - begun_, clock);
    until_split_ = static_cast<int>(std::clamp(clocks / (0.02 * taken), 1.0, 64.0));
  }
  /// The work since the last reading of the clock counts as work, that until the next lap_always as its phase.
  void work_ends() { add(rest_); }
  void lap_always(RunPhase phase) { add(sums_[index(phase)]); }
  double last() const { return last_; }

  /// Total of a phase [s].
  double operator[](RunPhase phase) const {
    const double sum = sums_[index(phase)];
    if (index(phase) > index(RunPhase::schedule)) return sum;
    double work = 0;
    for (std::size_t k = 0; k <= index(RunPhase::schedule); ++k) work += sums_[k];
    return work > 0 ? sum + rest_ * sum / work : 0.0;
  }

 private:
  static constexpr double clock = 25e-9;  ///< [s] of one reading, about
  static std::size_t index(RunPhase phase) { return static_cast<std::size_t>(phase); }
  void add(double& to) {
    const double now = seconds_now();
    to += now - last_;
    last_ = now;
  }

  double last_ = 0.0, begun_ = 0.0, rest_ = 0.0;
  std::array<double, static_cast<std::size_t>(RunPhase::count_)> sums_{};
  int until_split_ = 1, laps_ = 0;
  bool splits_ = false;
};

}  // namespace npl::sim
