// SPDX-License-Identifier: Apache-2.0
// One rank played alone: what it sends to another comes back as from that one, for every verb.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "base/error.hpp"
#include "comm/collect.hpp"
#include "comm/dry_run.hpp"

namespace npl::comm::test_dry_run {
namespace {

using Ints = std::vector<int>;

TEST(DryRun, KnowsWhoItPlays) {
  const auto c = dry_run(1000000, 17);
  EXPECT_EQ(c->rank(), 17);
  EXPECT_EQ(c->size(), 1000000);
  EXPECT_TRUE(c->mirrored());
  EXPECT_FALSE(single()->mirrored());
  EXPECT_THROW(dry_run(0, 0), BadParameter);
  EXPECT_THROW(dry_run(4, 4), BadParameter);
  EXPECT_THROW(dry_run(4, -1), BadParameter);
}

TEST(DryRun, ReductionsAreThoseOfRanksThatAreAlike) {
  const auto c = dry_run(6, 2);
  std::vector<std::int64_t> n{3, -4};
  std::vector<double> x{0.5};
  c->allreduce(std::span<std::int64_t>(n), Op::sum);
  c->allreduce(std::span<double>(x), Op::sum);
  EXPECT_EQ(n, (std::vector<std::int64_t>{18, -24}));
  EXPECT_EQ(x[0], 3.0);
  for (Op op : {Op::min, Op::max, Op::bit_or}) {
    c->allreduce(std::span<std::int64_t>(n), op);
    EXPECT_EQ(n, (std::vector<std::int64_t>{18, -24}));
  }
  EXPECT_EQ(c->reduce_scatter(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}), 21);
}

TEST(DryRun, PartsComeBackFromWhereTheyWereSent) {
  const auto c = dry_run(4, 1);
  const Ints send{10, 11, 12, 13};
  Ints recv(4), repeated(4);
  c->alltoall(send.data(), sizeof(int), recv.data());
  EXPECT_EQ(recv, send);
  c->allgather(&send[2], sizeof(int), repeated.data());
  EXPECT_EQ(repeated, Ints(4, 12));
  const std::vector<std::size_t> counts{4, 0, 8, 4}, each(4, 4);
  recv.assign(4, 0), repeated.assign(4, 0);
  c->alltoallv(send.data(), counts, recv.data(), counts);
  EXPECT_EQ(recv, send);
  c->allgatherv(&send[1], 4, repeated.data(), each);
  EXPECT_EQ(repeated, Ints(4, 11));
}

TEST(DryRun, NeighboursAreMirrored) {
  const auto c = dry_run(100, 1);
  const Ints partners{0, 7, 99}, send{1, 2, 3, 4};
  const int topology = c->make_topology(partners, partners);
  const std::vector<std::size_t> counts{4, 8, 4};
  Ints recv(4), equal(3);
  c->wait(c->ineighbor_alltoallv(topology, send.data(), counts, recv.data(), counts));
  EXPECT_EQ(recv, send);
  const std::array<Request, 1> request{c->neighbor_alltoall_init(topology, send.data(), 4, equal.data())};
  c->start(request);
  c->wait(request[0]);
  EXPECT_EQ(equal, (Ints{1, 2, 3}));
  c->release(request[0]);
  EXPECT_EXIT(c->make_topology(partners, send), testing::ExitedWithCode(1), "no mirror");
}

TEST(DryRun, MessagesComeBackInOrder) {
  const auto c = dry_run(10, 0);
  const Ints sent{5, 6, 7};
  for (int i : {0, 1}) c->wait(c->isend(3, 40, &sent[static_cast<std::size_t>(i)], sizeof(int)));
  EXPECT_FALSE(c->iprobe(41));
  const Request last = c->issend(4, 40, &sent[2], sizeof(int));
  EXPECT_FALSE(c->test(last));
  for (int i = 0; i < 3; ++i) {
    const auto found = c->iprobe(40);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->source, i < 2 ? 3 : 4);
    EXPECT_EQ(found->bytes, sizeof(int));
    int value = 0;
    c->recv(found->source, 40, &value, sizeof value);
    EXPECT_EQ(value, 5 + i);
  }
  EXPECT_TRUE(c->test(last));
  EXPECT_FALSE(c->iprobe(40));
}

TEST(DryRun, ASenderThatGoesOnMayReuseItsBuffer) {
  const auto c = dry_run(10, 0);
  int value = 1, got = 0;
  c->wait(c->isend(9, 300, &value, sizeof value));
  value = 2;
  c->recv(9, 300, &got, sizeof got);
  EXPECT_EQ(got, 1);
}

TEST(DryRun, PersistentMessagesAreStartedAgain) {
  const auto c = dry_run(5, 2);
  int out = 0, in = 0;
  const std::array<Request, 2> both{c->recv_init(4, 300, &in, sizeof in), c->send_init(4, 300, &out, sizeof out)};
  for (int round = 1; round < 4; ++round) {
    out = round;
    c->start(both);
    for (const Request r : both) c->wait(r);
    EXPECT_EQ(in, round);
  }
  for (const Request r : both) c->release(r);
}

TEST(DryRun, NobodyElseIsOnItsNodeAndNothingIsGathered) {
  const auto c = dry_run(1000000, 5);
  const auto memory = c->share(64);
  ASSERT_EQ(memory->ranks().size(), 1u);
  EXPECT_EQ(memory->ranks()[0], 5);
  EXPECT_EQ(memory->of(0)[63], std::byte{0});
  EXPECT_EQ(gather(*c, Ints{1, 2}), (Ints{1, 2}));
  EXPECT_EQ(told(*c, "why"), "why");
  EXPECT_EQ(united(*c, {{1, 2}, {3, 4}}, 2), (std::set<Words>{{1, 2}, {3, 4}}));
}

TEST(DryRun, WhatNeverCompletesEndsTheJob) {
  const auto c = dry_run(5, 2);
  int value = 0;
  EXPECT_EXIT(c->recv(1, 300, &value, sizeof value), testing::ExitedWithCode(1), "rank 2 of 5: dry run: waits");
  EXPECT_EXIT(c->wait(c->issend(1, 300, &value, sizeof value)), testing::ExitedWithCode(1), "waits");
  EXPECT_EXIT(c->isend(5, 300, &value, sizeof value), testing::ExitedWithCode(1), "no rank 5");
}

}  // namespace
}  // namespace npl::comm::test_dry_run
