// SPDX-License-Identifier: Apache-2.0
// Records dealt to ranks that do not expect them: each arrives once, in order.
#include "exchange/post.hpp"

#include "comm/collect.hpp"
#include "harness.hpp"

namespace npl::exchange::test_post {
namespace {

struct Record {
  int from, to, nth;
  auto operator<=>(const Record&) const = default;
};

/// Some ranks deal nothing, some to themselves alone.
std::vector<Record> of_rank(int rank, int ranks, int round) {
  std::vector<Record> records;
  for (int k = 0; (rank + round) % 3 && k < 40; ++k) {
    const int to = rank % 4 == 1 ? rank : static_cast<int>(mix(static_cast<std::uint64_t>(rank * 100 + round), k) % ranks);
    records.push_back({rank, to, k});
  }
  return records;
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, GetWhatIsDealtToThem) {
  const int ranks = GetParam();
  as_ranks(ranks, 0, [&](comm::Communicator& comm) {
    Post post(comm);
    for (int round = 0; round < 5; ++round) {
      std::vector<Record> expected;
      for (int r = 0; r < ranks; ++r)
        for (const Record& record : of_rank(r, ranks, round))
          if (record.to == comm.rank()) expected.push_back(record);
      EXPECT_EQ(post.deal(of_rank(comm.rank(), ranks, round), [](const Record& r) { return r.to; }), expected);
    }
  });
}

TEST_P(Ranks, KnowTheSumBefore) {
  as_ranks(GetParam(), 0, [](comm::Communicator& comm) {
    for (std::int64_t round = 1; round < 6; ++round) {
      std::int64_t values[] = {comm.rank() + round, 7 * round}, expected[] = {0, 7 * round * comm.rank()};
      for (int r = 0; r < comm.rank(); ++r) expected[0] += r + round;
      comm::sum_before(comm, values);
      EXPECT_EQ(values[0], expected[0]);
      EXPECT_EQ(values[1], expected[1]);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Post, Ranks, testing::Values(1, 2, 3, 5, 8, 13));

}  // namespace
}  // namespace npl::exchange::test_post
