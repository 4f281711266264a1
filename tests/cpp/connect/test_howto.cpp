// SPDX-License-Identifier: Apache-2.0
/// The rule that docs/howto/add_rule.md describes: the page shows ring.cpp as it is here, and it works.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule_tester.hpp"

namespace npl::connect {
const RuleInfo& rule_ring();
}

namespace npl::connect::test_howto {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Howto, PageShowsTheCode) {
  const auto here = std::filesystem::path(__FILE__).parent_path();
  const std::string code = content(here / "ring.cpp"), page = content(here / "../../../docs/howto/add_rule.md");
  ASSERT_FALSE(code.empty());
  EXPECT_NE(page.find("```cpp\n" + code + "```"), std::string::npos) << "docs/howto/add_rule.md differs from tests/cpp/connect/ring.cpp";
}

TEST(Howto, RingJoinsNeighbours) {
  const auto rule = rule_ring().make({nodes(1, 10), nodes(1, 10), {}, {{"indegree", 3}}});
  const auto edges = edges_of(*rule, first_positions(10));
  ASSERT_EQ(edges.size(), 30u);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto target = static_cast<std::int64_t>(i / 3), distance = static_cast<std::int64_t>(i % 3) + 1;
    EXPECT_EQ(edges[i].target, target);
    EXPECT_EQ(edges[i].source, (target + 10 - distance) % 10);
    EXPECT_EQ(edges[i].index, i);
  }
  EXPECT_THROW(rule_ring().make({nodes(1, 10), nodes(1, 10), {}, {{"indegree", 10}}}), BadParameter);
}

}  // namespace
}  // namespace npl::connect::test_howto
