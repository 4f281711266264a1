// SPDX-License-Identifier: Apache-2.0
/// Tree of cells: nodes halved again and again along the widest dimension of their box (k-d tree, Bentley 1975).
#pragma once
#include <cstdint>
#include <vector>

#include "connect/space/strips.hpp"

namespace npl::connect::space {

/// Bounding box; entries beyond the dimensions are 0.
struct Box {
  Place low{}, high{};
};

struct Cell {
  Box box;
  std::uint32_t begin, end;      ///< its nodes, as indices into Cells::nodes
  std::uint32_t first_half = 0;  ///< number of the cell with the first half of the nodes, the next one has the others; 0: not divided
  std::uint32_t size() const { return end - begin; }
};

struct Cells {
  std::vector<Cell> cells;           ///< the first one holds all nodes
  std::vector<std::uint32_t> nodes;  ///< indices of the nodes, cell by cell; ascending in cells that are not divided
};

/// Cells of n < 2^32 nodes at these coordinates, divided until they hold at most `most` nodes. The same for any threads and machine.
Cells make_cells(int dims, const Column at[3], std::size_t n, std::size_t most);

}  // namespace npl::connect::space
