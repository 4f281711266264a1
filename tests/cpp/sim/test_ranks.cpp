// SPDX-License-Identifier: Apache-2.0
// Networks with ranks as threads, so that the thread sanitizer covers routes, exchange, agreement and errors: one result, and an error of
// one rank is raised on all.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "../every_case.hpp"
#include "areas.hpp"
#include "base/told_error.hpp"

namespace npl::sim::test_ranks {
namespace {

using Result = decltype(std::declval<Small>().result());

constexpr int steps = 160;

/// A run in pieces with late nodes, connections and changed parameters; the end is in the middle of an interval or at the end of one.
std::tuple<Result, std::uint64_t, std::vector<double>> everything(Settings settings) {
  Small s(std::move(settings));
  s.net.run(75, nullptr);
  const Gid late = s.net.create("iaf_psc_alpha", 9, {});
  s.net.connect(call(nodes(s.first, 60), nodes(late, 9), "all_to_all", 20.0, 0.2));
  s.net.set({s.first + 3, s.first + 4}, {{"V_m", {-56.0, -57.0}}});
  s.net.run(1, nullptr);
  s.net.run(steps - 76, nullptr);
  std::vector<Gid> gids{late, late + 8, s.first, s.first + 59};
  return {s.result(), s.net.counters().at("events"), s.net.get(gids, "V_m")};
}

Settings on(std::shared_ptr<comm::Communicator> comm, int threads) {
  Settings s{0.1, 7, threads, 0};
  s.comm = std::move(comm);
  return s;
}

void deal(Settings& s, int kind) {
  static const char* names[] = {"round_robin", "consecutive", "shuffled", "by_map"};
  s.distribution = names[kind];
  if (kind != 3) return;
  for (int i = 0; i < 70; ++i) s.rank_map.push_back(i * i % 7 % s.comm->size());
}

class Strategy : public testing::TestWithParam<const char*> {};

TEST_P(Strategy, GivesTheResultOfOneRank) {
  const auto expected = everything({0.1, 7, 1, 0});
  ASSERT_GT(std::get<0>(std::get<0>(expected)).size(), 50u);
  int combination = 0;
  for (int ranks : {2, 3, 4})
    for (int threads : {1, 2})
      for (bool halves : {false, true})
        for (const char* regime : {"dense", "sparse"}) {
          const int kind = (combination++ * 3 + ranks) % 4;
          if (!every_case() && (ranks + threads + halves + (regime[0] == 's')) % 2) continue;  // all threes of factors are left
          expect_no_errors(on_ranks(ranks, [&](auto comm) {
            Settings s = on(comm, threads);
            s.block_size = kind == 1 ? 7 : 0;
            s.exchange.strategy = GetParam();
            s.exchange.halves = halves;
            s.exchange.regime = regime;
            s.count_intervals = kind == 2;
            deal(s, kind);
            EXPECT_EQ(everything(s), expected) << ranks << " ranks, " << threads << " threads, " << halves << " " << regime << " "
                                               << s.distribution;
          }));
        }
}

INSTANTIATE_TEST_SUITE_P(All, Strategy, testing::Values("alltoallv", "allgather", "nbx", "persistent", "shared", "auto"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Ranks, EveryDistributionWithEveryRegime) {
  const auto expected = everything({0.1, 7, 1, 0});
  for (int kind = 0; kind < 4; ++kind)
    for (const char* regime : {"dense", "sparse"})
      expect_no_errors(on_ranks(3, [&](auto comm) {
        Settings s = on(comm, 2);
        deal(s, kind);
        s.exchange.regime = regime;
        s.exchange.round_bytes = 5;
        EXPECT_EQ(everything(s), expected) << regime << " " << s.distribution;
      }));
}

/// Weights grow past the room of the fixed point; runs end at the ends of intervals, where the next agreement is under way.
std::tuple<std::vector<Spike>, std::vector<double>> growing(Settings settings, const std::vector<int>& pieces) {
  Network net(std::move(settings));
  const Gid noise = net.create("poisson_generator", 1, {{"rate", {400.0}}});
  const Gid relay = net.create("parrot_neuron", 12, {});
  const Gid cells = net.create("iaf_psc_exp", 6, {{"I_e", {500.0}}});
  net.connect(call(nodes(noise, 1), nodes(relay, 12), "all_to_all", 1.0, 0.1));
  ConnectCall grow = call(nodes(relay, 12), nodes(cells, 6), "all_to_all", 5.0, 1.0);
  grow.synapse = "stdp_pl_synapse_hom";
  grow.synapse_params = {{"lambda", 0.3}, {"alpha", 1e-6}, {"mu", 0.9}};
  net.connect(grow);
  const int recorder = net.record_spikes(nodes(cells, 6), 0, 1 << 30);
  for (int piece : pieces) net.run(piece, nullptr);
  return {net.spikes(recorder), net.connections(nullptr, nullptr, "").weight};
}

TEST(Ranks, ScalesGrowInTheSameInterval) {
  const auto expected = growing({0.1, 5, 1, 0}, {1000});
  EXPECT_GT(std::ranges::max(std::get<1>(expected)), 5.0 * 16);
  EXPECT_EQ(growing({0.1, 5, 3, 0}, {10, 20, 5, 965}), expected);
  for (int threads : {1, 2})
    for (bool halves : {false, true})
      expect_no_errors(on_ranks(2, [&](auto comm) {
        Settings s = on(comm, threads);
        s.seed = 5;
        s.exchange.halves = halves;
        EXPECT_EQ(growing(s, {1000}), expected);
        std::vector<int> pieces(99, 10);
        pieces.insert(pieces.end(), {5, 5});
        EXPECT_EQ(growing(s, pieces), expected);
      }));
}

/// What the intervals of several runs tell adds up to the counters, whose counts go on from run to run.
TEST(Ranks, IntervalsAddUp) {
  for (int ranks : {1, 2})
    expect_no_errors(on_ranks(ranks, [&](auto comm) {
      Settings s = on(comm, 2);
      s.count_intervals = true;
      Small small(s);
      for (int piece : {50, 1, 49}) small.net.run(piece, nullptr);
      std::vector<double> sums(3);
      for (const Interval& i : small.net.intervals())
        sums[0] += double(i.spikes), sums[1] += double(i.words_sent), sums[2] += double(i.bytes_sent);
      const auto all = small.net.gather(sums);
      const auto counters = small.net.counters();
      const char* names[] = {"spikes", "words_sent", "bytes_sent"};
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(ranks == 1 ? all[k] : all[k] + all[3 + k], double(counters.at(names[k]))) << names[k];
      EXPECT_GT(counters.at("spikes"), 10u);
    }));
}

// --- errors

std::unique_ptr<Network> ready(std::shared_ptr<comm::Communicator> comm, std::int64_t n = 10) {
  auto net = std::make_unique<Network>(on(std::move(comm), 2));
  net->create("iaf_psc_exp", n, {{"I_e", {500.0}}});
  net->connect(call(nodes(1, n), nodes(1, n), "all_to_all", 1.0, 0.5));
  return net;
}

void expect_rank_errors(const std::vector<std::string>& errors, const std::string& text, int own = -1) {
  for (std::size_t r = 0; r < errors.size(); ++r) {
    EXPECT_EQ(errors[r].starts_with("RankError"), static_cast<int>(r) != own) << r << ": " << errors[r];
    EXPECT_NE(errors[r].find(text), std::string::npos) << r << ": " << errors[r];
  }
}

TEST(RankError, OneRankCannotDoIt) {
  expect_rank_errors(on_ranks(3, [](auto comm) { ready(comm)->run(comm->rank() == 1 ? -1 : 5, nullptr); }), "steps = -1", 1);
  expect_rank_errors(on_ranks(2, [](auto comm) { ready(comm)->set({1}, {{"tau_m", {comm->rank() == 1 ? -1.0 : 5.0}}}); }), "tau_m = -1", 1);
}

// --- refused on all ranks alike

/// Kind and data of the error of a call; "" for none or one that concerns a rank alone.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error&) {
    return packed(std::current_exception());
  }
  return "";
}

/// All ranks give these arguments, which only the owner of a node or of a synapse can refuse.
TEST(Refused, ByOneRankIsTheSameErrorOnAll) {
  const std::pair<char, std::function<void(Network&, ConnectionEdits)>> calls[] = {
      {'P', [](Network& net, ConnectionEdits e) { e.weight = {std::nan("")}, net.edit(e); }},
      {'D', [](Network& net, ConnectionEdits e) { e.delay = {70000}, net.edit(e); }},
      {'U', [](Network& net, ConnectionEdits e) { e.parameters = {{"lamda", {0.1}}}, net.edit(e); }},
      {'P', [](Network& net, ConnectionEdits e) { e.parameters = {{"tau_plus", {-1.0}}}, net.edit(e); }},
      {'L', [](Network& net, ConnectionEdits e) { e.weight = {1.0, 2.0, 3.0}, net.edit(e); }},
      {'P', [](Network& net, const ConnectionEdits& e) { net.edit(weights_of(e, {-1.0})); }},
      {'P', [](Network& net,
               const ConnectionEdits&) { net.create("iaf_psc_exp", 4, {}, {{"tau_m", clipped_normal(-10.0, 1.0, -20.0, 20.0), 1}}); }},
      {'P', [](Network& net, const ConnectionEdits&) { net.set({3}, {{"t_ref", {1.0}}, {"tau_m", {-1.0}}}); }},
  };
  for (const auto& [kind, make] : calls) {
    std::vector<std::string> found(3);
    expect_no_errors(on_ranks(3, [&, &make = make](auto comm) {
      const auto net = ready(comm);
      ConnectCall plastic = call(nodes(1, 10), nodes(4, 1), "all_to_all", 1.0, 0.5);
      plastic.synapse = "stdp_synapse";
      net->connect(plastic);
      net->run(5, nullptr);
      const ConnectionColumns all = net->connections(nullptr, nullptr, "stdp_synapse");
      ConnectionEdits e;
      e.slice = {all.slice[0]}, e.table = {all.table[0]}, e.position = {all.position[0]};
      found[static_cast<std::size_t>(comm->rank())] = refusal([&] { make(*net, e); });
      EXPECT_EQ(net->n_nodes(), 10);
      EXPECT_EQ(net->run(5, nullptr), 5);
      EXPECT_EQ(net->connections(nullptr, nullptr, "stdp_synapse").weight, all.weight);
    }));
    EXPECT_EQ(found[0].substr(0, 1), std::string(1, kind));
    EXPECT_EQ(found, std::vector<std::string>(3, found[0]));
  }
}

TEST(RankError, LeavesTheNetworkUsable) {
  expect_no_errors(on_ranks(3, [](auto comm) {
    const auto net = ready(comm);
    EXPECT_THROW(net->run(comm->rank() == 1 ? -1 : 5, nullptr), Error);
    EXPECT_THROW(net->set({1}, {{"V_m", {comm->rank() == 0 ? std::nan("") : -60.0}}}), Error);
    EXPECT_THROW(net->get({comm->rank() == 2 ? 11 : 1}, "V_m"), Error);
    EXPECT_EQ(net->run(5, nullptr), 5);
    EXPECT_EQ(net->get({1, 10}, "I_e"), std::vector<double>(2, 500.0));
  }));
}

TEST(RankError, DifferentNodes) {
  expect_rank_errors(on_ranks(2, [](auto comm) { ready(comm, 10 + comm->rank())->run(5, nullptr); }), "described different networks");
}

TEST(RankError, DifferentConnections) {
  expect_rank_errors(on_ranks(2,
                              [](auto comm) {
                                const auto net = ready(comm);
                                const double weight = comm->rank();
                                net->connect(call(nodes(1, 10), nodes(1, 10), "one_to_one", weight, 0.5));
                              }),
                     "described different networks");
  expect_rank_errors(on_ranks(2,
                              [](auto comm) {
                                const auto net = ready(comm);
                                if (comm->rank() == 1) net->connect(call(nodes(1, 10), nodes(1, 10), "one_to_one", 1.0, 0.5));
                                net->run(5, nullptr);
                              }),
                     "another call");
}

TEST(RankError, DifferentDevicesRecordersAndTheirInput) {
  const std::function<void(Network&)> changes[] = {
      [](Network& net) { net.record_state({1}, {"V_m"}, {1, 0}); },
      [](Network& net) { net.record_spikes(nodes(1, 3), 0, 100); },
  };
  for (const auto& change : changes)
    expect_rank_errors(on_ranks(2,
                                [&](auto comm) {
                                  const auto net = ready(comm);
                                  net->create("spike_generator", 1, {});
                                  net->create("poisson_generator", 1, {{"rate", {10.0}}});
                                  if (comm->rank() == 1) change(*net);
                                  net->run(5, nullptr);
                                }),
                       "described different networks");
}

TEST(RankError, DifferentSettings) {
  const std::function<void(Settings&)> changes[] = {
      [](Settings& s) { s.seed = 8; },
      [](Settings& s) { s.resolution = 0.2; },
      [](Settings& s) { s.distribution = "shuffled"; },
      [](Settings& s) { s.exchange.strategy = "nbx"; },
      [](Settings& s) { s.exchange.regime = "sparse"; },
      [](Settings& s) { s.exchange.halves = true; },
      [](Settings& s) { s.count_intervals = true; },
      [](Settings& s) { s.keep_sources = false; },
  };
  for (const auto& change : changes)
    expect_rank_errors(on_ranks(2,
                                [&](auto comm) {
                                  Settings s = on(comm, 1);
                                  if (comm->rank() == 1) change(s);
                                  Network net(s);
                                  net.create("iaf_psc_exp", 10, {});
                                  net.run(5, nullptr);
                                }),
                       "settings");
}

TEST(RankError, DifferentArguments) {
  const std::function<void(Network&, int)> calls[] = {
      [](Network& net, int rank) { net.run(5 + 5 * rank, nullptr); },
      [](Network& net, int rank) { net.samples(rank); },
      [](Network& net, int rank) { net.spikes(rank); },
      [](Network& net, int rank) { net.get(std::vector<Gid>(static_cast<std::size_t>(1 + rank), 1), "V_m"); },
      [](Network& net, int rank) { net.get({1}, rank ? "V_m" : "I_e"); },
      [](Network& net, int rank) { net.set({1}, {{"V_m", {-60.0 - rank}}}); },
      [](Network& net, int rank) {
        const auto n = static_cast<std::size_t>(rank);
        net.get_weights({std::vector<std::int64_t>(n), std::vector<std::int32_t>(n), std::vector<std::int64_t>(n)});
      },
  };
  for (const auto& make : calls)
    expect_rank_errors(on_ranks(2,
                                [&](auto comm) {
                                  const auto net = ready(comm);
                                  for (std::int64_t n : {1, 2})
                                    net->record_spikes(nodes(1, n), 0, 100), net->record_state({n}, {"V_m"}, {n, 0});
                                  net->run(5, nullptr);
                                  make(*net, comm->rank());
                                }),
                       "arguments");
}

TEST(RankError, DifferentCallsOrTheEnd) {
  expect_rank_errors(on_ranks(2,
                              [](auto comm) {
                                const auto net = ready(comm);
                                comm->rank() ? static_cast<void>(net->counters()) : static_cast<void>(net->run(5, nullptr));
                              }),
                     "another call");
  const auto errors = on_ranks(3, [](auto comm) {
    const auto net = ready(comm);
    net->run(5, nullptr);
    if (comm->rank() == 1) return leave(*comm);
    net->run(5, nullptr);
  });
  EXPECT_EQ(errors[1], "");
  EXPECT_NE(errors[0].find("has ended"), std::string::npos) << errors[0];
  EXPECT_NE(errors[2].find("has ended"), std::string::npos) << errors[2];
}

TEST(Ranks, AWishToStopStopsAllAtTheSameStep) {
  std::vector<Step> stopped(3);
  std::vector<std::string> told(3);
  expect_no_errors(on_ranks(3, [&](auto comm) {
    const auto net = ready(comm);
    const auto me = static_cast<std::size_t>(comm->rank());
    try {
      net->run(1 << 30, [&](const char* phase, std::uint64_t, std::uint64_t) { return std::string(phase) != "simulating" || me != 2; });
    } catch (const RankError& e) {
      told[me] = e.what();
    }
    stopped[me] = net->step();
    net->run(10, nullptr);
    if (net->step() != stopped[me] + 10) throw Error("does not go on");
  }));
  for (std::size_t r : {0u, 1u}) EXPECT_NE(told[r].find("rank 2 has stopped the run"), std::string::npos) << told[r];
  EXPECT_EQ(told[2], "");
  EXPECT_GT(stopped[0], 0);
  EXPECT_EQ(stopped, std::vector<Step>(3, stopped[0]));
}

}  // namespace
}  // namespace npl::sim::test_ranks
