// SPDX-License-Identifier: Apache-2.0
// Tests that compare SIMD levels compare those that were compiled: in CI (NEUROPIL_NO_SKIPS) these are all levels of the machine.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../levels.hpp"

namespace npl::test_levels {
namespace {

TEST(Levels, EndWithTheLevelInUse) {
  const auto levels = tested_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.back(), isa());
  EXPECT_LE(isa(), machine_isa());
}

TEST(Levels, InCiAreAllOfTheMachine) {
  const std::size_t needed = std::getenv("NEUROPIL_NO_SKIPS") ? static_cast<std::size_t>(machine_isa()) + 1 : 1;
  EXPECT_GE(tested_levels().size(), needed) << "configure with -DNEUROPIL_ISA=machine";
}

}  // namespace
}  // namespace npl::test_levels
