// SPDX-License-Identifier: Apache-2.0
// The distinct records of all ranks, on each of them.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <thread>

#include "comm/collect.hpp"

namespace npl::comm::test_united {
namespace {

/// Records of a rank; several ranks have the same ones.
std::set<Words> records_of(int rank, int most, unsigned seed) {
  std::mt19937_64 random(seed + static_cast<unsigned>(rank));
  std::set<Words> found;
  for (int k = static_cast<int>(random() % static_cast<unsigned>(most + 1)); k > 0; --k) {
    const auto low = static_cast<std::int64_t>(random() % 40), sign = static_cast<std::int64_t>(random() % 2);
    found.insert({low - 20, sign ? std::numeric_limits<std::int64_t>::min() : low, 7});
  }
  return found;
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, KnowTheRecordsOfAll) {
  const int ranks = GetParam();
  for (const int most : {0, 1, 3, 100}) {
    const auto seed = static_cast<unsigned>(100 * ranks + most);
    std::set<Words> expected;
    for (int r = 0; r < ranks; ++r) expected.merge(records_of(r, most, seed));
    std::vector<std::thread> all;
    for (const auto& comm : threads(ranks))
      all.emplace_back([&, comm] { EXPECT_EQ(united(*comm, records_of(comm->rank(), most, seed), 3), expected); });
    for (auto& t : all) t.join();
  }
}

INSTANTIATE_TEST_SUITE_P(United, Ranks, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace npl::comm::test_united
