// SPDX-License-Identifier: Apache-2.0
#include "base/team.hpp"

#include <chrono>

#include "base/simd.hpp"

namespace npl {
namespace {

NPL_INLINE void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

constexpr int spins_before_yield = 2000;
constexpr std::chrono::milliseconds between_calls{50};  // of `waiting`

}  // namespace

void Barrier::wait() noexcept {
  const unsigned mine = generation_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(mine + 1, std::memory_order_release);
    return;
  }
  for (int spin = 0; generation_.load(std::memory_order_acquire) == mine; ++spin)
    spin < spins_before_yield ? pause() : std::this_thread::yield();
}

Team::Team(int threads) : barrier_(threads), errors_(static_cast<std::size_t>(threads)) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { loop(t); });
}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& w : workers_) w.join();
}

void Team::guarded(int thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    errors_[static_cast<std::size_t>(thread)] = std::current_exception();
  }
}

void Team::loop(int thread) {
  unsigned seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    guarded(thread);
    std::lock_guard lock(mutex_);
    if (--running_ == 0) done_.notify_one();
  }
}

void Team::run(const std::function<void(int)>& work) { run(work, {}); }

void Team::run(const std::function<void(int)>& work, const std::function<void()>& waiting) {
  {
    std::lock_guard lock(mutex_);
    work_ = &work;
    for (auto& e : errors_) e = nullptr;
    running_ = static_cast<int>(workers_.size());
    ++round_;
  }
  wake_.notify_all();
  guarded(0);
  std::unique_lock lock(mutex_);
  const auto done = [&] { return running_ == 0; };
  while (waiting && !done_.wait_for(lock, between_calls, done)) {
    lock.unlock();
    waiting();
    lock.lock();
  }
  done_.wait(lock, done);
  for (auto& e : errors_)
    if (e) std::rethrow_exception(e);
}

}  // namespace npl
