// SPDX-License-Identifier: Apache-2.0
#include "base/precise_event.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace npl {
namespace {

constexpr std::size_t most_runs = 16, least_length = 4;  ///< otherwise they are sorted afresh

struct InOrder {
  bool operator()(const PreciseEvent& a, const PreciseEvent& b) const {
    return a.target != b.target ? a.target < b.target : canonical(a, b);
  }
};

/// Merges runs that begin at bounds[0], ..., and end at the last of the bounds.
void merge(PreciseEvent* events, std::span<const std::size_t> bounds) {
  if (bounds.size() < 3) return;
  const std::size_t middle = bounds.size() / 2;
  merge(events, bounds.first(middle + 1)), merge(events, bounds.subspan(middle));
  std::inplace_merge(events + bounds.front(), events + bounds[middle], events + bounds.back(), InOrder{});
}

}  // namespace

void sort_canonically(std::vector<PreciseEvent>& events) {
  const auto end = events.end();
  std::array<std::size_t, most_runs + 1> bounds{};
  std::size_t runs = 0;
  for (auto begin = events.begin(); begin != end && runs < most_runs; bounds[++runs] = static_cast<std::size_t>(begin - events.begin()))
    begin = std::is_sorted_until(begin, end, InOrder{});
  if (bounds[runs] < events.size() || runs * least_length > events.size() + least_length)
    std::sort(events.begin(), end, InOrder{});
  else
    merge(events.data(), {bounds.data(), runs + 1});
}

}  // namespace npl
