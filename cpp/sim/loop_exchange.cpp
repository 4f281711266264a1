// SPDX-License-Identifier: Apache-2.0
/// What thread 0 does in the time loop: exchange with other ranks, agreement on scales and on stopping, watching memory, polling.
#include <algorithm>
#include <new>

#include "base/run_error.hpp"
#include "sim/loop.hpp"

namespace npl::sim {
namespace {

constexpr double most_steps = 0x1p31;  // of a network

}  // namespace

/// Memory has run out, but the reserve has replaced it: the run ends at the end of a step.
void Loop::note_lack_of_memory() {
  if (too_large_ || !p_.reserve.used()) return;
  too_large_ = std::make_exception_ptr(std::bad_alloc());
  if (alone()) limit_.store(task_.begin, std::memory_order_release);
}

void Loop::watch_and_poll() {
  if (p_.reserve.used()) note_lack_of_memory();
  const double now = p_.clocks[0].last();
  if (now - watched_ >= poll_every) watched_ = now, watch();
  if (now - polled_ >= poll_every) polled_ = now, poll();
}

void Loop::watch() {
  if (too_large_) return;
  const Step to = ends_.load(std::memory_order_relaxed);
  const auto found = memory_.look(static_cast<double>(to) * task_.resolution, std::max(0.0, exchange_bytes() - exchange_before_));
  if (!found) return;
  too_large_ = std::make_exception_ptr(*found);
  if (alone()) end_by(task_.begin);
}

void Loop::poll() {
  if (!task_.poll) return;
  const Step to = ends_.load(std::memory_order_relaxed);
  if (task_.poll("simulating", static_cast<std::uint64_t>(to - task_.begin), static_cast<std::uint64_t>(task_.until - task_.begin))) return;
  stop_ = true;
  if (alone()) end_by(task_.begin);
}

/// Growth of the exchange buffers; excludes spikes kept for the end of a window, which other threads may be writing.
double Loop::exchange_bytes() const {
  if (!p_.routes.exchanger.active()) return 0.0;
  return static_cast<double>(p_.routes.exchanger.bytes() + (p_.routes.levels.local() ? p_.routes.levels.local()->bytes() : 0));
}

void Loop::exchange() {
  RunClock& clock = p_.clocks[0];
  clock.work_ends();
  const bool agreeing = agrees(stage_.to);
  if (agreeing) finish_control(stage_.to);  // the part may turn out to be the last one, after which all ranks exchange
  if (two_) p_.routes.levels.exchange(p_.slices, stage_.parity, stage_.from, stage_.to);
  if (meets_all(stage_.to)) exchange_all();
  if (p_.routes.channels.any()) p_.routes.channels.exchange(stage_.from, stage_.to);
  if (agreeing) control(stage_.to, stage_.parity);
  clock.lap_always(RunPhase::exchange);
}

void Loop::exchange_all() {
  RunClock& clock = p_.clocks[0];
  if (task_.count_intervals)
    p_.comm.barrier(), clock.lap_always(RunPhase::wait);  // separates waiting from exchange in the timers, as Hines et al. 2011
  receive_from_all();
  clock.lap_always(RunPhase::exchange);
  two_ ? p_.routes.exchanger.start(p_.routes.levels.kept(), window_from_)
       : p_.routes.exchanger.start(p_.slices, stage_.parity, stage_.from, stage_.to);
  window_from_ = stage_.to;
  clock.lap_always(RunPhase::collocate);
  if (!halved()) receive_from_all();
}

/// Without memory to read the spikes this rank goes on without them, so that no other rank waits for it until the run ends.
void Loop::receive_from_all() {
  p_.routes.exchanger.receive();
  errors_.guard(p_.slices.size(), stage_.to, [&] { p_.routes.exchanger.read(); });
}

/// Starts the reduction of the largest weights, of requests to stop and of the time at which something has diverged; it is completed the
/// next time that ranks agree. The reason for a stop is exchanged after the run (agree_on_end).
void Loop::control(Step to, int parity) {
  if (!plastic_ && to % task_.rhythm.agreement != 0) return;
  largest_weights(parity, std::span(control_).first(known_.size()));
  control_[known_.size()] = stop_ || too_large_ || errors_.by(to);
  control_.back() = -static_cast<double>(diverged_);
  agreeing_ = true;
  request_ = p_.comm.iallreduce(std::span<double>(control_), comm::Op::max);
}

void Loop::finish_control(Step to) {
  if (!std::exchange(agreeing_, false)) return;
  p_.comm.wait(request_);
  std::copy_n(control_.begin(), agreed_.size(), agreed_.begin());
  if (const double stamp = -control_.back(); stamp < most_steps) end_by(task_.rhythm.end_after(static_cast<Step>(stamp)));
  if (control_[known_.size()] == 0.0) return;
  const Step window = two_ ? p_.routes.levels.window() : 1;
  end_by((to + window - 1) / window * window);  // kept spikes have been sent by then
}

/// Completes the pending exchange at the end of a run.
void Loop::complete() {
  if (alone()) return;
  finish_control(now_);
  if (!halved()) return;
  receive_from_all();
  for (auto& s : p_.slices) errors_.guard(s->id(), now_, [&] { p_.routes.exchanger.schedule(*s); });
}

/// Times of this run and counts since the strategy was made.
Interval Loop::counted() const {
  const RunClock& timer = p_.clocks[0];
  const exchange::Counts c = p_.routes.counts();
  const double computing = timer[RunPhase::deliver] + timer[RunPhase::devices] + timer[RunPhase::update] + timer[RunPhase::record];
  return {computing,
          timer[RunPhase::wait],
          timer[RunPhase::collocate],
          timer[RunPhase::exchange],
          timer[RunPhase::schedule],
          0,
          c.words_sent,
          c.words_received,
          c.bytes_sent,
          c.bytes_received,
          c.messages,
          c.rounds,
          c.buffer_bytes};
}

/// Times and traffic of this interval on this rank. Other threads may be in the next interval already, which uses the other outbox.
void Loop::count_interval(int parity, bool ends) {
  for (const auto& s : p_.slices) spikes_ += s->outbox(parity).spikes.size();
  if (!ends) return;
  Interval now = counted();
  now.spikes = std::exchange(spikes_, 0);
  intervals_.push_back({now.compute - before_.compute, now.wait - before_.wait, now.collocate - before_.collocate,
                        now.exchange - before_.exchange, now.deliver - before_.deliver, now.spikes, now.words_sent - before_.words_sent,
                        now.words_received - before_.words_received, now.bytes_sent - before_.bytes_sent,
                        now.bytes_received - before_.bytes_received, now.messages - before_.messages, now.rounds - before_.rounds,
                        now.buffer_bytes});
  before_ = now;
}

}  // namespace npl::sim
