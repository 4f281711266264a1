// SPDX-License-Identifier: Apache-2.0
/// How many threads a rank uses: as many as make it fastest, by trial. Steps that are too short for several threads, and cores that others
/// want, both show in the time per step. Results do not depend on it (law 1).
#pragma once
#include <array>

#include "base/ids.hpp"

namespace npl::sim {

class Pace {
 public:
  /// @param most threads of the rank; @param first how many to begin with, 1 or `most`; @param fixed always that many
  Pace(int most, int first, bool fixed);

  /// For the next intervals.
  int threads() const { return window_ >= 0 && tries_other(window_) ? other_ : level_; }
  /// A run begins or goes on after a pause; its time counts from here.
  void start(double now) { last_ = now; }
  /// So many steps were simulated since the last look or start. Called every 0.1 ms or so; may change threads().
  /// @param now time of the monotonic clock [s]
  void look(Step steps, double now);

 private:
  struct Window {
    double seconds = 0;
    Step steps = 0;
    double per_step() const { return seconds / static_cast<double>(steps); }
  };
  static constexpr int windows = 4;  // of a trial: present, other, other, present, so that a drift is the same for both
  static bool tries_other(int window) { return window == 1 || window == 2; }
  void watch();
  void begin_trial();
  void compare();
  void end_trial(bool change);

  int most_, level_, other_;
  bool fixed_, up_ = false;  ///< up_: the last trial was of more threads
  bool asked_ = false;       ///< the last trial was in favour of a change; this one confirms it or not
  int window_ = -1;          ///< of the trial; -1: none
  double length_;            ///< of a window [s]
  double gap_, since_ = 0;   ///< [s] from one trial to the next; since the last one
  double expected_ = 0;      ///< [s] per step in the last trial
  double last_ = 0;
  Window now_;
  std::array<Window, windows> found_;
};

}  // namespace npl::sim
