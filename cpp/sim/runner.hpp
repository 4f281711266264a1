// SPDX-License-Identifier: Apache-2.0
/// build() and run(): tables, routes, and the time loop.
#pragma once
#include "sim/loop.hpp"
#include "sim/planner.hpp"

namespace npl::sim {

/// The components that the runner builds and runs.
struct Runnable {
  Populations& populations;
  Description& description;
  Recorders& recorders;
  Connections& connections;
  Routes& routes;
  const Planner& planner;
};

class Runner : Part {
 public:
  Runner(Context& context, const Runnable& parts)
      : Part(context), parts_(parts), exchanger_(parts.routes.exchanger), levels_(parts.routes.levels) {}

  /// Makes what was described: tables, devices' parts, recorders, routes. Collective. Throws TooLarge when the need of all ranks of this
  /// machine does not fit, IllegalConnection, RankError when another rank failed or its poll asked to stop; what was described is built then.
  /// Memory that runs out while routes are made ends the job with a message.
  /// @return false when poll of this rank asked to stop
  bool build(const Poll& poll);
  /// Builds if needed, then runs. Returns the steps done, fewer when poll stopped it. Collective. All ranks end after the same step, and throw
  /// NumericalInstability (on all ranks), TooLarge where recordings or spikes in flight have used up the memory, RankError when another rank
  /// failed or its poll asked to stop. After NumericalInstability, and after an error in a step, the network can only be read: run throws the
  /// same again. After TooLarge and stops it can run on.
  Step run(Step steps, const Poll& poll);
  /// Is everything that was described built? The same on all ranks. Not collective.
  bool built() const { return routed_ && n_nodes() == routed_nodes_; }
  /// What the intervals of this rank took, with count_intervals.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  // building.cpp
  bool agree_on_stop(const Poll& poll, bool wanted);
  void prepare_slices();
  void route(SlabPool& pool);
  EmulatedRanks emulated_ranks() const;
  // running.cpp
  Rhythm rhythm() const;
  MemoryBudget budget() const;
  void add_run_timers(const std::vector<PhaseTimer<RunPhase>>& timers, double wall);

  Runnable parts_;
  Router& exchanger_;
  Levels& levels_;
  std::int64_t routed_nodes_ = 0;  ///< nodes there were when routes were made
  Largest agreed_largest_{};       ///< plastic weights met up to the last interval but one, of all ranks
  std::vector<Interval> intervals_;
  std::exception_ptr failed_;  ///< of a run after which the network can only be read. On all ranks or on none
};

}  // namespace npl::sim
