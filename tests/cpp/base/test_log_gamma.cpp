// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/log_gamma.hpp"

namespace npl::test_log_gamma {
namespace {

TEST(LogGamma, IsThatOfTheStandardLibrary) {
  for (double x = 0.01; x < 1e6; x *= 1.07)
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 4e-15 * std::max(10.0, std::fabs(std::lgamma(x)))) << x;
}

}  // namespace
}  // namespace npl::test_log_gamma
