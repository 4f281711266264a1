// SPDX-License-Identifier: Apache-2.0
/// The values of many sources in the last steps, a row per step: what axons with a delay hold. Threads write different columns of the rows
/// of the part that is simulated, and read earlier rows.
#pragma once
#include <bit>
#include <cstddef>
#include <vector>

#include "base/ids.hpp"

namespace npl::continuous {

class Course {
 public:
  Course() = default;
  /// @param steps that are kept at least @param sources columns; all values are 0
  Course(Step steps, std::size_t sources)
      : steps_(std::bit_ceil(static_cast<std::uint64_t>(steps))), sources_(sources), values_(steps_ * sources) {}

  Step steps() const { return static_cast<Step>(steps_); }
  std::size_t sources() const { return sources_; }
  double* row(Step step) { return values_.data() + place(step); }
  const double* row(Step step) const { return values_.data() + place(step); }
  std::size_t bytes() const { return values_.capacity() * sizeof(double); }

 private:
  std::size_t place(Step step) const { return (static_cast<std::uint64_t>(step) & (steps_ - 1)) * sources_; }

  std::uint64_t steps_ = 1;  ///< a power of two
  std::size_t sources_ = 0;
  std::vector<double> values_ = {};
};

}  // namespace npl::continuous
