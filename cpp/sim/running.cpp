// SPDX-License-Identifier: Apache-2.0
/// run(): preparation and agreement of ranks before and after the time loop (loop.hpp).
#include <algorithm>
#include <functional>

#include "comm/collect.hpp"
#include "sim/archive_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/runner.hpp"

namespace npl::sim {

namespace {

/// Tells the progress of a run that is made in pieces. Passed by reference: a copy would need memory.
struct Shift {
  const Poll& poll;
  std::uint64_t done, steps;
  bool operator()(const char* phase, std::uint64_t n, std::uint64_t total) const {
    return phase == std::string_view("simulating") ? poll(phase, n + done, steps) : poll(phase, n, total);
  }
};

}  // namespace

Rhythm Runner::rhythm() const {
  Delay shortest = parts_.description.min_delay();
  bool halves = settings_.exchange.halves && exchanger_.active();
  if (parts_.description.specs().has_no_delay()) {  // parts are the same for any number of ranks: results depend on them
    const Step whole = std::clamp<Step>(std::llround(waveform_.interval / settings_.resolution), 1, longest_delay);
    const Step longest = waveform_.used ? std::max<Step>(1, whole / continuous::Channels::windows) : 1;
    shortest = static_cast<Delay>(shortest ? std::min<Step>(shortest, longest) : longest), halves = false;
  }
  return {shortest, parts_.description.max_delay(), halves};
}

MemoryBudget Runner::budget() const {
  const double limit = settings_.memory_limit;
  const double fixed = limit > 0 ? static_cast<double>(parts_.planner.memory().at("total")) - MemoryWatch::growing_bytes(slices_) : 0.0;
  return {limit, fixed, comm_->ranks_on_node(), !settings_.force};
}

/// Small networks begin with one thread: most of them stay with it. Networks that learn by e-prop begin with all: most of their work is
/// in a few steps, which short trials miss.
void Runner::choose_pace() {
  constexpr std::int64_t worth_a_team = 4096, learning_for_a_team = 4096;  // nodes, such synapses of this rank
  std::int64_t learning = 0;
  for (const auto& s : slices_)
    for (const auto& p : s->pathways())
      if (const auto& rule = p->table().spec->plasticity; rule && rule->catches_up())
        learning += static_cast<std::int64_t>(p->table().n_synapses());
  const bool large = n_nodes() / ranks() >= worth_a_team || learning >= learning_for_a_team;
  const int most = std::min<int>(team_.size(), n_slices());  // a thread without a slice waits
  const int first = large ? std::min(most, machine_cores()) : 1;
  clocks_.resize(static_cast<std::size_t>(team_.size()));
  paced_slices_ = n_slices();
  pace_.emplace(most, first, !settings_.adaptive_threads);
}

Step Runner::run(Step steps, const Poll& poll) {
  together(
      "run",
      [&] {
        check_alive();
        check_waveform();  // here and not in build(), so that what cannot run can be saved
        if (steps < 0) throw BadParameter("steps", static_cast<double>(steps), "at least 0");
        if (steps > INT32_MAX - step_)
          throw BadParameter("steps", static_cast<double>(steps), "such that the network stays below 2^31 steps");
      },
      fingerprint_of(steps));
  const Step first = step_, end = step_ + steps;
  if (parts_.growing.next(first) >= end) return run_piece(steps, poll);
  while (step_ < end) {
    if (!build(poll) && ranks() > 1) break;  // the other ranks throw RankError
    if (parts_.growing.next(step_) == step_) stale_ = true, parts_.growing.update();
    const Step until = std::min(end, parts_.growing.next(step_ + 1)), done = step_ - first;
    const Shift shift{poll, static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(steps)};
    if (run_piece(until - step_, poll ? Poll(std::cref(shift)) : Poll()) < until - first - done) break;
  }
  return step_ - first;
}

/// Runs with the structure that there is; as run().
Step Runner::run_piece(Step steps, const Poll& poll) {
  if (!build(poll) && ranks() > 1) return 0;  // the other ranks throw RankError
  const double start = seconds_now();
  const Step first = step_;
  RunVerdict verdict;
  std::optional<Loop> loop;
  agreement_.throughout("run", [&] {
    agreement_.reserve().fill();
    if (!pace_ || paced_slices_ != n_slices()) choose_pace();
    if (times_.empty()) name_times();
    loop.emplace(RunParts{slices_, parts_.routes, team_, *comm_, *pace_, clocks_, agreement_.reserve()},
                 RunTask{first, first + steps, settings_.resolution, rhythm(), agreed_largest_, settings_.count_intervals, budget(), poll});
  });
  const Reserve::Scope scope(agreement_.reserve());
  or_abort("in a run", [&] {
    loop->run();
    RunEnd end = loop->end();
    step_ = loop->reached();
    agreed_largest_ = loop->agreed();
    try {
      intervals_.insert(intervals_.end(), loop->intervals().begin(), loop->intervals().end());
    } catch (...) {
      end.error = std::current_exception();
    }
    note_times(seconds_now() - start);
    verdict = agree_on_end(*comm_, end, "run", settings_.resolution);
  });
  if (verdict.spoiled) failed_ = verdict.error;
  if (verdict.error) std::rethrow_exception(verdict.error);
  return step_ - first;
}

void Runner::visit(checkpoint::Archive& a) { visit_per_receptor(a, "agreed_largest", agreed_largest_); }

void Runner::name_times() {
  static constexpr const char* names[] = {"run_deliver",  "run_devices", "run_update",    "run_record",
                                          "run_schedule", "run_wait",    "run_collocate", "run_exchange"};
  run_time_ = &timers_["run"];
  std::vector<double*> times;
  for (const char* name : names) times.push_back(&timers_[name]);
  times_ = std::move(times);
}

void Runner::note_times(double wall) noexcept {
  for (std::size_t k = 0; k < times_.size(); ++k) {
    double sum = 0;
    for (const RunClock& c : clocks_) sum += c[static_cast<RunPhase>(k)];
    *times_[k] = sum / team_.size();
  }
  *run_time_ += wall;
}

}  // namespace npl::sim
