// SPDX-License-Identifier: Apache-2.0
/// run(): the time loop. An interval is at most the minimal delay long; within it slices are independent, after it spikes are exchanged.
#include <algorithm>

#include "sim/network.hpp"

namespace npl::sim {
namespace {

constexpr Step interval_without_connections = 16;
constexpr double poll_every = 0.05;  // [s]

}  // namespace

/// The part of one thread. Thread 0 is the caller: it polls, and its wish to stop is seen by all at the same interval.
void Network::run_thread(int thread, Step until, const Poll& poll, std::atomic<Step>& limit, PhaseTimer<RunPhase>& timer) {
  const Step length = min_delay_ ? min_delay_ : interval_without_connections;
  double polled = seconds_now();
  int parity = 0;
  for (Step from = step_; from < limit.load(std::memory_order_acquire); parity ^= 1) {
    // Intervals end at multiples of their length, and scales change only there, so that it does not matter how a run is split.
    const Step to = std::min((from / length + 1) * length, until);
    for_own_slices(thread, [&](Slice& s) { s.advance(from, to, parity, timer); });
    if (thread == 0 && poll && seconds_now() - polled > poll_every) {
      polled = seconds_now();
      if (!poll("simulating", static_cast<std::uint64_t>(to - step_), static_cast<std::uint64_t>(until - step_))) limit.store(to, std::memory_order_release);
    }
    timer.start();
    team_.barrier();
    timer.lap(RunPhase::wait);
    Largest largest{};
    for (auto& other : slices_)
      for (std::size_t r = 0; r < largest.size(); ++r) largest[r] = std::max(largest[r], other->outbox(parity).largest[r]);
    for_own_slices(thread, [&](Slice& s) {
      if (to % length == 0) s.rescale(largest);
      for (auto& other : slices_) s.schedule(other->outbox(parity).spikes);
    });
    timer.lap(RunPhase::schedule);
    from = to;
    if (thread == 0) now_ = to;
  }
}

Step Network::run(Step steps, const Poll& poll) {
  if (steps < 0) throw BadParameter("steps", static_cast<double>(steps), "at least 0");
  if (steps > INT32_MAX - step_) throw BadParameter("steps", static_cast<double>(steps), "such that the network stays below 2^31 steps");
  build(poll);
  const double start = seconds_now();
  const Step first = step_, until = step_ + steps;
  std::atomic<Step> limit{until};
  std::vector<PhaseTimer<RunPhase>> timers(static_cast<std::size_t>(team_.size()));
  now_ = first;
  team_.run([&](int thread) { run_thread(thread, until, poll, limit, timers[static_cast<std::size_t>(thread)]); });
  step_ = now_;
  add_run_timers(timers, seconds_now() - start);
  return step_ - first;
}

void Network::add_run_timers(const std::vector<PhaseTimer<RunPhase>>& timers, double wall) {
  static constexpr const char* names[] = {"run_deliver", "run_devices", "run_update", "run_record", "run_schedule", "run_wait"};
  for (std::size_t k = 0; k < static_cast<std::size_t>(RunPhase::count_); ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<RunPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
  timers_["run"] += wall;
}

}  // namespace npl::sim
