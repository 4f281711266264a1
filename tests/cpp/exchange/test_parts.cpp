// SPDX-License-Identifier: Apache-2.0
/// The parts that strategies are made of, exact counts, options that are refused, memory, and what auto says.
#include "exchange/capacity.hpp"
#include "exchange/tags.hpp"
#include "exchange/two_phase.hpp"
#include "harness.hpp"

namespace npl::exchange::test_parts {
namespace {

TEST(Capacity, GrowsAtOnceAndShrinksLate) {
  Capacity c(8);
  EXPECT_FALSE(c.observe(8));
  EXPECT_TRUE(c.observe(100));
  EXPECT_EQ(c.records(), 125u);
  for (std::size_t i = 1; i < Capacity::window; ++i) EXPECT_FALSE(c.observe(4));
  EXPECT_TRUE(c.observe(40));
  EXPECT_EQ(c.records(), 50u);
  for (std::size_t i = 0; i < 3 * Capacity::window; ++i) EXPECT_EQ(c.observe(0), i + 1 == Capacity::window);
  EXPECT_EQ(c.records(), 8u) << "never below the first";
}

TEST(Capacity, KeepsWhatIsHalfUsed) {
  Capacity c(1);
  c.observe(80);
  for (std::size_t i = 0; i < 5 * Capacity::window; ++i) EXPECT_FALSE(c.observe(60));
}

TEST(TwoPhase, IntermediatesAreRanksInRowOrColumn) {
  for (int ranks = 2; ranks <= 40; ++ranks) {
    const int columns = static_cast<int>(std::ceil(std::sqrt(ranks)));
    for (int s = 0; s < ranks; ++s) {
      std::vector<int> first, second;
      for (int d = 0; d < ranks; ++d) {
        const int via = intermediate(s, d, ranks);
        ASSERT_GE(via, 0);
        ASSERT_LT(via, ranks);
        EXPECT_TRUE(via / columns == s / columns || via % columns == s % columns) << s << " to " << d << " of " << ranks;
        EXPECT_TRUE(via / columns == d / columns || via % columns == d % columns) << s << " to " << d << " of " << ranks;
        first.push_back(via);
      }
      std::sort(first.begin(), first.end());
      EXPECT_LE(std::unique(first.begin(), first.end()) - first.begin(), 2 * columns) << "few partners";
    }
  }
}

TEST(Tags, NeverTheSameOnOneCommunicator) {
  as_ranks(3, 1, [](comm::Communicator& comm) {
    std::vector<int> tags;
    for (int i = 0; i < 50; ++i) {
      if (comm.rank() == 1) agree_on_tags(*comm::single());  // other communicators move the counter along
      tags.push_back(agree_on_tags(comm));
      std::int64_t sum = tags.back();
      comm.allreduce({&sum, 1}, comm::Op::sum);
      EXPECT_EQ(sum, 3 * tags.back()) << "the same for all";
    }
    std::sort(tags.begin(), tags.end());
    for (std::size_t i = 1; i < tags.size(); ++i) EXPECT_GE(tags[i], tags[i - 1] + tags_per_strategy);
  });
}

TEST(Options, UnknownOnesAreRefused) {
  const auto refused = [](const std::string& name, const Options& o, const Partners& p = {}) {
    EXPECT_THROW(find_strategy(name).make(*comm::single(), p, o), BadParameter) << name;
  };
  for (const StrategyInfo* info : strategies()) {
    for (const std::size_t bytes : {0, 1, 3, 12, 32}) refused(info->name, {.record_bytes = bytes});
    for (const int phases : {0, 3, -1}) refused(info->name, {.phases = phases});
    refused(info->name, {}, {{0}, {}});
    refused(info->name, {}, {{}, {5}});
  }
  for (const std::string name : {"allgather", "alltoall", "alltoallv", "shared", "auto"}) refused(name, {.phases = 2});
  for (const std::string name : {"allgather", "alltoall", "alltoallv", "neighbor", "persistent", "nbx", "shared"})
    refused(name, {.conservation = Conservation::reduce_scatter});
  for (const std::string name : {"alltoallv", "neighbor", "multisend", "multisend_aggregated", "nbx"}) refused(name, {.buffer_bytes = 64});
}

TEST(Options, UnknownNameAndDescriptions) {
  EXPECT_THROW(find_strategy("alltoal"), UnknownName);
  EXPECT_EQ(strategies().size(), 10u);
  for (const StrategyInfo* info : strategies()) {
    EXPECT_FALSE(info->doc.empty());
    EXPECT_EQ(info->is.directed, info->name != "allgather");
  }
}

TEST(Outgoing, WrongPartsAreRefused) {
  const auto s = find_strategy("alltoallv").make(*comm::single(), {}, {});
  EXPECT_THROW(s->start({{}, {}}), BadLength);
  EXPECT_THROW(s->start({{}, {0, 0}}), BadLength);
  const auto all = find_strategy("allgather").make(*comm::single(), {}, {});
  EXPECT_THROW(all->start({Bytes(8), {0, 12}}), BadParameter);
  EXPECT_THROW(all->start({Bytes(8), {0, 6}}), BadParameter);
  EXPECT_THROW(all->start({Bytes(8), {8, 4}}), BadParameter);
}

// What rank 1 of four, all partners of all, counts after one exchange of `records` records of 4 bytes for each.
Counts one_exchange(const std::string& name, std::size_t records, int per_node = 0, Options options = {}) {
  Counts counted;
  as_ranks(4, per_node, [&](comm::Communicator& comm) {
    Partners p;
    for (int r = 0; r < 4; ++r)
      if (r != comm.rank()) p.sources.push_back(r), p.destinations.push_back(r);
    const auto strategy = find_strategy(name).make(comm, p, options);
    const std::size_t parts = find_strategy(name).is.directed ? 3 : 1, each = records * 4;
    Outgoing out{Bytes(parts * each), {}};
    for (std::size_t d = 0; d <= parts; ++d) out.begin.push_back(d * each);
    strategy->start(out);
    Incoming in;
    strategy->finish(in);
    if (comm.rank() == (per_node == 2 ? 2 : 1)) counted = strategy->counts();  // the leader of the second node
  });
  EXPECT_EQ(counted.words_received, 3 * records);
  return counted;
}

void expect_counts(const Counts& c, std::uint64_t messages, std::uint64_t sent, std::uint64_t received, std::uint64_t rounds) {
  EXPECT_EQ(c.messages, messages);
  EXPECT_EQ(c.bytes_sent, sent);
  EXPECT_EQ(c.bytes_received, received);
  EXPECT_EQ(c.rounds, rounds);
}

// Buffers of 64 bytes hold 16 records behind a header of 8 bytes.
TEST(ExactCounts, Collectives) {
  expect_counts(one_exchange("allgather", 3), 1, 72, 3 * 72, 0);
  expect_counts(one_exchange("allgather", 20), 2, 72 + 16, 3 * (72 + 16), 1);
  expect_counts(one_exchange("alltoall", 3), 1, 3 * 72, 3 * 72, 0);
  expect_counts(one_exchange("alltoall", 20), 2, 3 * (72 + 8 + 16), 3 * (72 + 8 + 16), 1);
  expect_counts(one_exchange("alltoallv", 3), 2, 3 * (4 + 12), 3 * (4 + 12), 0);
  expect_counts(one_exchange("neighbor", 3), 2, 3 * (4 + 12), 3 * (4 + 12), 0);
}

TEST(ExactCounts, PointToPoint) {
  expect_counts(one_exchange("persistent", 3), 3, 3 * 72, 3 * 72, 0);
  expect_counts(one_exchange("persistent", 20), 6, 3 * (72 + 16), 3 * (72 + 16), 3);
  expect_counts(one_exchange("nbx", 3), 3, 36, 36, 1);
  const Options exact{.conservation = Conservation::reduce_scatter};
  expect_counts(one_exchange("multisend", 3, 0, exact), 9, 36, 36, 1);
  expect_counts(one_exchange("multisend_aggregated", 3, 0, exact), 3, 36, 36, 1);
  const Counts loop = one_exchange("multisend", 3);
  expect_counts(loop, 9, 36, 36, loop.rounds);
  EXPECT_GE(loop.rounds, 1u);
}

// Four ranks in a square: one message along the row with two packets, one along the column with two.
TEST(ExactCounts, TwoPhases) {
  expect_counts(one_exchange("nbx", 3, 0, {.phases = 2}), 2, 4 * 28, 4 * 28, 2);
  expect_counts(one_exchange("multisend", 3, 0, {.phases = 2, .conservation = Conservation::reduce_scatter}), 12, 12 * 20, 12 * 20, 2);
}

// Rounds: synchronisations of the node, the barrier between nodes, the agreement on the size of slots.
TEST(ExactCounts, Shared) {
  expect_counts(one_exchange("shared", 3, 4), 0, 0, 0, 2);
  expect_counts(one_exchange("shared", 3, 2), 1, 4 * 28, 4 * 28, 4);
  expect_counts(one_exchange("shared", 3, 1), 3, 3 * 28, 3 * 28, 4);
}

// On a ring, the same loads, from few ranks to many.
std::uint64_t memory_on_a_ring(const std::string& name, int ranks, const Options& options) {
  std::uint64_t bytes = 0;
  as_ranks(ranks, 1, [&](comm::Communicator& comm) {
    const int next = (comm.rank() + 1) % ranks, last = (comm.rank() + ranks - 1) % ranks;
    const auto strategy = find_strategy(name).make(comm, {{last}, {next}}, options);
    Incoming in;
    for (int e = 0; e < 3; ++e) strategy->start({Bytes(16), {0, 16}}), strategy->finish(in);
    if (comm.rank() == 1) bytes = strategy->counts().buffer_bytes;
  });
  return bytes;
}

TEST(Memory, OfDirectedMethodsDoesNotGrowWithRanks) {
  for (const std::string name : {"neighbor", "persistent", "multisend", "multisend_aggregated", "nbx", "shared"})
    EXPECT_EQ(memory_on_a_ring(name, 4, {}), memory_on_a_ring(name, 16, {})) << name;
  for (const std::string name : {"alltoall", "alltoallv"}) EXPECT_LT(memory_on_a_ring(name, 4, {}), memory_on_a_ring(name, 16, {})) << name;
}

TEST(Auto, SaysWhatItChose) {
  for (const int per_node : {1, 2})
    as_ranks(4, per_node, [&](comm::Communicator& comm) {
      const Plan plan{.ranks = 4, .record_bytes = 4, .directed = true, .seed = 3, .exchanges = 50};
      const auto strategy = find_strategy("auto").make(comm, plan.partners(comm.rank()), {});
      EXPECT_EQ(strategy->choice(), "not yet chosen");
      play(comm, *strategy, plan);
      const std::string choice = strategy->choice();
      EXPECT_EQ(choice.find(" shared ") != std::string::npos, per_node == 2) << choice;
      EXPECT_NO_THROW(find_strategy(choice.substr(0, choice.find(' ')))) << choice;
      std::uint64_t text = std::hash<std::string>{}(choice) >> 2, all = text;
      comm.allreduce({reinterpret_cast<std::int64_t*>(&all), 1}, comm::Op::max);
      EXPECT_EQ(all, text) << "all ranks say the same";
    });
}

}  // namespace
}  // namespace npl::exchange::test_parts
