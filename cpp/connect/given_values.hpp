// SPDX-License-Identifier: Apache-2.0
/// Weights and delays that callers give as arrays: one value per edge, 10^8 of them in a large file, so each array is read once.
#pragma once
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace npl::connect {

/// What is known of the values of an array.
struct ArrayScan {
  double low = 0.0, high = 0.0;  ///< smallest and largest value; 0 of an empty array
  bool finite = true;            ///< no value is inf or NaN: low and high have no meaning otherwise
  bool floats = true;            ///< float32 holds all values exactly
};
ArrayScan scan(std::span<const double> values);

std::vector<float> to_floats(std::span<const double> values);

/// Delays in steps, with the shortest and the longest. 0: a delay that is not allowed, see rng::steps_or_0; then `lowest` is 0.
struct DelaySteps {
  std::vector<Delay> steps;
  Delay lowest = 1, highest = 1;
};
DelaySteps to_steps(std::span<const double> ms, double resolution);

}  // namespace npl::connect
