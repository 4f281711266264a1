// SPDX-License-Identifier: Apache-2.0
#include "connect/space/cells.hpp"

#include <algorithm>
#include <numeric>

namespace npl::connect::space {
namespace {

Box box_of(int dims, const Column at[3], const std::uint32_t* first, const std::uint32_t* last) {
  Box box;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dims); ++k) {
    box.low[k] = box.high[k] = at[k][*first];
    for (const std::uint32_t* i = first; i != last; ++i)
      box.low[k] = std::min(box.low[k], at[k][*i]), box.high[k] = std::max(box.high[k], at[k][*i]);
  }
  return box;
}

std::size_t widest(const Box& box) {
  std::size_t found = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (box.high[k] - box.low[k] > box.high[found] - box.low[found]) found = k;
  return found;
}

}  // namespace

Cells make_cells(int dims, const Column at[3], std::size_t n, std::size_t most) {
  Cells made;
  if (n == 0) return made;
  made.nodes.resize(n);
  std::iota(made.nodes.begin(), made.nodes.end(), std::uint32_t{0});
  std::uint32_t* const nodes = made.nodes.data();
  made.cells.push_back({box_of(dims, at, nodes, nodes + n), 0, static_cast<std::uint32_t>(n)});
  for (std::size_t c = 0; c < made.cells.size(); ++c) {
    const Cell cell = made.cells[c];
    if (cell.size() <= std::max<std::size_t>(most, 1)) {
      std::sort(nodes + cell.begin, nodes + cell.end);
      continue;
    }
    const std::uint32_t middle = cell.begin + cell.size() / 2;
    const Column along = at[widest(cell.box)];
    // Ties are broken by index, so that the halves do not depend on the library's algorithm.
    std::nth_element(nodes + cell.begin, nodes + middle, nodes + cell.end,
                     [&](std::uint32_t a, std::uint32_t b) { return along[a] < along[b] || (along[a] == along[b] && a < b); });
    made.cells[c].first_half = static_cast<std::uint32_t>(made.cells.size());
    made.cells.push_back({box_of(dims, at, nodes + cell.begin, nodes + middle), cell.begin, middle});
    made.cells.push_back({box_of(dims, at, nodes + middle, nodes + cell.end), middle, cell.end});
  }
  return made;
}

}  // namespace npl::connect::space
