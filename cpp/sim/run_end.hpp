// SPDX-License-Identifier: Apache-2.0
/// Ends of runs: errors of threads during a run, and the agreement of all ranks afterwards.
/// No thread may leave the loop alone, because others would wait for it at the next exchange. Neurons and synapses that diverge are noted;
/// the run goes on to a step that follows from the time of the first of them alone (Rhythm::end_after), so everything that can be seen
/// afterwards is the same for any layout (law 1). A slice that fails otherwise (memory) has its error stored and is left alone from then
/// on, until all threads end the run after the same step.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/run_error.hpp"
#include "comm/communicator.hpp"
#include "sim/agreement.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

/// Errors of the slices of one rank during a run, and of what thread 0 does beside them.
class RunErrors {
 public:
  explicit RunErrors(std::size_t slices) : errors_(slices + 1) {}

  /// Runs f unless it has failed for this slice before; stores its exception. @param slice number of slices: of thread 0
  /// @param due step of the end of this part, or a later one: from there on all threads see the error
  template <class F>
  void guard(std::size_t slice, Step due, F&& f) noexcept {
    if (has(slice)) return;
    try {
      f();
    } catch (...) {
      errors_[slice] = std::current_exception();
      stop(due);
    }
  }
  bool has(std::size_t slice) const { return errors_[slice] != nullptr; }
  /// True when the run ends at `step`, once all slices have come there.
  bool by(Step step) const { return due_.load(std::memory_order_acquire) <= step; }
  /// Error of the first slice that has one, or null. Call after the run.
  std::exception_ptr first() const;

 private:
  void stop(Step due) noexcept;

  std::vector<std::exception_ptr> errors_;  ///< by slice
  std::atomic<Step> due_{INT64_MAX};
};

/// How a run ended on this rank.
struct RunEnd {
  std::optional<Diverged> diverged = {};
  std::exception_ptr error = {};      ///< a slice failed inside a step: the state of the network is inconsistent
  std::exception_ptr too_large = {};  ///< the memory watch ended the run at the end of a step: the network is consistent
  bool stopped = false;               ///< the Poll of this rank asked to stop
};

/// Common outcome of a run.
struct RunVerdict {
  std::exception_ptr error;  ///< to be raised on this rank; null: none
  bool spoiled = false;      ///< some rank is inconsistent: the network can be read but not run any more. The same on all ranks
};

/// Collective with several ranks. In order of priority: a diverged neuron or synapse (the same error on all ranks), a failed thread or
/// exhausted memory (the error on its rank, RankError with its text elsewhere), a request to stop (RankError on the other ranks).
/// @param what the call that ends: "run", "build"; @param resolution [ms]
RunVerdict agree_on_end(comm::Communicator& comm, const RunEnd& mine, const char* what, double resolution);

}  // namespace npl::sim
