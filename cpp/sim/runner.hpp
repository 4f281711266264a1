// SPDX-License-Identifier: Apache-2.0
/// build() and run(): tables, routes, and the time loop.
#pragma once
#include "sim/planner.hpp"

namespace npl::sim {

/// One interval of one rank: times of thread 0 [s] and what was exchanged.
struct Interval {
  double compute, wait, collocate, exchange, deliver;
  std::uint64_t spikes, words_sent, words_received, bytes_sent, bytes_received, messages, rounds, buffer_bytes;
};

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

  /// Makes what was described: tables, devices' parts, recorders, routes. Collective. Throws TooLarge, IllegalConnection.
  void build(const Poll& poll);
  /// Builds if needed, then runs. Returns the steps done, fewer when poll stopped it. Collective.
  Step run(Step steps, const Poll& poll);
  /// Is everything that was described built? The same on all ranks. Not collective.
  bool built() const { return routed_ && n_nodes() == routed_nodes_; }
  /// What the intervals of this rank took, with count_intervals.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  class Loop;
  // building.cpp
  void prepare_slices();
  void route(SlabPool& pool);
  EmulatedRanks emulated_ranks() const;
  // running.cpp
  Step interval() const;          ///< steps between two exchanges of spikes
  Step control_interval() const;  ///< steps between two changes of scales
  bool halved() const;            ///< does an interval have two parts, A and B?
  Step longest_part() const;      ///< of an interval [steps]
  Step end_of_part(Step from) const;
  exchange::Counts exchanged() const { return parts_.routes.counts(); }
  void add_run_timers(const std::vector<PhaseTimer<RunPhase>>& timers, double wall);
  int threads() const { return settings_.threads; }

  Runnable parts_;
  Router& exchanger_;
  Levels& levels_;
  std::int64_t routed_nodes_ = 0;  ///< nodes there were when routes were made
  Step now_ = 0;                   ///< steps done while threads run
  Largest agreed_largest_{};       ///< plastic weights met up to the last interval but one, of all ranks
  std::vector<Interval> intervals_;
};

}  // namespace npl::sim
