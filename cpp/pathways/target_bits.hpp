// SPDX-License-Identifier: Apache-2.0
/// The targets of each row of a table as one bit per node. Where most nodes get spikes of equal weight and delay in a step, rows are
/// counted bit by bit, for hundreds of nodes in a few instructions, instead of being added target by target. The sums are the same.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/fixed.hpp"
#include "tables/edge_table.hpp"

namespace npl::pathways {

class TargetBits {
 public:
  TargetBits() : bits_(0) {}
  /// @param table of Layout::single, with synapses. Throws std::bad_alloc.
  explicit TargetBits(const tables::EdgeTable& table);

  /// Whether the bits of a table take no more memory than its targets. @param synapses of `rows` rows
  static bool are_small(double synapses, double rows, double nodes) { return synapses * sizeof(std::uint16_t) >= rows * row_bytes(nodes); }
  /// Whether they are faster than the targets for so many events of a step.
  static bool are_fast(double events, double nodes) { return 2 * events >= nodes; }
  /// Expected bytes.
  static double expected_bytes(double synapses, double rows, double nodes);

  bool empty() const { return bits_.size() == 0; }
  std::size_t bytes() const { return bits_.bytes() + begin_.capacity() * sizeof(begin_[0]) + again_.capacity() * sizeof(again_[0]); }
  /// Adds `each` to the sums [nodes] of the targets of some rows. A row may be named more than once.
  void add(std::span<const std::uint32_t> rows, Fixed each, Fixed* sums) const;

 private:
  static constexpr std::size_t block = 512, words = block / 64;  ///< nodes that are counted at once

  /// Rows are whole blocks.
  static double row_bytes(double nodes);
  std::ptrdiff_t mark(const tables::EdgeTable& table, std::uint32_t begin, std::uint32_t end, std::uint64_t* bits,
                      std::uint16_t* again) const;
  void prefetch(std::uint32_t r) const {
    prefetch_lines(row(r), blocks_ * words * sizeof(std::uint64_t));
    prefetch_lines(again_.data() + begin_[r], (begin_[r + 1] - begin_[r]) * sizeof(std::uint16_t));
  }
  const std::uint64_t* row(std::uint32_t r) const { return bits_.data() + r * blocks_ * words; }

  std::size_t first_ = 0, nodes_ = 0, blocks_ = 0;  ///< nodes: from `first_` on
  Buffer<std::uint64_t> bits_;                      ///< [rows + 1][blocks][words]; the last row has no target
  std::vector<std::uint32_t> begin_;                ///< [rows + 1] offsets into `again_`
  std::vector<std::uint16_t> again_;                ///< targets that a row has more than once, as often as they come again
};

}  // namespace npl::pathways
