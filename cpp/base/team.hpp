// SPDX-License-Identifier: Apache-2.0
/// One team of threads for the life of a network. The caller is thread 0. Works when there are more threads than cores.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/epoch.hpp"

namespace npl {

/// `threads` - 1 worker threads and the thread that calls run() or lead(). One caller at a time.
class Team {
 public:
  /// @param threads >= 1. Throws std::system_error when the system gives no more threads.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  /// Calls work(thread) on every thread, work(0) on the caller's, and returns when all calls have returned. If some threw, the exception of
  /// the lowest thread is thrown again.
  void run(const std::function<void(int)>& work);
  /// The same; after its own share the caller's thread calls waiting() about every 50 ms until the others are done. So a long piece of work
  /// can be watched (signals, a progress bar) from the thread that must do that, while thread 0 stays the same thread: what it fills lies
  /// near it. waiting() must not throw.
  void run(const std::function<void(int)>& work, const std::function<void()>& waiting);

  /// Calls lead() on the caller's thread. Inside, call_helpers() has all other threads call help(thread), each when it gets to it; lead
  /// must not depend on their coming, and see to it that they return when it has. Nobody waits for a thread that comes too late: it does
  /// not call help any more. Neither may throw.
  void lead(const std::function<void()>& lead, const std::function<void(int)>& help);
  void call_helpers();
  /// Of a thread of the team.
  SpinBudget& spin_budget(int thread) { return per_thread_[static_cast<std::size_t>(thread)].spin_budget; }

 private:
  // Bits of call_state_: number of the call, whether threads may no longer enter it, and how many are in it.
  static constexpr std::uint64_t inside = (std::uint64_t{1} << 31) - 1, closed = std::uint64_t{1} << 31, one_call = std::uint64_t{1} << 32;
  struct alignas(64) PerThread {
    SpinBudget spin_budget, between;  ///< inside of work; until the next call
  };
  void loop(int thread);
  void guarded(int thread);
  void call(const std::function<void(int)>& work);
  void open();
  void close();
  void leave();

  std::vector<PerThread> per_thread_;
  std::vector<std::exception_ptr> errors_;
  const std::function<void(int)>* work_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> call_state_{closed};
  Epoch calls_, left_;
  std::atomic<int> missing_{0};  ///< threads that must still do their share of run()
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace npl
