// SPDX-License-Identifier: Apache-2.0
/// Ends of runs: errors of threads during a run, and the agreement of all ranks afterwards.
/// No thread may leave the loop alone, because others would wait for it at the next barrier or exchange. A thread that fails stores its
/// error and continues with the barriers, without work, until all threads end the run after the same step.
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

/// Errors of the threads of one rank during a run.
class RunErrors {
 public:
  explicit RunErrors(int threads) : errors_(static_cast<std::size_t>(threads)) {}

  /// Runs f unless this thread has failed before; stores its exception.
  /// @param due step of the next barrier of the threads, or a later one: from there on all threads see the error
  template <class F>
  void guard(int thread, Step due, F&& f) noexcept {
    if (has(thread)) return;
    try {
      f();
    } catch (...) {
      errors_[static_cast<std::size_t>(thread)] = std::current_exception();
      stop(due);
    }
  }
  /// Ends the run at step `due`, without an error. Any thread.
  void stop(Step due) noexcept;
  bool has(int thread) const { return errors_[static_cast<std::size_t>(thread)] != nullptr; }
  /// True when the run ends at `step`. The same for all threads after the barrier at that step.
  bool by(Step step) const { return due_.load(std::memory_order_acquire) <= step; }
  /// Error of the first thread that has one, or null. Call after the run.
  std::exception_ptr first() const;

 private:
  std::vector<std::exception_ptr> errors_;  ///< by thread
  std::atomic<Step> due_{INT64_MAX};
};

/// How a run ended on this rank.
struct RunEnd {
  std::optional<Diverged> diverged = {};
  std::exception_ptr error = {};      ///< a thread failed inside a step: the state of the network is inconsistent
  std::exception_ptr too_large = {};  ///< the memory watch ended the run at the end of a step: the network is consistent
  bool stopped = false;               ///< the Poll of this rank asked to stop
};

/// Common outcome of a run.
struct RunVerdict {
  std::exception_ptr error;  ///< to be raised on this rank; null: none
  bool spoiled = false;      ///< some rank is inconsistent: the network can be read but not run any more. The same on all ranks
};

/// Collective with several ranks. In order of priority: a diverged neuron (the same NumericalInstability on all ranks), a failed thread or
/// exhausted memory (the error on its rank, RankError with its text elsewhere), a request to stop (RankError on the other ranks).
/// @param what the call that ends: "run", "build"; @param resolution [ms]
RunVerdict agree_on_end(comm::Communicator& comm, const RunEnd& mine, const char* what, double resolution);

}  // namespace npl::sim
