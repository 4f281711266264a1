// SPDX-License-Identifier: Apache-2.0
/// How a run ends: what the threads of a rank note while it goes on, and what all ranks agree on afterwards.
/// No thread may leave the loop alone: others would wait for it at the next barrier or exchange. A thread that fails therefore notes its
/// error and goes on to meet the others, without work, until all end the run after the same step.
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

  /// Runs f unless this thread has failed before. What f throws is noted.
  /// @param due end of the part of the run by which the threads next meet, or later [step]: all threads then see the error alike
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
  /// The run is to end, for a reason that is known elsewhere. Any thread.
  void stop(Step due) noexcept;
  bool has(int thread) const { return errors_[static_cast<std::size_t>(thread)] != nullptr; }
  /// Is the run to end after the part that ends with `step`? All threads that have met at the end of that part get the same answer.
  bool by(Step step) const { return due_.load(std::memory_order_acquire) <= step; }
  /// Error of the lowest thread that failed, null for none. After the run.
  std::exception_ptr first() const;

 private:
  std::vector<std::exception_ptr> errors_;  ///< by thread
  std::atomic<Step> due_{INT64_MAX};
};

/// How a run ended on this rank.
struct RunEnd {
  std::optional<Diverged> diverged = {};
  std::exception_ptr error = {};      ///< a thread failed: the state of the network is that of no step
  std::exception_ptr too_large = {};  ///< the watch on memory stopped the run at the end of a step: the network is whole
  bool stopped = false;               ///< this rank's Poll asked for it
};

/// What all ranks make of it.
struct RunVerdict {
  std::exception_ptr error;  ///< to be raised on this rank; null: none
  bool spoiled = false;      ///< on some rank the network is in no valid state: it can be read, and run no more. The same on all ranks
};

/// Collective when comm has several ranks. Most important first: a diverged neuron (the same NumericalInstability on all ranks), a failed
/// thread or memory (own error where it happened, RankError with its text elsewhere), a wish to stop (RankError on ranks that had none).
/// @param what the call that ends: "run", "build" @param resolution [ms]
RunVerdict agree_on_end(comm::Communicator& comm, const RunEnd& mine, const char* what, double resolution);

}  // namespace npl::sim
