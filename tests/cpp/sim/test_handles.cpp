// SPDX-License-Identifier: Apache-2.0
// Handles of synapses: encoding of rank and slice is invertible for all sizes.
#include <gtest/gtest.h>

#include <set>

#include "areas.hpp"
#include "comm/dry_run.hpp"
#include "sim/handles.hpp"

namespace npl::sim::test_handles {
namespace {

constexpr int ranks[] = {0, 1, 32767, 32768, 65535, 65536, 65537, (1 << 20) - 1, 1 << 20, 2147483647};
constexpr SliceId slices[] = {0, 1, 65535, 65536, (1u << 20) - 1, 2147483647u};

TEST(Handles, GiveBackRankAndSlice) {
  std::set<std::int64_t> all;
  for (int rank : ranks)
    for (SliceId slice : slices) {
      const std::int64_t handle = slice_handle(rank, slice);
      EXPECT_EQ(rank_of_handle(handle), rank);
      EXPECT_EQ(slice_of_handle(handle), std::int64_t{slice});
      EXPECT_TRUE(all.insert(handle).second) << rank << " " << slice;
    }
}

/// The Python side carries handles between ranks as doubles.
TEST(Handles, OfAMillionRanksAreExactAsDoubles) {
  for (int rank : {32768, 65536, (1 << 20) - 1}) {
    const std::int64_t handle = slice_handle(rank, (1u << 20) - 1);
    EXPECT_EQ(static_cast<std::int64_t>(static_cast<double>(handle)), handle);
  }
}

/// One rank of a million, in a dry run: its handles name its own synapses; handles of other ranks name none here.
TEST(Handles, NameTheSynapsesOfTheirRankAlone) {
  for (const int rank : {32767, 32768, 65536, 1048575}) {
    Settings s{0.1, 7, 1, 0};
    s.comm = comm::dry_run(1 << 20, rank);
    s.exchange.strategy = "alltoallv";
    Network net(s);
    const Gid first = net.create("iaf_psc_exp", 3 << 20, {});
    ConnectCall c = call(nodes(first, 10), nodes(first, 3 << 20), "all_to_all", 2.5, 1.0);
    net.connect(c);
    net.build(nullptr);
    const ConnectionColumns own = net.connections(nullptr, nullptr, "");
    ASSERT_EQ(own.size(), 30u);
    EXPECT_EQ(rank_of_handle(own.slice[0]), rank);
    EXPECT_EQ(net.get_weights(own, false), std::vector<double>(30, 2.5));
    for (const int other : {0, rank ^ 65536, rank ^ 32768, rank - 1}) {
      if (other == rank || other < 0 || other >= 1 << 20) continue;
      Handles elsewhere = own;
      for (auto& slice : elsewhere.slice) slice = slice_handle(other, static_cast<SliceId>(slice_of_handle(slice)));
      EXPECT_EQ(net.get_weights(elsewhere, false), std::vector<double>(30, 0.0)) << rank << " " << other;
    }
    Handles nowhere = own;
    nowhere.slice[0] = slice_handle(1 << 20, 0);
    EXPECT_THROW(net.get_weights(nowhere, false), BadParameter);
  }
}

}  // namespace
}  // namespace npl::sim::test_handles
