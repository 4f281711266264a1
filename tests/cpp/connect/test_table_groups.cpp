// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "connect/table_groups.hpp"

namespace npl::connect::test_table_groups {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(TableGroups, LargestFirst) {
  EXPECT_EQ(TableGroups(0).in_order({}), Groups{});
  EXPECT_EQ(TableGroups(3).in_order({5, 20, 5}), (Groups{{1}, {0}, {2}}));
}

TEST(TableGroups, JoinedOnesStayTogether) {
  TableGroups groups(6);
  groups.join(4, 1);
  groups.join(5, 0);
  groups.join(1, 5);
  groups.join(1, 4);
  EXPECT_EQ(groups.of(0), groups.of(4));
  EXPECT_NE(groups.of(0), groups.of(2));
  EXPECT_EQ(groups.in_order({1, 1, 3, 9, 1, 1}), (Groups{{3}, {0, 1, 4, 5}, {2}}));
}

}  // namespace
}  // namespace npl::connect::test_table_groups
