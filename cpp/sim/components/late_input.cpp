// SPDX-License-Identifier: Apache-2.0
#include "sim/components/late_input.hpp"

#include <algorithm>

namespace npl::sim {

void LateInput::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Late& a, const Late& b) { return a.due > b.due; });
}

std::uint64_t LateInput::before(Step step, std::size_t row) {
  std::uint64_t events = 0;
  for (; !all_.empty() && all_.back().due <= step; all_.pop_back(), ++events) {
    const Late& l = all_.back();
    const auto r = static_cast<std::size_t>(l.receptor);
    if (l.off_grid)
      host_.input.precise_events().push_back({l.target, l.receptor, l.offset, l.counts ? 1.0 : l.value});
    else
      add_wrapping(host_.input.sums(r, row)[l.target], l.counts ? 1 : round_to_fixed(l.value * host_.input.scale(r).to_fixed));
  }
  return events;
}

}  // namespace npl::sim
