// SPDX-License-Identifier: Apache-2.0
#include "connect/given_values.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "rng/delay_steps.hpp"

namespace npl::connect {
namespace {

constexpr std::size_t lanes = 8;  // separate minima and maxima, as the compiler may not reorder them

/// Results of every eighth value.
struct Lanes {
  double low[lanes], high[lanes];
  std::uint64_t not_finite[lanes] = {}, not_float[lanes] = {};

  explicit Lanes(double first) { std::fill_n(low, lanes, first), std::fill_n(high, lanes, first); }
  void take(const double* x) {
    for (std::size_t k = 0; k < lanes; ++k) {
      low[k] = x[k] < low[k] ? x[k] : low[k];
      high[k] = x[k] > high[k] ? x[k] : high[k];
      not_finite[k] |= !(x[k] - x[k] == 0.0);
      not_float[k] |= !(static_cast<double>(static_cast<float>(x[k])) == x[k]);
    }
  }
  ArrayScan result() const {
    const auto none = [](const std::uint64_t* found) { return std::all_of(found, found + lanes, [](std::uint64_t x) { return x == 0; }); };
    return {*std::min_element(low, low + lanes), *std::max_element(high, high + lanes), none(not_finite), none(not_float)};
  }
};

}  // namespace

ArrayScan scan(std::span<const double> values) {
  if (values.empty()) return {};
  Lanes all(values[0]);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) all.take(values.data() + i);
  double rest[lanes];
  std::fill_n(rest, lanes, values[0]);
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), rest);
  all.take(rest);
  return all.result();
}

std::vector<float> to_floats(std::span<const double> values) {
  auto out = zeros_in_pages<float>(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](double x) { return static_cast<float>(x); });
  return out;
}

DelaySteps to_steps(std::span<const double> ms, double resolution) {
  DelaySteps all;
  if (ms.empty()) return all;
  all.steps = zeros_in_pages<Delay>(ms.size());
  rng::steps_or_0(ms, resolution, all.steps.data());
  Delay low = all.steps[0], high = low;
  for (const Delay steps : all.steps) low = std::min(low, steps), high = std::max(high, steps);
  all.lowest = low, all.highest = high;
  return all;
}

}  // namespace npl::connect
