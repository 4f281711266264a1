// SPDX-License-Identifier: Apache-2.0
/// Ranks agree before a collective call that they all make it, have described the same network and have not failed, so that none is left
/// waiting (law 6).
#pragma once
#include <cstdint>
#include <exception>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "comm/communicator.hpp"

namespace npl::sim {

/// Raised on every rank when ranks no longer do the same: one failed, ended, or called something else.
struct RankError : Error {
  using Error::Error;
};

/// How far a network has come; the same on all ranks.
struct Progress {
  std::int64_t nodes = 0;        ///< created; gids are 1 .. nodes
  std::int64_t projections = 0;  ///< connect calls, those of devices included
  Step step = 0;                 ///< steps done
};

class Agreement {
 public:
  /// @param ranks of the network; 1: nothing is ever compared
  /// @param progress outlives this object
  Agreement(comm::Communicator& comm, int ranks, const Progress& progress) : comm_(comm), ranks_(ranks), progress_(progress) {}

  /// Adds a call to the fingerprint of the description. All ranks must note the same calls in the same order. Not collective.
  void note(std::uint64_t what);
  /// Collective. Throws RankError on all ranks when they are in different calls, have described different networks, or give different
  /// arguments, or when another rank brings an error; throws the rank's own error if it has one.
  /// @param call name of the collective call
  /// @param error what this rank has to report; null: nothing
  /// @param arguments fingerprint of those that must be the same on all ranks
  void agree(const char* call, std::exception_ptr error = nullptr, std::uint64_t arguments = 0) const;
  /// Collective. Runs f, the part of a call that may fail on one rank only, then agrees on how it went. Errors as of `agree`.
  template <class F>
  void together(const char* call, F&& f, std::uint64_t arguments = 0) const {
    std::exception_ptr error;
    try {
      f();
    } catch (...) {
      error = std::current_exception();
    }
    agree(call, error, arguments);
  }

 private:
  void compare(const char* call, const std::exception_ptr& error, std::uint64_t arguments) const;

  comm::Communicator& comm_;
  int ranks_;
  const Progress& progress_;
  std::uint64_t described_ = 0;  ///< fingerprint of all calls that described the network
};

/// At the end of a process: ranks that are in a collective call learn that this rank has ended, instead of waiting for it. Collective.
void leave(comm::Communicator& comm);

}  // namespace npl::sim
