// SPDX-License-Identifier: Apache-2.0
/// Consistency check of collective calls: before such a call the ranks compare that all of them make it, have described the same network
/// and have not failed, so that no rank waits for ever (law 6).
#pragma once
#include <cstdint>
#include <exception>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/reserve.hpp"
#include "checkpoint/archive.hpp"
#include "comm/guarded.hpp"

namespace npl::sim {

/// Raised on every rank when the ranks have diverged: one failed, ended, or made another call.
struct RankError : Error {
  using Error::Error;
};

/// Whether this is std::bad_alloc.
bool is_out_of_memory(const std::exception_ptr& error);

/// Progress of a network; the same on all ranks.
struct Progress {
  std::int64_t nodes = 0;        ///< created; gids are 1 .. nodes
  std::int64_t projections = 0;  ///< connect calls, including those of devices
  Step step = 0;                 ///< simulated steps
};

class Agreement {
 public:
  /// @param ranks number of ranks of the network; 1: agree() compares nothing
  /// @param progress must outlive this object
  Agreement(comm::Guarded& comm, int ranks, const Progress& progress) : comm_(comm), ranks_(ranks), progress_(progress) {}

  /// Adds a call to the fingerprint of the description, which agree() compares. Not collective.
  void note(std::uint64_t what);
  /// Forgets what was noted since described() returned this. Not collective.
  void forget(std::uint64_t described) noexcept { described_ = described; }
  std::uint64_t described() const { return described_; }
  /// For messages and runs, which must not stop in the middle. agree() fills it.
  Reserve& reserve() const { return reserve_; }
  /// Checkpoints.
  void visit(checkpoint::Archive& a) { a("described", described_); }
  /// Collective. Throws RankError on all ranks when they make different calls, have described different networks or give different
  /// arguments, or when another rank reports an error. A rank with an error of its own throws that, with two exceptions: where ranks give
  /// the same arguments, all throw the error of the first rank that refuses them, or of the node with the lowest gid (first_refusal.hpp);
  /// where one of several ranks has run out of memory, all throw the same RankError.
  /// @param call name of the collective call
  /// @param error of this rank; null: none
  /// @param arguments fingerprint of the arguments that must be the same on all ranks; 0: they are not compared
  void agree(const char* call, std::exception_ptr error = nullptr, std::uint64_t arguments = 0) const;
  /// Collective. Runs f, which may fail on some ranks only, then calls agree() with its error.
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
  /// Collective. Runs f, which may use the communicator and may fail on some ranks anywhere: then all ranks leave it at their next
  /// collective operation, and throw as agree(). @param f what it has changed must be undone by the caller
  template <class F>
  void throughout(const char* call, F&& f) const {
    std::exception_ptr error;
    bool well = true;
    {
      comm::Guarded::Section section(comm_);
      try {
        f(), section.end();
      } catch (const comm::OtherRankFailed&) {
        well = false;
      } catch (...) {
        well = false, error = std::current_exception();
        section.fail();
      }
    }
    if (!well) agree(call, error);
  }

 private:
  void throw_alike(const std::exception_ptr& error, std::int64_t failed) const;
  void compare(const char* call, const std::exception_ptr& error, Gid refused, std::uint64_t arguments) const;

  std::exception_ptr fill_reserve() const noexcept;

  comm::Guarded& comm_;
  mutable Reserve reserve_;
  int ranks_;
  const Progress& progress_;
  std::uint64_t described_ = 0;  ///< fingerprint of all calls that described the network
};

/// Announces the end of this process: ranks that wait in a collective call throw RankError instead of waiting for ever. Collective.
void leave(comm::Communicator& comm);

}  // namespace npl::sim
