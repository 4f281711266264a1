// SPDX-License-Identifier: Apache-2.0
#include "deliver/edge_table.hpp"

#include <algorithm>

namespace npl::deliver {

Delay EdgeTable::longest_delay() const {
  Delay longest = layout == Layout::single ? one_delay : Delay{1};
  for (const Run& r : runs) longest = std::max(longest, r.delay);
  for (Delay d : delay) longest = std::max(longest, d);
  return longest;
}

}  // namespace npl::deliver
