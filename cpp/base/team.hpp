// SPDX-License-Identifier: Apache-2.0
/// One team of threads for the life of a network. The caller is thread 0. Works when there are more threads than cores.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace npl {

/// Sense-reversing barrier: spins briefly, then yields, so that a descheduled partner costs a time slice and not a deadlock.
class Barrier {
 public:
  explicit Barrier(int members) : members_(members) {}
  void wait() noexcept;

 private:
  const int members_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> generation_{0};
};

/// `threads` - 1 worker threads and the thread that calls run().
class Team {
 public:
  /// @param threads >= 1. Throws std::system_error when the system gives no more threads.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  /// Calls work(thread) on every thread, work(0) on the caller's, and returns when all calls have returned. If some threw, the exception of
  /// the lowest thread is thrown again. Work that uses barrier() must not throw between barriers.
  void run(const std::function<void(int)>& work);
  /// The same; after its own share the caller's thread calls waiting() about every 50 ms until the others are done. So a long piece of work
  /// can be watched (signals, a progress bar) from the thread that must do that, while thread 0 stays the same thread: what it fills lies
  /// near it. waiting() must not throw.
  void run(const std::function<void(int)>& work, const std::function<void()>& waiting);
  /// Waits for all threads of the team; only within work.
  void barrier() noexcept { barrier_.wait(); }

 private:
  void loop(int thread);
  void guarded(int thread);

  Barrier barrier_;
  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> errors_;
  const std::function<void(int)>* work_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  unsigned round_ = 0;
  int running_ = 0;
  bool stop_ = false;
};

}  // namespace npl
