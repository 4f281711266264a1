// SPDX-License-Identifier: Apache-2.0
// The back end `threads` (and `single`): all verbs over groups of 1 to 8 ranks; what only this back end promises.
#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "verbs.hpp"

namespace npl::comm::test_threads {
namespace {

void on_all(const std::vector<std::shared_ptr<Communicator>>& group, const std::function<void(Communicator&)>& body) {
  std::vector<std::thread> threads;
  for (const auto& c : group) threads.emplace_back([&body, &c] { body(*c); });
  for (auto& t : threads) t.join();
}

class Verbs : public testing::TestWithParam<std::tuple<verbs::Body, int>> {};

TEST_P(Verbs, OverThreads) {
  const auto [body, ranks] = GetParam();
  on_all(threads(ranks), body.run);
}

INSTANTIATE_TEST_SUITE_P(Threads, Verbs, testing::Combine(testing::ValuesIn(verbs::bodies), testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param));
                         });

TEST(Threads, OneGroupRunsAllVerbsOneAfterTheOther) {
  on_all(threads(3, 2), [](Communicator& c) {
    for (const verbs::Body& body : verbs::bodies) body.run(c);
  });
}

TEST(Threads, TheyKnowWhoTheyAre) {
  const auto group = threads(5);
  for (int r = 0; r < 5; ++r) EXPECT_TRUE(group[r]->rank() == r && group[r]->size() == 5 && group[r]->name() == "threads");
  EXPECT_TRUE(single()->rank() == 0 && single()->size() == 1 && single()->name() == "single");
  EXPECT_THROW(threads(0), BadParameter);
  EXPECT_THROW(threads(2, -1), BadParameter);
}

TEST(Single, EveryVerbWorks) {
  const auto one = single();
  for (const verbs::Body& body : verbs::bodies) body.run(*one);
}

TEST(Threads, SumsGoInOrderOfRanks) {
  const auto term = [](int rank, int i) { return std::ldexp(1.0 / (3 + rank + i), (rank * 29 + i * 13) % 20); };
  on_all(threads(7), [&](Communicator& c) {
    std::vector<double> sum, expected;
    for (int i = 0; i < 3000; ++i) {
      sum.push_back(term(c.rank(), i));
      expected.push_back(term(0, i));
      for (int r = 1; r < 7; ++r) expected.back() += term(r, i);
    }
    c.allreduce(std::span<double>(sum), Op::sum);
    EXPECT_EQ(sum, expected);
  });
}

TEST(Threads, NodesAreConsecutiveRanks) {
  on_all(threads(5, 2), [](Communicator& c) {
    verbs::shared_memory(c);
    const auto memory = c.share(1);
    const auto ranks = memory->ranks();
    const int first = c.rank() / 2 * 2;
    EXPECT_EQ(std::vector<int>(ranks.begin(), ranks.end()), first == 4 ? std::vector{4} : (std::vector{first, first + 1}));
  });
}

TEST(Threads, MemoryLivesAsLongAsOneRankReadsIt) {
  on_all(threads(2), [](Communicator& c) {
    auto memory = c.share(8);
    std::memset(memory->of(c.rank()), 40 + c.rank(), 8);
    memory->sync();
    if (c.rank() == 0) memory.reset();
    c.barrier();
    if (memory) {
      EXPECT_EQ(std::to_integer<int>(memory->of(0)[7]), 40);
    }
  });
}

/// A rank that has only started an operation does not hold up the others.
TEST(Threads, OperationsCompleteWithoutTheHelpOfAllRanks) {
  const auto group = threads(2);
  std::int64_t a[] = {1}, b[] = {2};
  const Request first = group[0]->iallreduce(std::span<std::int64_t>(a), Op::sum);
  EXPECT_FALSE(group[0]->test(first));
  group[1]->allreduce(std::span<std::int64_t>(b), Op::sum);
  EXPECT_EQ(b[0], 3);
  EXPECT_TRUE(group[0]->test(first));
  EXPECT_EQ(a[0], 3);
}

