// SPDX-License-Identifier: Apache-2.0
/// Threads that wait for one another: every call reaches every thread once, every task of a round is done once, whoever is late.
#include <gtest/gtest.h>

#include <numeric>

#include "base/rounds.hpp"
#include "base/team.hpp"

namespace npl::test_team {
namespace {

TEST(Epoch, WakesAllThatWait) {
  Epoch epoch;
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      SpinBudget spin_budget;
      epoch.wait(0, spin_budget);
      ++woken;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the spins are over
  EXPECT_EQ(woken, 0);
  epoch.advance();
  for (auto& t : threads) t.join();
  EXPECT_EQ(woken, 3);
  epoch.wait_for(epoch.now(), std::chrono::milliseconds(1));
}

TEST(SpinBudget, IsShortAfterLongSleepsAndLongAfterShortOnes) {
  SpinBudget spin_budget;
  const int first = spin_budget.spins();
  for (int i = 0; i < 20; ++i) spin_budget.note_sleep(5e-3);
  const int least = spin_budget.spins();
  EXPECT_LT(least, first / 10);
  EXPECT_GT(least, 0);
  for (int i = 0; i < 20; ++i) spin_budget.note_sleep(1e-5);
  EXPECT_GT(spin_budget.spins(), first);
}

TEST(Team, EveryCallReachesEveryThreadOnce) {
  Team team(4);
  std::vector<int> calls(4);
  for (int k = 0; k < 500; ++k) team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  for (int n : calls) EXPECT_EQ(n, 500);
}

TEST(Team, HelpersThatComeTooLateAreNotWaitedFor) {
  Team team(4);
  for (int k = 0; k < 500; ++k) {
    std::vector<int> data(4);  // gone after this turn: a late helper must not touch it
    std::atomic<bool> over{false};
    std::atomic<int> inside{0};
    team.lead(
        [&] {
          team.call_helpers();
          if (k % 3 == 0) std::this_thread::yield();
          if (k % 7 == 0) team.call_helpers();  // again, also for those that have come
          data[0] = 1;
          over = true;
        },
        [&](int thread) {
          ++inside;
          while (!over) pause_briefly();
          data[static_cast<std::size_t>(thread)] = 1;
          --inside;
        });
    EXPECT_EQ(inside, 0);
    if (k % 5 == 0) team.run([](int) {});
  }
}

TEST(Team, WithoutACallOfHelpersTheLeaderIsAlone) {
  Team team(3);
  std::atomic<int> helped{0};
  for (int k = 0; k < 100; ++k) team.lead([] {}, [&](int) { ++helped; });
  EXPECT_EQ(helped, 0);
}

/// Rounds of tasks that each add to a sum that only the task's owner of the round may touch.
struct Sums {
  static constexpr std::size_t tasks = 5;
  Rounds rounds{tasks + 1};
  std::vector<long> sums = std::vector<long>(tasks);
  long between = 0, firsts = 0;
  unsigned left = 0;
  std::atomic<bool> over{false};

  void open() {
    if (--left == 0) over = true;
    if (over)
      for (std::size_t k = 0; k < tasks; ++k) rounds.withhold(k);
    if (over || left % 3) rounds.withhold(tasks);
    rounds.open();
  }
  void done() {
    if (!rounds.done()) return;
    ++between;
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), between * static_cast<long>(tasks));
    open();
  }
  void take(int thread) {
    while (!over) {
      const unsigned round = rounds.number();
      if (thread == 0 && rounds.claim(tasks, round)) ++firsts, done();
      for (std::size_t k = 0; k < tasks; ++k)
        if (rounds.claim(k, round)) ++sums[k], done();
      SpinBudget spin_budget;
      if (!over) rounds.wait(round, spin_budget);
    }
  }
};

TEST(Rounds, EveryTaskOfARoundIsDoneOnceByAnyThread) {
  for (int threads : {1, 2, 4}) {
    Team team(threads);
    Sums s;
    s.left = 3001;
    team.lead(
        [&] {
          s.open();
          team.call_helpers();
          s.take(0);
        },
        [&](int thread) { s.take(thread); });
    EXPECT_EQ(s.between, 3000);
    EXPECT_EQ(s.firsts, 1000);
    for (long sum : s.sums) EXPECT_EQ(sum, 3000);
  }
}

TEST(Rounds, AreNotHeldUpByAThreadBetweenTwoTasks) {
  Sums s;
  s.left = 101;
  s.open();
  const unsigned early = s.rounds.number();  // of a thread that sleeps now
  s.take(0);
  EXPECT_EQ(s.between, 100);
  for (std::size_t k = 0; k <= Sums::tasks; ++k) EXPECT_FALSE(s.rounds.claim(k, early));
}

}  // namespace
}  // namespace npl::test_team
