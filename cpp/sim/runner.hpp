// SPDX-License-Identifier: Apache-2.0
/// build() and run(): builds tables and routes, runs the time loop.
#pragma once
#include "sim/growing.hpp"
#include "sim/loop.hpp"
#include "sim/planner.hpp"

namespace npl::sim {

/// Components that the runner uses.
struct Runnable {
  Populations& populations;
  Description& description;
  Recorders& recorders;
  Connections& connections;
  Growing& growing;
  Routes& routes;
  const Planner& planner;
};

class Runner : Part {
 public:
  Runner(Context& context, const Runnable& parts)
      : Part(context), parts_(parts), exchanger_(parts.routes.exchanger), levels_(parts.routes.levels) {}

  /// Builds the described network: tables, parts of devices, recorders, routes. Collective. Throws TooLarge when the memory of this machine
  /// does not suffice for all of its ranks, IllegalConnection, RankError when another rank has failed or its poll asked to stop (the
  /// network is then built). A build that throws has built nothing, or all but routes: the next one goes on there. Running out of memory
  /// while the routes inside groups of ranks are made (by_area) ends the job with a message.
  /// @return false when poll of this rank asked to stop
  bool build(const Poll& poll);
  /// Builds if needed, then runs. Returns the number of simulated steps, fewer if poll asked to stop. Collective. All ranks end after the
  /// same step, and throw NumericalInstability or WeightOutgrown (the same on all ranks, at a step that depends on the network only),
  /// TooLarge when recordings or in-flight spikes exhaust the memory, RankError when another rank has failed or its poll asked to stop.
  /// After NumericalInstability, WeightOutgrown or an error inside a step run throws the same error again. After TooLarge or a stop it can
  /// run on.
  Step run(Step steps, const Poll& poll);
  /// Waveform relaxation of connections without delay. The same on all ranks. Throws BadParameter.
  void set_waveform(const continuous::Waveform& waveform);
  /// Throws the error of a run after which the network can only be read.
  void check_alive() const {
    if (failed_) std::rethrow_exception(failed_);
  }
  /// Checkpoints.
  void visit(checkpoint::Archive& a);
  /// True when the whole description is built. The same on all ranks. Not collective.
  bool built() const { return routed_ && n_nodes() == routed_nodes_; }
  /// True when build has nothing to do. With several ranks never, as all must ask one another.
  bool up_to_date() const { return ranks() == 1 && !stale_; }
  /// Times and traffic of the intervals of this rank, with count_intervals.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  // building.cpp
  bool agree_on_stop(const Poll& poll, bool wanted);
  void keep_slices(Undo& undo);
  void attach();
  void prepare_slices();
  void route(SlabPool& pool);
  bool drops_sources() const;
  void make_channels();
  void check_waveform() const;
  EmulatedRanks emulated_ranks() const;
  // running.cpp
  Step run_piece(Step steps, const Poll& poll);
  Rhythm rhythm() const;
  MemoryBudget budget() const;
  void choose_pace();
  void name_times();
  void note_times(double wall) noexcept;

  Runnable parts_;
  Router& exchanger_;
  Levels& levels_;
  std::int64_t routed_nodes_ = 0;  ///< number of nodes when routes were made
  Largest agreed_largest_{};       ///< largest plastic weights of all ranks up to the last interval but one
  std::optional<Pace> pace_;       ///< made by the first run, and when there are more slices
  SliceId paced_slices_ = 0;       ///< number of slices when pace_ was made
  std::vector<double*> times_;     ///< entries of timers_ by phase
  double* run_time_ = nullptr;     ///< of all of them
  std::vector<RunClock> clocks_;   ///< by thread, of all runs
  std::vector<Interval> intervals_;
  std::exception_ptr failed_;  ///< error of a run after which the network can only be read; set on all ranks or on none
};

}  // namespace npl::sim
