// SPDX-License-Identifier: Apache-2.0
/// Interval arithmetic over programs: bounds of a formula on a box of positions (Moore 1966).
#pragma once
#include <vector>

#include "connect/space/program.hpp"

namespace npl::connect::space {

/// All values that a result can have: from low to high, and NaN where `maybe_nan`. Ends may be infinite.
struct Interval {
  double low, high;
  bool maybe_nan = false;
};

/// Result of one instruction from the intervals of its operands. Every value that Program::run computes lies in it, with its rounding.
Interval apply(const Instruction&, const Interval& a, const Interval& b, const Interval& c);

/// Bounds of the values of a program whose inputs lie in these intervals. @param inputs [input_count] @param work scratch
Interval bounds(const Program&, const Interval* inputs, std::vector<Interval>& work);

}  // namespace npl::connect::space
