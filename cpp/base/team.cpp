// SPDX-License-Identifier: Apache-2.0
#include "base/team.hpp"

namespace npl {
namespace {

constexpr std::chrono::milliseconds between_calls{50};  // of `waiting`

}  // namespace

Team::Team(int threads) : seats_(static_cast<std::size_t>(threads)), errors_(static_cast<std::size_t>(threads)) {
  if (threads > static_cast<int>(std::thread::hardware_concurrency()))
    for (Seat& s : seats_) s.patience = s.between = Patience(0);
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

/// A thread enters by adding itself to the door; so it learns at once which call that is, and the caller that it is inside.
void Team::loop(int thread) {
  std::uint64_t done = 0;
  for (;;) {
    const unsigned heard = calls_.now();
    if (stop_) return;
    const std::uint64_t door = door_.fetch_add(1);
    const bool wanted = !(door & closed) && door / one_call != done;
    if (wanted) {
      done = door / one_call;
      guarded(thread);
      if (missing_.load() > 0) missing_.fetch_sub(1);
    }
    leave();
    if (!wanted) calls_.wait(heard, seats_[static_cast<std::size_t>(thread)].between);
  }
}

void Team::leave() {
  const std::uint64_t door = door_.fetch_sub(1) - 1;
  if ((door & inside) == 0) left_.advance();
}

void Team::open() {
  std::uint64_t door = door_.load();
  while (!door_.compare_exchange_weak(door, (door & ~closed) + one_call)) {}
  calls_.advance();
}

/// Returns when nobody is inside.
void Team::close() {
  door_.fetch_or(closed);
  for (;;) {
    const unsigned heard = left_.now();
    if ((door_.load() & inside) == 0) return;
    left_.wait(heard, patience(0));
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
      left_.wait(heard, patience(0));
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
