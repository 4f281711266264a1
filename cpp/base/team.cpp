// SPDX-License-Identifier: Apache-2.0
#include "base/team.hpp"

namespace npl {
namespace {

constexpr std::chrono::milliseconds between_calls{50};  // of `waiting`

}  // namespace

Team::Team(int threads) : per_thread_(static_cast<std::size_t>(threads)), errors_(static_cast<std::size_t>(threads)) {
  if (threads > machine_cores())
    for (PerThread& s : per_thread_) s.spin_budget = s.between = SpinBudget(0);
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { loop(t); });
}

Team::~Team() {
  stop_ = true;
  calls_.advance();
  for (auto& w : workers_) w.join();
}

void Team::guarded(int thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    errors_[static_cast<std::size_t>(thread)] = std::current_exception();
  }
}

/// A thread adds itself to call_state_: so it learns which call is open, and the caller learns that it is inside, in one operation.
void Team::loop(int thread) {
  std::uint64_t done = 0;
  for (;;) {
    const unsigned heard = calls_.now();
    if (stop_) return;
    const std::uint64_t state = call_state_.fetch_add(1);
    const bool wanted = !(state & closed) && state / one_call != done;
    if (wanted) {
      done = state / one_call;
      guarded(thread);
      if (missing_.load() > 0) missing_.fetch_sub(1);
    }
    leave();
    if (!wanted) calls_.wait(heard, per_thread_[static_cast<std::size_t>(thread)].between);
  }
}

void Team::leave() {
  const std::uint64_t state = call_state_.fetch_sub(1) - 1;
  if ((state & inside) == 0) left_.advance();
}

void Team::open() {
  std::uint64_t state = call_state_.load();
  while (!call_state_.compare_exchange_weak(state, (state & ~closed) + one_call)) {}
  calls_.advance();
}

/// Returns when nobody is inside.
void Team::close() {
  call_state_.fetch_or(closed);
  for (;;) {
    const unsigned heard = left_.now();
    if ((call_state_.load() & inside) == 0) return;
    left_.wait(heard, spin_budget(0));
  }
}

void Team::run(const std::function<void(int)>& work) { run(work, {}); }

void Team::run(const std::function<void(int)>& work, const std::function<void()>& waiting) {
  work_ = &work;
  for (auto& e : errors_) e = nullptr;
  missing_ = static_cast<int>(workers_.size());
  if (!workers_.empty()) open();
  guarded(0);
  for (;;) {
    const unsigned heard = left_.now();
    if (missing_.load() == 0) break;
    if (!waiting) {
      left_.wait(heard, spin_budget(0));
      continue;
    }
    left_.wait_for(heard, between_calls);
    if (missing_.load() > 0) waiting();
  }
  if (!workers_.empty()) close();
  for (auto& e : errors_)
    if (e) std::rethrow_exception(e);
}

void Team::lead(const std::function<void()>& lead, const std::function<void(int)>& help) {
  work_ = &help;
  lead();
  close();
  for (auto& e : errors_)
    if (e) std::rethrow_exception(e);
}

void Team::call_helpers() {
  if (!workers_.empty()) open();
}

}  // namespace npl
