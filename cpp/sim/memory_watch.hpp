// SPDX-License-Identifier: Apache-2.0
/// Watches memory that grows during a run (recordings, in-flight spikes), so that a run that needs too much ends with an error that names
/// what grew, before the machine swaps or the system kills the process.
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
  double limit = 0;        ///< upper bound of the bytes of the network on this rank; 0: none
  double fixed = 0;        ///< bytes that do not grow during a run (tables, neurons, ...); used with a limit
  int ranks_on_node = 1;   ///< ranks that share the memory of this machine
  bool by_machine = true;  ///< also stop before the memory of the machine is exhausted
};

/// Slices are measured between steps on request of thread 0, which judges the sizes at its next look. This delay is safe because the next
/// doubling of every growing vector is counted as needed.
class MemoryWatch {
 public:
  /// With a limit, measures all slices. Call before the threads start.
  MemoryWatch(const Slices& slices, const MemoryBudget& budget);

  /// Thread 0: judges the sizes measured since the last call and requests new measurements.
  /// @param now simulated time [ms]; @param exchange growth of the exchange buffers in this run [bytes]
  /// @return the error with which the run should end, if any
  std::optional<TooLarge> look(double now, double exchange);
  /// True when thread 0 has requested a measurement that was not made yet.
  bool wanted(std::size_t slice) const { return asked_.load(std::memory_order_relaxed) != parts_[slice].measured; }
  /// Measures a slice, between steps.
  void measure(Slice& slice);

  /// Bytes of everything that grows, between steps.
  static double growing_bytes(const Slices& slices);

 private:
  struct Part {
    unsigned measured = 0;  ///< number of the last request answered; used by who has the slice
    std::mutex mutex;       ///< protects the following
    std::vector<double>
        bytes;  ///< [kinds(); empty: not measured yet] spike recorders, state recorders, recorded weights, bins, in-flight spikes, traces
    double reserve = 0;  ///< bytes of the next doubling of the vectors
  };
  std::size_t kinds() const { return spike_recorders_ + state_recorders_ + 4; }
  void add(Slice& slice, std::vector<double>& bytes, double& reserve) const;
  std::string name(std::size_t kind) const;
  std::vector<double> sums(double* reserve);

  MemoryBudget budget_;
  std::size_t spike_recorders_, state_recorders_;
  std::vector<Part> parts_;  ///< by slice
  std::atomic<unsigned> asked_{0};
};

}  // namespace npl::sim
