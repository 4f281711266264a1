// SPDX-License-Identifier: Apache-2.0
#include "sim/loop.hpp"

#include <algorithm>
#include <tuple>

#include "base/run_error.hpp"

namespace npl::sim {
namespace {

constexpr double look_every = 1e-4;  // [s]
constexpr int most_parts = 256;      // between two looks

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
      alone_(parts.comm.size() == 1),
      two_(parts.routes.levels.two()),
      iterates_(parts.routes.channels.iterates()),
      limit_(task.until),
      rounds_(parts.slices.size() + 1),
      active_(parts.pace.threads()),
      now_(task.begin),
      ends_(task.begin),
      looked_at_(task.begin),
      window_from_(task.begin),
      errors_(parts.slices.size()),
      memory_(parts.slices, task.budget),
      agreed_(task.agreed),
      met_(task.agreed),
      polled_(seconds_now()),
      watched_(polled_),
      looked_(polled_),
      exchange_before_(exchange_bytes()) {
  const std::size_t receptors = p_.slices[0]->largest().size();
  agreed_.resize(receptors), met_.resize(receptors), known_.resize(receptors), control_.resize(receptors + 2);
  for (const auto& s : p_.slices) s->set_emission_limit(task.budget.limit > 0 ? task.budget.limit - task.budget.fixed : 0.0);
  if (task_.count_intervals) before_ = counted();
  plastic_ = any_plastic(p_.slices);
  if (alone()) return;
  std::int64_t any = plastic_;
  p_.comm.allreduce(std::span<std::int64_t>(&any, 1), comm::Op::max);
  plastic_ = any != 0;
}

void Loop::run() {
  p_.pace.start(seconds_now());
  p_.team.lead([this] { lead(); }, [this](int t) { help(t); });
  p_.pace.look(now_ - looked_at_, seconds_now());
  for (const auto& s : p_.slices) s->release_diverged();
  note_lack_of_memory();
  if (alone()) agreed_ = met_;
  // Another rank may have stopped this one before its next poll: poll once more, so that a Ctrl-C sent to all ranks is raised on all of
  // them.
  if (!alone() && now_ < task_.until && task_.poll && !stop_)
    stop_ =
        !task_.poll("simulating", static_cast<std::uint64_t>(now_ - task_.begin), static_cast<std::uint64_t>(task_.until - task_.begin));
}

// --- stages

void Loop::next_stage() {
  if (stage_.kind == Stage::last) {
    stage_.kind = Stage::over;
    return;
  }
  if (stage_.kind == Stage::trial && !alone()) {
    stage_.kind = Stage::share;
    return;
  }
  if (stage_.kind == Stage::trial || stage_.kind == Stage::share) return end_iteration();
  if (stage_.kind == Stage::part) {
    now_ = stage_.to;
    look();
    if (!alone()) {
      stage_.kind = Stage::meet;
      return;
    }
  }
  arrive();
}

/// The part is simulated for good when its iterations agree.
void Loop::end_iteration() {
  stage_.first = false;
  stage_.kind = p_.routes.channels.end_iteration() ? Stage::part : Stage::trial;
}

/// The spikes of a part are there for all slices.
void Loop::arrive() {
  const Step to = stage_.to;
  const int parity = stage_.parity;
  stage_.received = true;
  stage_.before = parity;
  stage_.all = meets_all(to);
  stage_.rescale = to % task_.rhythm.control == 0;
  // The largest weights at the end of one control interval change the scales at the end of the next one, when all ranks know them.
  if (stage_.rescale) {
    known_ = alone() ? met_ : agreed_;
    if (alone()) largest_weights(parity, met_);
  }
  begin_part(to);
}

void Loop::begin_part(Step from) {
  stage_.kind = goes_on(from) ? Stage::part : Stage::last;
  stage_.from = from;
  stage_.to = stage_.kind == Stage::part ? end_of_part(from) : from;
  stage_.parity ^= 1;
  if (iterates_ && stage_.kind == Stage::part) stage_.kind = Stage::trial, stage_.first = true;
  if (stage_.kind != Stage::last && p_.routes.channels.any()) p_.routes.channels.begin(stage_.from, stage_.to);
  ends_.store(stage_.to, std::memory_order_relaxed);
}

/// Has the pace measured, and takes the number of threads from it.
void Loop::look() {
  if (--until_look_ > 0) return;
  const double now = seconds_now(), taken = now - looked_;
  if (taken < look_every / 2) looks_every_ = std::min(most_parts, 2 * looks_every_);
  if (taken > 2 * look_every) looks_every_ = std::max(1, looks_every_ / 2);
  until_look_ = looks_every_;
  p_.pace.look(now_ - looked_at_, now);
  looked_ = now, looked_at_ = now_;
  const int before = active_.exchange(p_.pace.threads());
  if (before < active_) p_.team.call_helpers();
}

void Loop::open_round() {
  const std::size_t n = p_.slices.size();
  const bool one_thread = active_ == 1, over = stage_.kind == Stage::over;
  if (one_thread || over)
    for (std::size_t s = 0; s < n; ++s) rounds_.withhold(s);
  if (over || !(one_thread || first_thread_wanted())) rounds_.withhold(n);
  if (over) over_ = true;
  rounds_.open();
}

/// With several ranks, a failure is first sent to all ranks, and all stop at `limit_`.
bool Loop::goes_on(Step from) const { return from < limit_.load(std::memory_order_acquire) && !(alone() && errors_.by(from)); }

void Loop::end_by(Step step) {
  Step known = limit_.load();
  while (step < known && !limit_.compare_exchange_weak(known, step)) {}
}

/// The run ends at a step that is the same for any layout; with several ranks when all know it.
void Loop::note_diverged(const Slice& s) {
  if (!s.diverged()) return;
  const Step stamp = s.diverged()->stamp;
  Step known = diverged_.load();
  while (stamp < known && !diverged_.compare_exchange_weak(known, stamp)) {}
  if (alone()) end_by(task_.rhythm.end_after(stamp));
}

/// Ranks agree only at the ends of whole intervals, so that results do not depend on how a run is split; with plastic synapses at the steps
/// where scales may change.
bool Loop::agrees(Step to) const {
  if (to % task_.rhythm.agreement == 0) return true;
  return to % (plastic_ ? task_.rhythm.control : two_ ? p_.routes.levels.window() : task_.rhythm.interval) == 0;
}

/// True when all ranks exchange spikes at the end of this part.
bool Loop::meets_all(Step to) const { return !two_ || p_.routes.levels.ends_window(to) || to == limit_; }

Step Loop::end_of_part(Step from) const {
  if (!two_) return std::min(task_.rhythm.end_of_part(from), task_.until);
  const Step often = plastic_ ? task_.rhythm.control : task_.rhythm.agreement;
  return std::min({p_.routes.levels.end_of_part(from), (from / often + 1) * often, task_.until});
}

/// All spikes emitted before this step have been scheduled when the part that begins at `from` is simulated.
Step Loop::settled(Step from) const {
  if (two_) return std::max(task_.begin, from / p_.routes.levels.window() * p_.routes.levels.window());
  return halved() ? from - task_.rhythm.longest_part() : from;
}

// --- threads

/// A failure outside of the guarded parts (memory for messages, an invalid message) ends the job, because other ranks would wait in an
/// exchange.
template <class F>
void Loop::or_end_the_job(F&& f) {
  try {
    f();
  } catch (...) {
    p_.comm.abort(1, "in the time loop: " + text_of(std::current_exception()));
  }
}

void Loop::lead() {
  or_end_the_job([&] {
    p_.clocks[0].start();
    if (task_.budget.limit > 0) watch();  // a run without any room left ends at once
    stage_.parity = 1;
    begin_part(task_.begin);
    if (active_ > 1) p_.team.call_helpers();
    open_round();
    while (!over_) {
      const unsigned round = rounds_.number();
      take_tasks(0, round);
      watch_and_poll();
      wait(0, round);
    }
    complete();
  });
}

void Loop::help(int t) {
  const Reserve::Scope scope(p_.reserve);
  or_end_the_job([&] {
    p_.clocks[at(t)].start();
    for (;;) {
      const unsigned round = rounds_.number();
      if (over_ || t >= active_) break;
      take_tasks(t, round);
      wait(t, round);
    }
    p_.clocks[at(t)].work_ends();
  });
}

void Loop::wait(int t, unsigned round) {
  if (rounds_.number() != round || over_) return;
  RunClock& clock = p_.clocks[at(t)];
  clock.work_ends();
  rounds_.wait(round, p_.team.spin_budget(t));
  clock.lap_always(RunPhase::wait);
}

/// A thread may read the stage inside of a task only: until the task is done the stage cannot change.
void Loop::take_tasks(int t, unsigned round) {
  const std::size_t n = p_.slices.size(), threads = at(p_.team.size());
  if (t == 0 && rounds_.claim(n, round)) {
    if (active_ == 1) {
      alone_for_a_while();
      rounds_.done();
      return open_round();
    }
    first_thread();
    task_done();
  }
  const auto take = [&](std::size_t s) {
    if (!rounds_.claim(s, round)) return;
    work(t, *p_.slices[s]);
    task_done();
  };
  for (std::size_t s = at(t); s < n; s += threads) take(s);
  for (std::size_t s = 0; s < n; ++s)
    if (s % threads != at(t)) take(s);
}

void Loop::task_done() {
  if (!rounds_.done()) return;
  next_stage();
  open_round();
}

/// Thread 0, until the pace calls for more threads or the run is over.
void Loop::alone_for_a_while() {
  while (stage_.kind != Stage::over && active_ == 1) {
    if (first_thread_wanted()) first_thread();
    for (auto& s : p_.slices) work(0, *s);
    watch_and_poll();
    next_stage();
  }
}

bool Loop::first_thread_wanted() const {
  if (stage_.kind == Stage::meet || stage_.kind == Stage::share) return true;
  return task_.count_intervals && stage_.received && stage_.kind != Stage::trial;
}

void Loop::first_thread() {
  if (stage_.kind == Stage::meet) return exchange();
  if (stage_.kind == Stage::share) return p_.routes.channels.share(stage_.from, stage_.to);
  p_.clocks[0].work_ends();
  errors_.guard(p_.slices.size(), stage_.from + 1, [&] { count_interval(stage_.before, stage_.all); });
}

// --- slices

void Loop::work(int t, Slice& s) {
  RunClock& clock = p_.clocks[at(t)];
  clock.begin_piece();
  if (stage_.kind == Stage::meet) {
    schedule_own(s, stage_.parity);
    clock.lap(RunPhase::schedule);
  } else if (stage_.kind == Stage::trial) {
    iterate(s, clock);
  } else if (stage_.kind != Stage::share) {
    if (!(iterates_ && stage_.kind == Stage::part)) receive(s, clock);
    if (stage_.kind == Stage::part) advance(s, clock);
    if (stage_.kind == Stage::last && stage_.to == task_.until) errors_.guard(s.id(), stage_.to, [&] { s.check_states(stage_.to); });
  }
  clock.end_piece();
}

void Loop::receive(Slice& s, RunClock& clock) {
  if (!stage_.received) return;
  alone() ? schedule_own(s, stage_.before) : schedule_received(s);
  if (stage_.rescale) s.rescale(known_);
  clock.lap(RunPhase::schedule);
}

void Loop::iterate(Slice& s, RunClock& clock) {
  const Step from = stage_.from, to = stage_.to;
  if (stage_.first) receive(s, clock);
  errors_.guard(s.id(), to, [&] {
    if (stage_.first) s.gather(from, to, clock);
    s.iterate(from, to);
  });
  clock.lap(RunPhase::update);
}

/// A slice that has failed emits no more spikes.
void Loop::advance(Slice& s, RunClock& clock) {
  const Step from = stage_.from, to = stage_.to;
  const auto parity = stage_.parity;
  errors_.guard(s.id(), to, [&] {
    s.advance(from, to, parity, settled(from), clock);
    note_diverged(s);
    if (two_) p_.routes.levels.keep(s, parity), clock.lap(RunPhase::collocate);
    if (memory_.wanted(s.id())) memory_.measure(s);
  });
  if (!errors_.has(s.id())) return;
  s.outbox(parity).clear();
  if (two_) p_.routes.levels.forget(s);
}

void Loop::schedule_own(Slice& s, int parity) {
  errors_.guard(s.id(), now_ + 1, [&] {
    for (auto& other : p_.slices)
      if (const Outbox& out = other->outbox(parity); !out.spikes.empty()) s.schedule(out);
  });
}

void Loop::schedule_received(Slice& s) {
  errors_.guard(s.id(), now_ + 1, [&] {
    if (two_) p_.routes.levels.schedule(s);
    if (stage_.all) p_.routes.exchanger.schedule(s);
    if (two_ && stage_.all) p_.routes.levels.forget(s);
  });
}

/// Allocates nothing: a failure here would end the job.
void Loop::largest_weights(int parity, std::span<double> largest) const {
  std::fill(largest.begin(), largest.end(), 0.0);
  for (auto& s : p_.slices)
    for (std::size_t r = 0; r < largest.size(); ++r) largest[r] = std::max(largest[r], s->outbox(parity).largest[r]);
}

RunEnd Loop::end() const {
  RunEnd end{{}, errors_.first(), too_large_, stop_};
  for (const auto& s : p_.slices)
    if (s->diverged() && (!end.diverged || s->diverged()->before(*end.diverged))) end.diverged = s->diverged();
  return end;
}

}  // namespace npl::sim
