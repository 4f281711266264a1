// SPDX-License-Identifier: Apache-2.0
// Exchange on two levels, with ranks as threads: numbers of exchanges, and results equal to those of one rank.
#include <gtest/gtest.h>

#include <functional>

#include "../every_case.hpp"
#include "areas.hpp"

namespace npl::sim::test_levels {
namespace {

using Found = std::tuple<decltype(std::declval<TwoAreas>().result()), std::uint64_t>;

Found found(TwoAreas& areas, const std::vector<int>& pieces) {
  for (int piece : pieces) areas.net.run(piece, nullptr);
  return {areas.result(), areas.net.counters().at("events")};
}

Found one_rank(const Delays& delays, const std::vector<int>& pieces = {200}) {
  TwoAreas areas({0.1, 7, 1, 0}, delays);
  return found(areas, pieces);
}

Settings by_area(std::shared_ptr<comm::Communicator> comm, int threads, std::vector<std::pair<std::string, double>> shares) {
  Settings s{0.1, 7, threads, 0};
  s.comm = std::move(comm);
  s.distribution = "by_area";
  s.areas = std::move(shares);
  return s;
}

class LevelsOf : public testing::TestWithParam<const char*> {};

TEST_P(LevelsOf, GiveTheResultOfOneRank) {
  const Delays delays{0.5, 5.0};
  const Found expected = one_rank(delays);
  ASSERT_GT(std::get<0>(std::get<0>(expected)).size(), 300u);
  int combination = 0;
  for (int ranks : {2, 3, 4})
    for (int threads : {1, 2})
      for (const char* regime : {"dense", "sparse"}) {
        const int number = combination++;
        if (!every_case() && (ranks + threads + (regime[0] == 's')) % 2) continue;  // all pairs of factors are left
        expect_no_errors(on_ranks(ranks, [&](auto comm) {
          Settings s = by_area(comm, threads, {{"A", 3.0}, {"B", 1.0}});
          s.exchange.strategy = GetParam();
          s.exchange.local = number % 3 == 0 ? "allgather" : number % 3 == 1 ? "nbx" : "";
          s.exchange.regime = regime;
          s.count_intervals = number % 2 == 0;
          s.block_size = number % 4 == 0 ? 9 : 0;
          TwoAreas areas(s, delays);
          EXPECT_EQ(found(areas, {200}), expected) << ranks << " ranks, " << threads << " threads, " << regime;
          EXPECT_EQ(areas.net.levels().window(), 50);
          EXPECT_EQ(areas.net.counters().at("exchanges"), 4u);
          EXPECT_EQ(areas.net.counters().at("local_exchanges"), ranks == 2 ? 0u : 40u);
        }));
      }
}

INSTANTIATE_TEST_SUITE_P(All, LevelsOf, testing::Values("alltoallv", "allgather", "nbx", "persistent", "shared", "neighbor", "auto"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Levels, HaveFewerExchangesByTheRatioOfDelays) {
  struct Case {
    double inside, between;  // ms
    int window, local;       // steps
  };
  for (const Case& c : {Case{0.5, 5.0, 50, 5}, {0.5, 5.3, 50, 5}, {0.7, 5.0, 49, 7}, {0.3, 0.6, 6, 3}, {0.1, 10.0, 100, 1}})
    expect_no_errors(on_ranks(4, [&](auto comm) {
      Settings s = by_area(comm, 1, {{"A", 1.0}, {"B", 1.0}});
      TwoAreas areas(s, {c.inside, c.between});
      areas.net.run(10 * c.window, nullptr);
      EXPECT_EQ(areas.net.levels().window(), c.window);
      EXPECT_EQ(areas.net.levels().local_interval(), c.local);
      EXPECT_EQ(areas.net.counters().at("exchanges"), 10u);
      EXPECT_EQ(areas.net.counters().at("local_exchanges"), static_cast<std::uint64_t>(10 * c.window / c.local));
      s.distribution = "round_robin", s.areas = {};
      TwoAreas one(s, {c.inside, c.between});
      one.net.run(10 * c.window, nullptr);
      EXPECT_EQ(one.net.counters().at("exchanges"), static_cast<std::uint64_t>(10 * c.window / c.local));
      EXPECT_EQ(one.result(), areas.result());
    }));
}

TEST(Levels, AreOneWhereTheyWouldNotHelp) {
  for (const Delays& delays : {Delays{1.0, 1.0}, Delays{1.0, 0.4}, Delays{1.0, 1.9}}) {
    const Found expected = one_rank(delays);
    expect_no_errors(on_ranks(4, [&](auto comm) {
      TwoAreas areas(by_area(comm, 2, {{"A", 1.0}, {"B", 1.0}}), delays);
      EXPECT_EQ(found(areas, {200}), expected);
      EXPECT_FALSE(areas.net.levels().two());
      EXPECT_EQ(areas.net.counters().at("local_messages"), 0u);
    }));
  }
}

/// The end of a run inside a window, and of a local interval inside a window that is no multiple of it.
TEST(Levels, RunsMayEndAnywhere) {
  const std::vector<int> many(173, 1);
  for (const Delays& delays : {Delays{0.5, 5.0}, Delays{0.5, 3.0, 0.8}}) {
    const Found expected = one_rank(delays, {173});
    for (const auto& pieces : {std::vector<int>{173}, many, std::vector<int>{49, 1, 50, 1, 5, 67}, std::vector<int>{3, 100, 70}})
      expect_no_errors(on_ranks(4, [&](auto comm) {
        TwoAreas areas(by_area(comm, 2, {{"A", 1.0}, {"B", 1.0}}), delays);
        EXPECT_EQ(found(areas, pieces), expected);
      }));
  }
}

TEST(Levels, GroupsMayHaveIntervalsOfTheirOwn) {
  for (const Delays& delays : {Delays{0.5, 6.0, 1.4}, Delays{0.5, 6.0, 0.0}, Delays{0.0, 6.0, 0.5}, Delays{0.5, 0.0, 0.8}}) {
    const Found expected = one_rank(delays);
    expect_no_errors(on_ranks(4, [&](auto comm) {
      TwoAreas areas(by_area(comm, 1, {{"A", 1.0}, {"B", 1.0}}), delays);
      EXPECT_EQ(found(areas, {200}), expected);
      EXPECT_EQ(areas.net.levels().window(), delays.between > 0 ? 60 : 80);
      const double mine = comm->rank() < 2 ? delays.inside : delays.inside_b;
      EXPECT_EQ(areas.net.levels().local_interval(), mine > 0 ? std::lround(mine * 10) : 60);
    }));
  }
}

TEST(Levels, AreasAndRanksNeedNotBeAsMany) {
  const Delays delays{0.5, 5.0};
  const Found expected = one_rank(delays);
  for (int ranks : {1, 2, 5})
    for (const auto& shares : {std::vector<std::pair<std::string, double>>{{"A", 1.0}},
                               {{"A", 1.0}, {"B", 9.0}},
                               {{"X", 5.0}, {"A", 1.0}, {"Y", 2.0}, {"B", 1.0}}})
      expect_no_errors(on_ranks(ranks, [&](auto comm) {
        TwoAreas areas(by_area(comm, 2, shares), delays, shares.size() == 1 ? "" : "B");
        EXPECT_EQ(found(areas, {200}), expected);
      }));
}

/// Weights outgrow the fixed point, synapses and nodes come later, and delays change with them.
TEST(Levels, NetworksMayGrow) {
  const auto grown = [](Settings s) {
    TwoAreas areas(std::move(s), {0.5, 5.0});
    areas.net.run(73, nullptr);
    areas.grow();
    areas.net.run(127, nullptr);
    areas.net.connect(call(nodes(areas.a, 20), nodes(areas.b, 20), "one_to_one", 5.0, 0.3));
    areas.net.run(100, nullptr);
    return areas.result();
  };
  const auto expected = grown({0.1, 7, 1, 0});
  expect_no_errors(on_ranks(4, [&](auto comm) { EXPECT_EQ(grown(by_area(comm, 2, {{"A", 1.0}, {"B", 1.0}})), expected); }));
}

TEST(Levels, ScalesChangeInTheSameStep) {
  const auto expected = one_rank({0.5, 5.0, 0.5, 0.3}, {1000});
  EXPECT_GT(std::ranges::max(std::get<2>(std::get<0>(expected))), 30.0 * 16);
  for (const auto& pieces : {std::vector<int>{1000}, std::vector<int>{50, 5, 45, 250, 650}})
    expect_no_errors(on_ranks(4, [&](auto comm) {
      TwoAreas areas(by_area(comm, 2, {{"A", 1.0}, {"B", 1.0}}), {0.5, 5.0, 0.5, 0.3});
      EXPECT_EQ(found(areas, pieces), expected);
    }));
}

TEST(Levels, StopAtTheEndOfAWindow) {
  expect_no_errors(on_ranks(4, [&](auto comm) {
    TwoAreas areas(by_area(comm, 2, {{"A", 1.0}, {"B", 1.0}}), {0.5, 5.0});
    const auto poll = [&](const char* phase, std::uint64_t, std::uint64_t) {
      return std::string(phase) != "simulating" || comm->rank() != 2;
    };
    if (comm->rank() == 2)
      areas.net.run(1000000, poll);
    else
      EXPECT_THROW(areas.net.run(1000000, poll), RankError);
    const Step done = areas.net.step();
    EXPECT_GT(done, 0);
    EXPECT_LT(done, 1000000);
    EXPECT_EQ(done % 50, 0);
    TwoAreas alone({0.1, 7, 1, 0}, {0.5, 5.0});
    alone.net.run(done, nullptr);
    EXPECT_EQ(areas.result(), alone.result());
  }));
}

TEST(Levels, HalvesAndWrongAreasAreRefused) {
  Settings s{0.1, 7, 1, 0};
  s.distribution = "by_area";
  EXPECT_THROW(Network{s}, BadParameter);
  s.areas = {{"A", 1.0}, {"A", 2.0}};
  EXPECT_THROW(Network{s}, BadParameter);
  s.areas = {{"A", 0.0}};
  EXPECT_THROW(Network{s}, BadParameter);
  s.areas = {{"A", 1.0}};
  Network net(s);
  EXPECT_THROW(net.create("iaf_psc_exp", 1, {}, {}, "B"), UnknownName);
  EXPECT_EQ(net.n_nodes(), 0);
  s.exchange.halves = true;
  EXPECT_THROW(Network{s}, BadParameter);
  s.exchange.halves = false;
  s.exchange.local = "no such";
  EXPECT_THROW(Network{s}, UnknownName);
  s.distribution = "round_robin", s.exchange.local = "";
  EXPECT_THROW(Network{s}, BadParameter);
  s.areas = {};
  EXPECT_EQ(Network(s).create("iaf_psc_exp", 1, {}, {}, "anything"), 1);
}

}  // namespace
}  // namespace npl::sim::test_levels
