// SPDX-License-Identifier: Apache-2.0
#include "rng/uniform_int.hpp"

namespace npl::rng {

UniformInt::UniformInt(const ValueSpec& spec) : shift_(spec.shift), factor_(spec.factor), count_(static_cast<std::uint32_t>(spec.a)) {
  if (factor_ < 0) first_ = spec.a - 1, step_ = -1.0;
  if (spec.limit == Limit::redraw) {
    const std::uint32_t out = below(spec.min, false), kept = below(spec.max, true);
    first_ += step_ * static_cast<double>(out);
    count_ = kept > out ? kept - out : 0;
  }
  if (spec.limit == Limit::clip) min_ = spec.min, max_ = spec.max;
}

std::uint32_t UniformInt::below(double x, bool equal) const {
  std::uint32_t begin = 0, end = count_;
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    const double v = value(middle);
    (v < x || (equal && v == x) ? begin : end) = v < x || (equal && v == x) ? middle + 1 : middle;
  }
  return begin;
}

}  // namespace npl::rng
