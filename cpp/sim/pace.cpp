// SPDX-License-Identifier: Apache-2.0
#include "sim/pace.hpp"

#include <algorithm>

namespace npl::sim {
namespace {

constexpr double shortest = 0.5e-3, longest = 50e-3;   // windows [s]: a busy machine gives and takes cores for some ms
constexpr double first_gap = 1e-3;                     // [s]
constexpr double gap_windows = 64, least_windows = 8;  // from one trial to the next; when steps have changed
constexpr double enough = 4e-3;                        // short windows [s] may be as_fast by chance: a second trial must agree
constexpr double better = 0.97, far_better = 0.6, as_fast = 1.3, worse = 1.5, changed = 1.5;

}  // namespace

Pace::Pace(int most, int first, bool fixed)
    : most_(most),
      level_(fixed ? most : std::clamp(first, 1, most)),
      other_(level_),
      fixed_(fixed || most == 1),
      length_(shortest),
      gap_(first_gap) {}

void Pace::look(Step steps, double now) {
  const double seconds = now - last_;
  last_ = now;
  if (fixed_) return;
  now_.seconds += seconds, now_.steps += steps;
  if (now_.steps == 0 || now_.seconds < length_) return;
  if (window_ < 0) return watch();
  found_[static_cast<std::size_t>(window_)] = now_;
  now_ = {};
  if (window_ == 1 && found_[1].per_step() > worse * found_[0].per_step()) return end_trial(false);
  if (++window_ == windows) compare();
}

/// Between trials: the next one begins when its time has come, or when steps take much longer or shorter than in the last one.
void Pace::watch() {
  since_ += now_.seconds;
  const double ratio = expected_ > 0 ? now_.per_step() / expected_ : 1.0;
  now_ = {};
  const bool differs = ratio > changed || ratio < 1 / changed;
  if (since_ >= gap_ || (differs && since_ >= least_windows * length_)) begin_trial();
}

void Pace::begin_trial() {
  up_ = level_ == 1 || (level_ < most_ && !up_);
  other_ = up_ ? std::min(most_, 2 * level_) : level_ / 2;
  window_ = 0;
}

void Pace::compare() {
  const auto& w = found_;
  const double here = (w[0].seconds + w[3].seconds) / static_cast<double>(w[0].steps + w[3].steps);
  const double there = (w[1].seconds + w[2].seconds) / static_cast<double>(w[1].steps + w[2].steps);
  const auto differ = [](const Window& a, const Window& b) {
    return std::max(a.per_step(), b.per_step()) > as_fast * std::min(a.per_step(), b.per_step());
  };
  const bool noisy = (differ(w[0], w[3]) || differ(w[1], w[2])) && length_ < longest;
  const bool change = !noisy && there < better * here, asks = change && !asked_ && length_ < enough && there > far_better * here;
  end_trial(change && !asks);
  if (noisy) begin_trial();  // in longer windows
  if (asks) window_ = 0, asked_ = true;
}

/// The next trial is in longer windows. What this one has lost, less than a window, is little compared with the gap.
void Pace::end_trial(bool change) {
  window_ = -1, asked_ = false;
  gap_ = gap_windows * length_;
  length_ = std::min(longest, 2 * length_);
  since_ = 0;
  expected_ = found_[change ? 1 : 0].per_step();
  if (change) std::swap(level_, other_);
}

}  // namespace npl::sim
