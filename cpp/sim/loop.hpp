// SPDX-License-Identifier: Apache-2.0
/// The time loop of one run. An interval is at most the minimal delay long; within it slices are independent. After it spikes are
/// exchanged: between the threads of a rank through shared memory, between ranks by a strategy. With groups of ranks (levels.hpp) a part of a
/// window is at most the minimal delay of the group long, and all ranks exchange at the end of the window and of the run.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "base/team.hpp"
#include "base/timers.hpp"
#include "sim/memory_watch.hpp"
#include "sim/rhythm.hpp"
#include "sim/routes.hpp"
#include "sim/run_end.hpp"
#include "sim/settings.hpp"

namespace npl::sim {

/// One interval of one rank: times of thread 0 [s] and what was exchanged.
struct Interval {
  double compute, wait, collocate, exchange, deliver;
  std::uint64_t spikes, words_sent, words_received, bytes_sent, bytes_received, messages, rounds, buffer_bytes;
};

/// What a run works on. All of it outlives the loop.
struct RunParts {
  Slices& slices;
  Routes& routes;
  Team& team;
  comm::Communicator& comm;
};

/// What a run is to do; the same on all ranks but for `poll` and `budget`.
struct RunTask {
  Step begin, until;
  double resolution;  ///< [ms]
  Rhythm rhythm;
  Largest agreed{};              ///< largest plastic weights that the ranks have agreed on in earlier runs
  bool count_intervals = false;  ///< keep what every interval took and moved
  MemoryBudget budget{};
  const Poll& poll;  ///< may be empty
};

/// One run of all threads of this rank. Thread 0 is the caller: it polls and talks to the other ranks.
class Loop {
 public:
  /// Collective.
  Loop(const RunParts& parts, const RunTask& task);

  /// Collective. Runs to the end, or to the step on which all ranks agreed because one wants to stop or has failed. Does not throw: what
  /// went wrong is in `end()`. Where a failure would leave other ranks waiting in an exchange, it ends the job with a message.
  void run();

  // --- after run
  Step reached() const { return now_; }  ///< steps before it are done; the same on all ranks
  RunEnd end() const;
  /// For the next run.
  const Largest& agreed() const { return agreed_; }
  const std::vector<PhaseTimer<RunPhase>>& timers() const { return timers_; }  ///< by thread
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  void thread(int t);
  void steps(int t);
  bool goes_on(Step from) const;
  Step end_of_part(Step from) const;
  Step settled(Step from) const;
  Step agreement_interval() const;
  bool meets_all(Step to) const;
  void advance(int t, int parity, Step from, Step to);
  void watch(Step to);
  double exchange_bytes() const;
  void poll(Step to);
  void synchronize(int t);
  void exchange(int t, int parity, Step from, Step to);
  void exchange_all(int parity, Step from, Step to);
  void schedule_own(int t, int parity, Step to);
  void schedule_received(int t, Step to, bool all);
  Largest largest_weights(int parity) const;
  void adopt_scales(int t, int parity);
  void control(Step to, int parity);
  void finish_control(Step to);
  void complete(int t);
  Interval counted() const;
  void count_interval(int parity, bool ends);

  template <class F>
  void for_own_slices(int thread, F&& f) const {
    for (std::size_t s = at(thread); s < p_.slices.size(); s += at(p_.team.size())) f(*p_.slices[s]);
  }
  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }
  bool alone() const { return p_.comm.size() == 1; }
  bool halved() const { return task_.rhythm.halved; }

  const RunParts p_;
  const RunTask task_;
  const bool two_;           ///< exchange on two levels
  bool plastic_ = false;     ///< has any rank plastic synapses?
  std::atomic<Step> limit_;  ///< the run ends with this step at the latest
  Step now_;                 ///< steps before it are done; of thread 0
  Step window_from_;         ///< spikes before this step have gone to all ranks
  RunErrors errors_;
  MemoryWatch memory_;
  std::exception_ptr too_large_;
  std::vector<PhaseTimer<RunPhase>> timers_;
  Largest agreed_;                                   ///< plastic weights met up to the last interval but one, of all ranks
  std::vector<Largest> met_;                         ///< by thread, of the last interval; where there is one rank only
  std::array<double, max_receptors + 1> control_{};  ///< largest weights; wish to stop
  comm::Request request_ = 0;
  bool stop_ = false, agreeing_ = false;
  double polled_, watched_;  ///< when thread 0 did it last [s]
  double exchange_before_;   ///< bytes of the buffers for other ranks when the run began
  Interval before_;
  std::uint64_t spikes_ = 0;  ///< of the interval that is counted now
  std::vector<Interval> intervals_;
};

}  // namespace npl::sim
