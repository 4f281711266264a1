// SPDX-License-Identifier: Apache-2.0
/// The strategy that docs/howto/add_strategy.md describes: the page shows pairs.cpp as it is here, and it works.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness.hpp"

namespace npl::exchange {
const StrategyInfo& strategy_pairs();
}

namespace npl::exchange::test_howto {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Howto, PageShowsTheCode) {
  const auto here = std::filesystem::path(__FILE__).parent_path();
  const std::string code = content(here / "pairs.cpp"), page = content(here / "../../../docs/howto/add_strategy.md");
  ASSERT_FALSE(code.empty());
  EXPECT_NE(page.find("```cpp\n" + code + "```"), std::string::npos)
      << "docs/howto/add_strategy.md differs from tests/cpp/exchange/pairs.cpp";
}

TEST(Howto, PairsDeliversWhatDirectDeliveryWould) {
  for (const int ranks : {1, 2, 5})
    for (const std::size_t record_bytes : {2, 4, 8, 16}) {
      const Plan plan{.ranks = ranks, .record_bytes = record_bytes, .directed = true, .seed = record_bytes};
      as_ranks(ranks, 2, [&](comm::Communicator& comm) {
        const auto strategy = strategy_pairs().make(comm, plan.partners(comm.rank()), {.record_bytes = record_bytes});
        play(comm, *strategy, plan);
      });
    }
  EXPECT_THROW(strategy_pairs().make(*comm::single(), {}, {.phases = 2}), BadParameter);
}

/// The page's own file has everything that the registry asks of a strategy.
TEST(Howto, PairsSaysAllAboutItself) {
  const StrategyInfo& info = strategy_pairs();
  EXPECT_EQ(info.name, "pairs");
  EXPECT_FALSE(info.doc.empty());
  EXPECT_GT(info.is.bytes({4, 3, 30, 4, 10}), 0.0);
}

}  // namespace
}  // namespace npl::exchange::test_howto
