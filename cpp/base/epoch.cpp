// SPDX-License-Identifier: Apache-2.0
#include "base/epoch.hpp"

#include "base/timers.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#endif
#include <thread>

namespace npl {

int machine_cores() {
  static const int found = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return found;
}

#if defined(__linux__)

namespace {

/// Not std::atomic::wait, whose yields give a whole time slice away on a busy machine.
long futex(const std::atomic<unsigned>& word, int operation, unsigned value, const timespec* longest = nullptr) {
  static_assert(sizeof word == 4);
  return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, longest, nullptr, 0);
}

}  // namespace

double Epoch::sleep(unsigned seen, std::chrono::nanoseconds longest) {
  const double start = seconds_now();
  const bool endless = longest == std::chrono::nanoseconds::max();
  const timespec time{endless ? 0 : longest.count() / 1'000'000'000, endless ? 0 : longest.count() % 1'000'000'000};
  asleep_.fetch_add(1);
  do futex(count_, FUTEX_WAIT, seen, endless ? nullptr : &time);
  while (endless && now() == seen);
  asleep_.fetch_sub(1);
  return seconds_now() - start;
}

void Epoch::wake() { futex(count_, FUTEX_WAKE, INT_MAX); }

#else

double Epoch::sleep(unsigned seen, std::chrono::nanoseconds longest) {
  const double start = seconds_now();
  if (longest == std::chrono::nanoseconds::max()) {
    asleep_.fetch_add(1);
    count_.wait(seen);
    asleep_.fetch_sub(1);
  } else if (now() == seen) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(longest, std::chrono::milliseconds(1)));
  }
  return seconds_now() - start;
}

void Epoch::wake() { count_.notify_all(); }

#endif

}  // namespace npl
