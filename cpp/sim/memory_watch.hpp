// SPDX-License-Identifier: Apache-2.0
/// Memory that grows while a network runs: recordings and spikes in flight. It is looked at now and then, so that a run ends with an error
/// that names what grew, before the machine swaps or the system ends the process.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/router.hpp"

namespace npl::sim {

struct MemoryBudget {
  double limit = 0;        ///< most bytes that the network may take on this rank; 0: what the machine has
  double fixed = 0;        ///< bytes of the network that do not grow in a run (tables, neurons, ...); used with a limit
  int ranks_on_node = 1;   ///< ranks that take from the memory of this machine
  bool by_machine = true;  ///< stop before the machine's memory is used up
};

/// Measures the slices of each thread when thread 0 asks for it. Sizes are those of the last look but one: vectors grow by doubling, and
/// their next doubling is counted as needed, so that nothing is found too late.
class MemoryWatch {
 public:
  /// Measures all slices. Before the threads start.
  MemoryWatch(const Slices& slices, int threads, const MemoryBudget& budget);

  /// Thread 0: judges what was measured since the last call, and asks all threads to measure again.
  /// @param now [ms] @param exchange bytes by which buffers for other ranks have grown in this run
  /// @return the error that should end the run
  std::optional<TooLarge> look(double now, double exchange);
  /// Thread `thread`, for a slice of its own that has done its steps: does something only when thread 0 has asked since.
  bool wanted(int thread) const { return asked_.load(std::memory_order_relaxed) != parts_[static_cast<std::size_t>(thread)].measured; }
  /// Measures the slices of a thread, which must rest.
  void measure(int thread, const Slices& slices);

  /// Bytes of all that grows in slices that rest.
  static double growing_bytes(const Slices& slices);

 private:
  struct Part {
    unsigned measured = 0;      ///< request that was answered last; of the thread itself
    std::mutex mutex;           ///< of what follows
    std::vector<double> bytes;  ///< spike recorders, state recorders, recorded weights, spikes in flight, traces
    double reserve = 0;         ///< bytes that vectors will ask for soon, as they double
  };
  void add(Slice& slice, std::vector<double>& bytes, double& reserve) const;
  std::string name(std::size_t kind) const;
  std::vector<double> sums(double* reserve);

  MemoryBudget budget_;
  std::size_t spike_recorders_, state_recorders_;
  std::vector<Part> parts_;  ///< by thread
  std::atomic<unsigned> asked_{0};
};

}  // namespace npl::sim
