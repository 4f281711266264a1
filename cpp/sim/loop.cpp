// SPDX-License-Identifier: Apache-2.0
#include "sim/loop.hpp"

#include <algorithm>

#include "base/run_error.hpp"

namespace npl::sim {
namespace {

constexpr double poll_every = 0.05;  // [s]
// How often ranks agree on a wish to stop, where nothing else needs to be agreed on.
constexpr Step intervals_per_control = 16, windows_per_control = 4;

bool any_plastic(const Slices& slices) {
  for (const auto& s : slices)
    for (const auto& p : s->pathways())
      if (p->table().spec->plasticity) return true;
  return false;
}

}  // namespace

Loop::Loop(const RunParts& parts, const RunTask& task)
    : p_(parts),
      task_(task),
      two_(parts.routes.levels.two()),
      limit_(task.until),
      now_(task.begin),
      window_from_(task.begin),
      errors_(parts.team.size()),
      memory_(parts.slices, parts.team.size(), task.budget),
      timers_(at(parts.team.size())),
      agreed_(task.agreed),
      met_(timers_.size(), task.agreed),
      polled_(seconds_now()),
      watched_(task.budget.limit > 0 ? 0.0 : polled_),
      exchange_before_(exchange_bytes()),
      before_(counted()) {
  for (const auto& s : p_.slices) s->set_emission_limit(task.budget.limit > 0 ? task.budget.limit - task.budget.fixed : 0.0);
  plastic_ = any_plastic(p_.slices);
  if (alone()) return;
  std::int64_t any = plastic_;
  p_.comm.allreduce(std::span<std::int64_t>(&any, 1), comm::Op::max);
  plastic_ = any != 0;
}

void Loop::run() {
  p_.team.run([this](int t) { thread(t); });
  if (!p_.routes.exchanger.active()) agreed_ = met_[0];
  // Another rank may have stopped this one before it looked up: a Ctrl-C that all ranks got is then raised on all of them.
  if (!alone() && now_ < task_.until && task_.poll && !stop_)
    stop_ =
        !task_.poll("simulating", static_cast<std::uint64_t>(now_ - task_.begin), static_cast<std::uint64_t>(task_.until - task_.begin));
}

/// What fails outside of the guarded parts (memory for messages, a message that makes no sense) would leave ranks waiting inside an
/// exchange.
void Loop::thread(int t) {
  try {
    steps(t);
  } catch (...) {
    p_.comm.abort(1, "in the time loop: " + text_of(std::current_exception()));
  }
}

void Loop::steps(int t) {
  int parity = 0;
  Step from = task_.begin;
  for (; goes_on(from); parity ^= 1) {
    const Step to = end_of_part(from);
    advance(t, parity, from, to);
    if (t == 0) watch(to), poll(to);
    synchronize(t);
    p_.routes.exchanger.active() ? exchange(t, parity, from, to) : schedule_own(t, parity, to);
    if (to % task_.rhythm.control == 0) adopt_scales(t, parity);
    timers_[at(t)].lap(RunPhase::schedule);
    from = to;
    if (t != 0) continue;
    now_ = to;
    if (task_.count_intervals) errors_.guard(t, to + 1, [&] { count_interval(parity, meets_all(to)); });
  }
  if (p_.routes.exchanger.active()) complete(t);
  if (from == task_.until) errors_.guard(t, from, [&] { for_own_slices(t, [&](Slice& s) { s.check_states(from); }); });
}

/// On several ranks a failure is told to all of them first, and all stop at `limit_`.
bool Loop::goes_on(Step from) const { return from < limit_.load(std::memory_order_acquire) && !(alone() && errors_.by(from)); }

/// Ranks agree only at the ends of whole intervals, so that it does not matter how a run is split; on scales where they change.
Step Loop::agreement_interval() const { return plastic_ ? task_.rhythm.control : two_ ? p_.routes.levels.window() : task_.rhythm.interval; }

/// Do all ranks exchange spikes at the end of this part?
bool Loop::meets_all(Step to) const { return !two_ || p_.routes.levels.ends_window(to) || to == task_.until; }

Step Loop::end_of_part(Step from) const {
  if (!two_) return std::min(task_.rhythm.end_of_part(from), task_.until);
  const Step control = task_.rhythm.control;
  const Step agreement = plastic_ ? (from / control + 1) * control : task_.until;
  return std::min({p_.routes.levels.end_of_part(from), agreement, task_.until});
}

/// What was emitted before this step has been scheduled when a part that begins with `from` is done.
Step Loop::settled(Step from) const {
  if (two_) return std::max(task_.begin, from / p_.routes.levels.window() * p_.routes.levels.window());
  return halved() ? from - task_.rhythm.longest_part() : from;
}

/// A thread that has failed emits nothing any more.
void Loop::advance(int t, int parity, Step from, Step to) {
  errors_.guard(t, to, [&] {
    for_own_slices(t, [&](Slice& s) {
      s.advance(from, to, parity, settled(from), timers_[at(t)]);
      if (s.diverged()) errors_.stop(to);
    });
    if (two_) {
      for_own_slices(t, [&](Slice& s) { p_.routes.levels.keep(s, parity); });
      timers_[at(t)].lap(RunPhase::collocate);
    }
    if (memory_.wanted(t)) memory_.measure(t, p_.slices);
  });
  if (!errors_.has(t)) return;
  for_own_slices(t, [&](Slice& s) {
    s.outbox(parity).clear();
    if (two_) p_.routes.levels.forget(s);
  });
}

void Loop::watch(Step to) {
  if (too_large_ || seconds_now() - watched_ < poll_every) return;
  watched_ = seconds_now();
  const auto found = memory_.look(static_cast<double>(to) * task_.resolution, std::max(0.0, exchange_bytes() - exchange_before_));
  if (!found) return;
  too_large_ = std::make_exception_ptr(*found);
  if (alone()) limit_.store(to, std::memory_order_release);
}

/// Without what other threads are writing now: spikes kept for the end of a window.
double Loop::exchange_bytes() const {
  if (!p_.routes.exchanger.active()) return 0.0;
  return static_cast<double>(p_.routes.exchanger.bytes() + (p_.routes.levels.local() ? p_.routes.levels.local()->bytes() : 0));
}

void Loop::poll(Step to) {
  if (!task_.poll || seconds_now() - polled_ < poll_every) return;
  polled_ = seconds_now();
  if (task_.poll("simulating", static_cast<std::uint64_t>(to - task_.begin), static_cast<std::uint64_t>(task_.until - task_.begin))) return;
  stop_ = true;
  if (alone()) limit_.store(to, std::memory_order_release);
}

void Loop::synchronize(int t) {
  timers_[at(t)].start();
  p_.team.barrier();
  timers_[at(t)].lap(RunPhase::wait);
}

/// Thread 0 sends and receives while the others schedule the spikes of this rank.
void Loop::exchange(int t, int parity, Step from, Step to) {
  const bool all = meets_all(to);
  if (t == 0) {
    if (two_) p_.routes.levels.exchange(p_.slices, parity, from, to);
    if (all) exchange_all(parity, from, to);
    if (to % agreement_interval() == 0) control(to, parity);
    timers_[0].lap(RunPhase::exchange);
  }
  schedule_own(t, parity, to);
  timers_[at(t)].lap(RunPhase::schedule);
  synchronize(t);
  schedule_received(t, to, all);
}

void Loop::exchange_all(int parity, Step from, Step to) {
  PhaseTimer<RunPhase>& timer = timers_[0];
  if (task_.count_intervals) p_.comm.barrier(), timer.lap(RunPhase::wait);  // tells waiting from exchange, as Hines et al. do
  p_.routes.exchanger.finish();
  timer.lap(RunPhase::exchange);
  two_ ? p_.routes.exchanger.start(p_.routes.levels.kept(), window_from_) : p_.routes.exchanger.start(p_.slices, parity, from, to);
  window_from_ = to;
  timer.lap(RunPhase::collocate);
  if (!halved()) p_.routes.exchanger.finish();
}

void Loop::schedule_own(int t, int parity, Step to) {
  errors_.guard(t, to + 1, [&] {
    for_own_slices(t, [&](Slice& s) {
      for (auto& other : p_.slices) s.schedule(other->outbox(parity));
    });
  });
}

void Loop::schedule_received(int t, Step to, bool all) {
  errors_.guard(t, to + 1, [&] {
    for_own_slices(t, [&](Slice& s) {
      if (two_) p_.routes.levels.schedule(s);
      if (all) p_.routes.exchanger.schedule(s);
      if (two_ && all) p_.routes.levels.forget(s);
    });
  });
}

Largest Loop::largest_weights(int parity) const {
  Largest largest{};
  for (auto& s : p_.slices)
    for (std::size_t r = 0; r < largest.size(); ++r) largest[r] = std::max(largest[r], s->outbox(parity).largest[r]);
  return largest;
}

/// What was met until the end of one control interval changes the scales at the end of the next one: by then all ranks know it.
void Loop::adopt_scales(int t, int parity) {
  const bool alone = !p_.routes.exchanger.active();
  const Largest known = alone ? met_[at(t)] : agreed_;
  if (alone) met_[at(t)] = largest_weights(parity);
  for_own_slices(t, [&](Slice& s) { s.rescale(known); });
}

/// Agreement of all ranks on the largest weights and on stopping, begun at the end of one interval and known at the end of the next.
/// Why a rank stops is told after the run (agree_on_end).
void Loop::control(Step to, int parity) {
  finish_control(to);
  if (!plastic_ && to / agreement_interval() % (two_ ? windows_per_control : intervals_per_control) != 0) return;
  const Largest largest = largest_weights(parity);
  std::copy(largest.begin(), largest.end(), control_.begin());
  control_.back() = stop_ || too_large_ || errors_.by(to);
  agreeing_ = true;
  request_ = p_.comm.iallreduce(std::span<double>(control_), comm::Op::max);
}

void Loop::finish_control(Step to) {
  if (!std::exchange(agreeing_, false)) return;
  p_.comm.wait(request_);
  std::copy_n(control_.begin(), max_receptors, agreed_.begin());
  if (control_.back() == 0.0) return;
  const Step window = two_ ? p_.routes.levels.window() : 1;
  limit_.store(std::min((to + window - 1) / window * window, task_.until),
               std::memory_order_release);  // what is kept has been sent by then
}

/// Brings what is still on its way when the run ends.
void Loop::complete(int t) {
  p_.team.barrier();  // others may still read what came last and what was agreed on
  if (t == 0) finish_control(now_);
  if (!halved()) return;
  if (t == 0) p_.routes.exchanger.finish();
  p_.team.barrier();
  errors_.guard(t, now_, [&] { for_own_slices(t, [&](Slice& s) { p_.routes.exchanger.schedule(s); }); });
}

RunEnd Loop::end() const {
  RunEnd end{{}, errors_.first(), too_large_, stop_};
  for (const auto& s : p_.slices)
    if (s->diverged() && (!end.diverged || s->diverged()->before(*end.diverged))) end.diverged = s->diverged();
  return end;
}

/// Times of this run and counts since the strategy was made.
Interval Loop::counted() const {
  const PhaseTimer<RunPhase>& timer = timers_[0];
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

/// What this interval took and moved, on this rank. Others may be in the next interval already, which leaves this outbox alone.
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
