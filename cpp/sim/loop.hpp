// SPDX-License-Identifier: Apache-2.0
/// The time loop of one run. An interval is at most the minimal delay long; within it slices are independent. After it spikes are
/// exchanged: between the threads of a rank through shared memory, between ranks by a strategy. With groups of ranks (levels.hpp) a part of
/// a window is at most the minimal delay of the group long, and all ranks exchange at the end of the window and of the run.
/// The slices of a stage of the loop are done by whichever thread comes first (rounds.hpp), each thread beginning with its own. A stretch
/// that one thread does alone (pace.hpp) has no rounds.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "base/reserve.hpp"
#include "base/rounds.hpp"
#include "base/team.hpp"
#include "sim/memory_watch.hpp"
#include "sim/pace.hpp"
#include "sim/rhythm.hpp"
#include "sim/routes.hpp"
#include "sim/run_end.hpp"
#include "sim/settings.hpp"

namespace npl::sim {

/// One interval of one rank: times of thread 0 [s] and what was exchanged. `deliver` is of the spikes of the interval before.
struct Interval {
  double compute, wait, collocate, exchange, deliver;
  std::uint64_t spikes, words_sent, words_received, bytes_sent, bytes_received, messages, rounds, buffer_bytes;
};

/// Objects that a run works on; they must outlive the loop.
struct RunParts {
  Slices& slices;
  Routes& routes;
  Team& team;
  comm::Communicator& comm;
  Pace& pace;
  std::vector<RunClock>& clocks;  ///< by thread; add up over runs
  Reserve& reserve;               ///< filled; once it is used the run ends
};

/// Parameters of a run; the same on all ranks except `poll` and `budget`.
struct RunTask {
  Step begin, until;
  double resolution;  ///< [ms]
  Rhythm rhythm;
  const Largest& agreed;         ///< largest plastic weights exchanged by the ranks in earlier runs
  bool count_intervals = false;  ///< record times and traffic of every interval
  MemoryBudget budget{};
  const Poll& poll;  ///< may be empty
};

/// One run of all threads of this rank. Thread 0 is the caller; it calls poll and the communicator.
class Loop {
 public:
  /// Collective.
  Loop(const RunParts& parts, const RunTask& task);

  /// Collective. Runs to the end, or to a common step if a rank has failed or wants to stop. Does not throw; end() holds the errors. A
  /// failure that would leave other ranks waiting in an exchange ends the job with a message.
  void run();

  // --- after run
  Step reached() const { return now_; }  ///< first step not simulated; the same on all ranks
  RunEnd end() const;
  /// RunTask::agreed of the next run.
  const Largest& agreed() const { return agreed_; }
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  /// What slices do until all have done it.
  struct Stage {
    enum Kind {
      trial,  ///< an iteration of a part that is repeated; the first one receives the spikes of the part before
      share,  ///< nothing, while thread 0 exchanges what the iteration has found
      part,   ///< receive the spikes of the part before, then simulate a part
      meet,   ///< receive the spikes of this rank, while thread 0 exchanges those of others
      last,   ///< receive the spikes of the last part
      over
    };
    Kind kind = part;
    bool first = false;     ///< (trial) the first iteration
    Step from = 0, to = 0;  ///< the part that is, or was just, simulated
    int parity = 0;         ///< its outbox
    int before = 0;         ///< outbox of the part before
    bool received = false;  ///< spikes of the part before have arrived, and must be scheduled
    bool all = true;        ///< they are of all ranks
    bool rescale = false;   ///< scales change when they have been scheduled
  };

  // --- stages: by one thread, while no slice is at work
  void next_stage();
  void arrive();
  void end_iteration();
  void begin_part(Step from);
  void look();
  void open_round();
  bool goes_on(Step from) const;
  void end_by(Step step);
  void note_diverged(const Slice& s);
  Step end_of_part(Step from) const;
  Step settled(Step from) const;
  bool agrees(Step to) const;
  bool meets_all(Step to) const;
  void largest_weights(int parity, std::span<double> largest) const;

  // --- threads
  template <class F>
  void or_end_the_job(F&& f);
  void lead();
  void help(int t);
  void wait(int t, unsigned round);
  void take_tasks(int t, unsigned round);
  void task_done();
  void alone_for_a_while();
  bool first_thread_wanted() const;
  void first_thread();

  // --- slices
  void work(int t, Slice& s);
  void receive(Slice& s, RunClock& clock);
  void iterate(Slice& s, RunClock& clock);
  void advance(Slice& s, RunClock& clock);
  void schedule_own(Slice& s, int parity);
  void schedule_received(Slice& s);

  // --- thread 0 (loop_exchange.cpp)
  void watch_and_poll();
  void note_lack_of_memory();
  void watch();
  void poll();
  double exchange_bytes() const;
  void exchange();
  void exchange_all();
  void receive_from_all();
  void control(Step to, int parity);
  void finish_control(Step to);
  void complete();
  Interval counted() const;
  void count_interval(int parity, bool ends);

  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }
  bool alone() const { return alone_; }
  bool halved() const { return task_.rhythm.halved; }

  const RunParts p_;
  const RunTask task_;
  const bool alone_;                       ///< there is one rank
  const bool two_;                         ///< exchange on two levels
  const bool iterates_;                    ///< parts are repeated (waveform relaxation)
  bool plastic_ = false;                   ///< some rank has plastic synapses
  std::atomic<Step> limit_;                ///< last possible end of the run
  std::atomic<Step> diverged_{INT64_MAX};  ///< first stamp at which something of this rank has diverged
  Stage stage_;                            ///< changes while no slice is at work
  Rounds rounds_;                          ///< tasks: slices, then thread 0's
  std::atomic<int> active_;                ///< threads that take part
  std::atomic<bool> over_{false};
  std::atomic<Step> now_;                 ///< first step not simulated
  std::atomic<Step> ends_;                ///< end of the part that is simulated
  Step looked_at_;                        ///< `now_` at the last look at the clock
  int until_look_ = 1, looks_every_ = 1;  ///< [parts]
  Step window_from_;                      ///< spikes before this step were sent to all ranks
  RunErrors errors_;                      ///< by slice, then of thread 0
  MemoryWatch memory_;
  std::exception_ptr too_large_;
  Largest agreed_;               ///< largest plastic weights of all ranks up to the last interval but one
  Largest met_, known_;          ///< of the last control interval, with one rank only; those that scales are for
  std::vector<double> control_;  ///< message of the reduction: largest weights; 1 to stop; -diverged_
  comm::Request request_ = 0;
  bool stop_ = false, agreeing_ = false;
  double polled_, watched_;  ///< time of the last poll and of the last memory check [s]
  double looked_;            ///< time of the last look at the clock [s]
  double exchange_before_;   ///< bytes of the exchange buffers at the start of the run
  Interval before_{};
  std::uint64_t spikes_ = 0;  ///< of the current interval
  std::vector<Interval> intervals_;
};

}  // namespace npl::sim