TEST(Threads, ProbeFindsTheOldest) {
  const auto group = threads(4);
  for (int from : {2, 1, 3, 1}) group[from]->isend(0, 9, &from, sizeof from);
  for (int from : {2, 1, 3, 1}) {
    const auto found = group[0]->iprobe(9);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->source, from);
    int got = 0;
    group[0]->recv(from, 9, &got, sizeof got);
    EXPECT_EQ(got, from);
  }
  EXPECT_FALSE(group[0]->iprobe(9));
}

TEST(Threads, CountsMayGoOnceTheOperationHasStarted) {
  const auto group = threads(2);
  const std::array<int, 2> send{5, 6};
  std::array<int, 2> recv[2] = {};
  Request requests[2];
  for (int r = 0; r < 2; ++r) {
    std::vector<std::size_t> counts(2, sizeof(int));
    requests[r] = group[r]->ialltoallv(send.data(), counts, recv[r].data(), counts);
    counts.assign(2, 1000000);
  }
  for (int r = 0; r < 2; ++r) group[r]->wait(requests[r]);
  EXPECT_EQ(recv[0], (std::array{5, 5}));
  EXPECT_EQ(recv[1], (std::array{6, 6}));
}

TEST(Threads, SumsOverTheRanksOfANode) {
  const auto group = threads(5, 2);  // nodes {0, 1}, {2, 3}, {4}
  std::vector<double> sums(5);
  std::vector<int> ranks(5);
  std::vector<std::thread> all;
  for (std::size_t r = 0; r < 5; ++r)
    all.emplace_back(
        [&, r] { ranks[r] = group[r]->ranks_on_node(), sums[r] = group[r]->sum_on_node(std::pow(10.0, static_cast<double>(r))); });
  for (auto& t : all) t.join();
  EXPECT_EQ(sums, (std::vector<double>{11, 11, 1100, 1100, 10000}));
  EXPECT_EQ(ranks, (std::vector<int>{2, 2, 2, 2, 1}));
  EXPECT_EQ(single()->ranks_on_node(), 1);
  EXPECT_EQ(single()->sum_on_node(3.5), 3.5);
}

// --- ends of the job

TEST(ThreadsDeathTest, AbortSaysWhoAndWhy) {
  EXPECT_EXIT(threads(3)[1]->abort(7, "no more memory"), testing::ExitedWithCode(7), "neuropil: rank 1 of 3: no more memory");
}

TEST(ThreadsDeathTest, MisuseIsNamed) {
  const auto different = [] {
    const auto group = threads(2);
    std::int64_t x[] = {1};
    group[0]->ibarrier();
    group[1]->iallreduce(std::span<std::int64_t>(x), Op::sum);
  };
  EXPECT_EXIT(different(), testing::ExitedWithCode(1), "ranks 0 and 1 call different collective operations");
  const auto too_long = [] {
    const auto group = threads(2);
    int x = 0;
    group[0]->isend(1, 0, &x, sizeof x);
    group[1]->recv(0, 0, &x, 2);
  };
  EXPECT_EXIT(too_long(), testing::ExitedWithCode(1), "rank 0 sent 4 bytes, expected 2");
  EXPECT_EXIT(threads(2)[0]->isend(2, 0, nullptr, 0), testing::ExitedWithCode(1), "no rank 2");
  EXPECT_EXIT(threads(2)[0]->isend(1, 32768, nullptr, 0), testing::ExitedWithCode(1), "tag 32768");
  EXPECT_EXIT(single()->wait(77), testing::ExitedWithCode(1), "a request is used that is gone");
  EXPECT_EXIT(single()->make_topology(std::vector{0}, {}), testing::ExitedWithCode(1), "disagree on being neighbours");
}

}  // namespace
}  // namespace npl::comm::test_threads
