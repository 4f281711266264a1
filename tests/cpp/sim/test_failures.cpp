// SPDX-License-Identifier: Apache-2.0
// Failures of runs and builds: all threads and ranks end after the same step, with an error that names the cause.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <new>
#include <set>
#include <string>

#include "../every_case.hpp"
#include "areas.hpp"
#include "base/memory.hpp"

namespace npl::sim {
/// Makes the n-th allocation (from 0) of this thread from now on fail; n < 0: none. Defined in test_allocations.cpp.
void fail_allocation(std::int64_t n, std::int64_t times = 1);
}  // namespace npl::sim

namespace npl::sim::test_failures {
namespace {

Settings on(std::shared_ptr<comm::Communicator> comm, int threads = 1) {
  Settings s{0.1, 7, threads, 0};
  s.comm = std::move(comm);
  return s;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const RankError& e) {
    return std::string("RankError ") + e.what();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

// --- neurons that diverge

/// Firing neurons and two that are driven to -inf from 2.5 ms on. Errors of this run and of the next one, and the number of spikes
/// recorded.
std::tuple<std::string, std::string, std::size_t> diverging(Settings settings, Step piece = 1000) {
  Network net(settings);
  const Gid first = net.create("iaf_psc_exp", 20, {{"I_e", {600.0}}});
  const Gid odd = net.create("iaf_cond_exp", 30, {});
  net.connect(call(nodes(first, 20), nodes(odd, 30), "all_to_all", 1.0, 0.7));
  const int recorder = net.record_spikes(nodes(first, 20), 0, 1 << 30);
  net.run(25, nullptr);
  net.set({odd + 22, odd + 7}, {{"I_e", {-1e12}}});
  const std::string error = error_of([&] {
    for (int k = 0; k < 10; ++k) net.run(piece, nullptr);
  });
  const std::string again = error_of([&] { net.run(1, nullptr); });
  return {error, again, net.spikes(recorder).size()};
}

TEST(Divergence, NamesTheFirstNeuronTheSameForAnyLayout) {
  const auto [expected, again, spikes] = diverging({0.1, 7, 1, 0});
  EXPECT_TRUE(expected.starts_with("neuron 28 (iaf_cond_exp) is numerically unstable: V_m = -")) << expected;
  EXPECT_NE(expected.find(" at 3 ms"), std::string::npos) << expected;
  EXPECT_EQ(again, expected);
  EXPECT_EQ(diverging({0.1, 7, 3, 4}), std::tuple(expected, again, spikes));
  for (int ranks : {2, 3})
    for (int threads : {1, 2})
      for (const char* distribution : {"round_robin", "consecutive"})
        for (bool halves : {false, true}) {
          std::vector<std::tuple<std::string, std::string, std::size_t>> found(static_cast<std::size_t>(ranks));
          expect_no_errors(on_ranks(ranks, [&](auto comm) {
            Settings s = on(comm, threads);
            s.distribution = distribution;
            s.exchange.halves = halves;
            found[static_cast<std::size_t>(comm->rank())] = diverging(s);
          }));
          for (const auto& f : found) {
            EXPECT_EQ(std::get<0>(f), expected);
            EXPECT_EQ(std::get<1>(f), expected);
            EXPECT_EQ(std::get<2>(f), spikes);
          }
        }
}

TEST(Divergence, IsSeenAtTheEndOfARunAtTheLatest) {
  const auto error = std::get<0>(diverging({0.1, 7, 2, 0}, 3));
  EXPECT_NE(error.find(" at 2.8 ms"), std::string::npos) << error;
  std::vector<std::string> found(3);
  expect_no_errors(on_ranks(3, [&](auto comm) { found[static_cast<std::size_t>(comm->rank())] = std::get<0>(diverging(on(comm), 3)); }));
  EXPECT_EQ(found, std::vector<std::string>(3, error));
}

TEST(Divergence, EndsBothLevels) {
  std::vector<std::string> found(4);
  expect_no_errors(on_ranks(4, [&](auto comm) {
    Settings s = on(comm);
    s.distribution = "by_area";
    s.areas = {{"A", 1.0}, {"B", 1.0}};
    TwoAreas areas(s, {0.5, 5.0});
    const Gid odd = areas.net.create("iaf_cond_exp", 4, {{"I_e", {-1e12}}}, {}, "B");
    areas.net.connect(call(nodes(areas.a, 1), nodes(odd, 4), "all_to_all", 1.0, 5.0));
    found[static_cast<std::size_t>(comm->rank())] = error_of([&] { areas.net.run(100000, nullptr); });
    EXPECT_TRUE(areas.net.levels().two());
    areas.net.spikes(areas.recorders[0]);
  }));
  EXPECT_NE(found[0].find("(iaf_cond_exp) is numerically unstable"), std::string::npos) << found[0];
  EXPECT_EQ(found, std::vector<std::string>(4, found[0]));
}

// --- memory that grows

/// Repeaters of a Poisson generator, all recorded by recorder 1.
struct Growing {
  Network net;
  explicit Growing(Settings settings, const char* what = "spikes") : net((settings.memory_limit = 30e6, settings)) {
    const Gid poisson = net.create("poisson_generator", 1, {{"rate", {500.0}}});
    const Gid repeaters = net.create("parrot_neuron", 1000, {});
    const Gid cells = net.create("iaf_psc_exp", 1000, {});
    net.connect(call(nodes(poisson, 1), nodes(repeaters, 1000), "all_to_all", 1.0, 1.0));
    net.record_spikes(nodes(repeaters, 1), 0, 1 << 30);
    net.record_spikes(nodes(repeaters, 1000), 0, 1 << 30);
    if (std::string(what) == "states") {
      std::vector<Gid> gids;
      for (Gid g = cells; g < cells + 1000; ++g) gids.push_back(g);
      net.record_state(gids, {"V_m", "I_syn_ex"}, {1, 0});
    }
  }
};

TEST(Growth, OfRecordedSpikesEndsTheRunAndCanBeCleared) {
  for (int threads : {1, 3}) {
    Growing g({0.1, 7, threads, 0});
    const std::string error = error_of([&] { g.net.run(1 << 30, nullptr); });
    EXPECT_NE(error.find("recorded spikes of recorder 1"), std::string::npos) << error;
    EXPECT_NE(error.find("0.03 GB are available"), std::string::npos) << error;
    const Step stopped = g.net.step();
    EXPECT_GT(g.net.spikes(1).size() * sizeof(Spike), 5e6);
    EXPECT_EQ(g.net.spikes(1).back().step / 10 * 10, (stopped - 1) / 10 * 10);  // up to the end
    EXPECT_NE(error_of([&] { g.net.run(1 << 30, nullptr); }), "");
    EXPECT_LE(g.net.step(), stopped + 16);  // no room: at once
    g.net.clear_spikes(1);
    const Step before = g.net.step();
    g.net.run(100, nullptr);
    EXPECT_EQ(g.net.step(), before + 100);
  }
}

TEST(Growth, OfRecordedStates) {
  Growing g({0.1, 7, 2, 0}, "states");
  const std::string error = error_of([&] { g.net.run(1 << 30, nullptr); });
  EXPECT_NE(error.find("recorded state variables of recorder 0"), std::string::npos) << error;
  EXPECT_EQ(g.net.samples(0).stamps.size(), static_cast<std::size_t>(g.net.step()));
}

TEST(Growth, EndsTheRunOfAllRanksAtTheSameStep) {
  std::vector<Step> stopped(3);
  std::vector<std::string> errors(3);
  expect_no_errors(on_ranks(3, [&](auto comm) {
    const auto me = static_cast<std::size_t>(comm->rank());
    Growing g(on(comm));
    errors[me] = error_of([&] { g.net.run(1 << 30, nullptr); });
    stopped[me] = g.net.step();
    EXPECT_GT(g.net.spikes(1).size(), 100000u);
    g.net.clear_spikes(1);
    g.net.run(100, nullptr);
  }));
  EXPECT_EQ(stopped, std::vector<Step>(3, stopped[0]));
  for (const std::string& e : errors) EXPECT_NE(e.find("recorded spikes of recorder 1"), std::string::npos) << e;
}

/// Repeaters that all receive the spikes of all: 64 times as many with every delay.
std::string chain_reaction(Settings settings) {
  settings.memory_limit = 40e6;
  Network net(settings);
  const Gid start = net.create("spike_generator", 1, {});
  net.set({start}, {}, {{"spike_times", {1.0}}});
  const Gid repeaters = net.create("parrot_neuron", 64, {});
  net.connect(call(nodes(start, 1), nodes(repeaters, 64), "all_to_all", 1.0, 1.0));
  net.connect(call(nodes(repeaters, 64), nodes(repeaters, 64), "all_to_all", 1.0, 1.0));
  return error_of([&] { net.run(1 << 30, nullptr); });
}

TEST(Growth, OfSpikesThatMultiply) {
  const std::string alone = chain_reaction({0.1, 7, 2, 0});
  EXPECT_NE(alone.find("spikes"), std::string::npos) << alone;
  EXPECT_NE(alone.find("are available"), std::string::npos) << alone;
  std::vector<std::string> errors(2);
  expect_no_errors(on_ranks(2, [&](auto comm) { errors[static_cast<std::size_t>(comm->rank())] = chain_reaction(on(comm)); }));
  for (const std::string& e : errors) EXPECT_NE(e.find("are available"), std::string::npos) << e;
}

// --- memory at the door

TEST(Memory, RanksOfOneMachineKnowOfOneAnother) {
  // Each of two ranks wants 0.7 of what there is.
  const double edges =
      2 * 0.7 * available_memory() / tables::expected_bytes(tables::TableSpec{}, tables::Layout::runs, tables::Per::synapse);
  const auto n = static_cast<std::int64_t>(std::sqrt(edges));
  for (int per_node : {1, 2}) {
    expect_no_errors(on_ranks(
        2,
        [&](auto comm) {
          Network net(on(comm));
          const Gid first = net.create("iaf_psc_exp", n, {});
          const std::string error = error_of([&] { net.connect(call(nodes(first, n), nodes(first, n), "all_to_all", 1.0, 1.0)); });
          EXPECT_EQ(error.find("on the 2 ranks of this machine") != std::string::npos, per_node == 2) << error;
        },
        per_node));
  }
}

TEST(Memory, ALimitRefusesABuild) {
  Settings s{0.1, 7, 2, 0};
  s.memory_limit = 10e6;
  Network net(s);
  const Gid first = net.create("iaf_psc_exp", 3000, {});
  const std::string error = error_of([&] {
    for (int k = 0; k < 10; ++k) {
      ConnectCall c = call(nodes(first, 3000), nodes(first, 3000), "fixed_indegree", 1.0, 1.0);
      c.rule_params = {{"indegree", 300}};
      net.connect(c);
    }
    net.build(nullptr);
  });
  EXPECT_NE(error.find("memory_limit 10.0 MB"), std::string::npos) << error;
}

// --- wishes to stop

TEST(Stop, OfABuildIsToldToAllRanksWhichGoOn) {
  const auto errors = on_ranks(3, [&](auto comm) {
    const auto net = std::make_unique<Network>(on(comm));
    const Gid first = net->create("iaf_psc_exp", 10, {});
    net->connect(call(nodes(first, 10), nodes(first, 10), "all_to_all", 1.0, 1.0));
    const int me = comm->rank();
    const std::string error = error_of([&] {
      EXPECT_FALSE(net->build([&](const char*, std::uint64_t, std::uint64_t) { return me != 1; }));
      EXPECT_EQ(me, 1);
    });
    net->run(20, nullptr);
    EXPECT_EQ(net->step(), 20);
    if (!error.empty()) throw Error(error);
  });
  EXPECT_EQ(errors[1], "");
  for (std::size_t r : {0u, 2u}) EXPECT_NE(errors[r].find("rank 1 has stopped the build"), std::string::npos) << errors[r];
}

TEST(Stop, OfAllRanksIsNoError) {
  expect_no_errors(on_ranks(3, [](auto comm) {
    Small s(on(comm));
    s.net.run(1 << 30, [](const char* phase, std::uint64_t, std::uint64_t) { return std::string(phase) != "simulating"; });
    if (s.net.step() >= 1 << 30) throw Error("did not stop");
  }));
}

// --- allocations that fail

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// Runs until an allocation fails, and the next `times` - 1, which include the second try of the same one.
void run_out_of_memory(Small& s, std::int64_t times) {
  bool armed = false;
  const auto poll = [&](const char* phase, std::uint64_t, std::uint64_t) {
    if (!armed && std::string(phase) == "simulating") armed = true, fail_allocation(0, times);
    return true;
  };
  EXPECT_THROW(s.net.run(1 << 30, poll), std::bad_alloc);
  fail_allocation(-1);
}

TEST(OutOfMemory, InAStepEndsTheRunAndTheNetworkGoesOn) {
  for (int threads : {1, 2}) {
    Small s({0.1, 7, threads, 0}), same({0.1, 7, 1, 0});
    s.net.run(100, nullptr);
    run_out_of_memory(s, 1);
    EXPECT_LT(s.net.step(), 1 << 30);
    s.net.run(50, nullptr);
    same.net.run(s.net.step(), nullptr);
    EXPECT_EQ(s.result(), same.result());
  }
}

TEST(OutOfMemory, InAStepWithoutReserveEndsTheRunAndResultsStay) {
  for (int threads : {1, 2}) {
    Small s({0.1, 7, threads, 0});
    s.net.run(100, nullptr);
    const auto before = s.net.spikes(s.spikes).size();
    run_out_of_memory(s, 2);
    EXPECT_THROW(s.net.run(1, nullptr), std::bad_alloc);
    EXPECT_GT(before, 0u);
    EXPECT_GE(s.net.spikes(s.spikes).size(), before);
  }
}

/// Exit code of a child process in which allocation `number` of rank 1 fails, counted from the beginning of build and run; -SIGALRM where
/// ranks hang.
int failing(std::int64_t number) {
  std::fflush(nullptr);  // the child must not write it again
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    if (!std::freopen("/dev/null", "w", stderr)) _exit(9);
    on_ranks(2, [&](auto comm) {
      Small s(on(comm));
      if (comm->rank() == 1) fail_allocation(number);
      s.net.run(100, nullptr);
      fail_allocation(-1);
    });
    _exit(0);  // errors on both, or none
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(OutOfMemory, OnOneRankNeverLeavesTheOtherWaiting) {
  int ended = 0;  // with errors or without; else the job was aborted
  for (std::int64_t number = 0; number < 1500; number += every_case() ? (number < 40 ? 1 : 31) : (number < 10 ? 1 : 61)) {
    const int code = failing(number);
    EXPECT_TRUE(code == 0 || code == 1) << "allocation " << number << ": " << code;
    ended += code == 0;
  }
  EXPECT_GT(ended, 0);
}

#endif

}  // namespace
}  // namespace npl::sim::test_failures
