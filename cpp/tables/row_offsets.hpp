// SPDX-License-Identifier: Apache-2.0
/// Row offsets of a table in one of three encodings. Plain offsets take 4 bytes per row. For short rows (on many ranks a source has hardly
/// two targets per rank) a bit per synapse that marks the first synapse of a row takes less, together with the offset of every 64th row.
/// Where all rows have one synapse, nothing is stored.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"

namespace npl::tables {

class RowOffsets {
 public:
  struct Range {
    std::uint32_t begin, end;
  };

  RowOffsets() = default;
  /// @param begin [rows + 1], ascending; every row has a synapse, else rows would be taken for rows of one
  explicit RowOffsets(Buffer<std::uint32_t> begin);
  /// @param marks bit i is set where a row begins with synapse i; at least synapses / 64 + 1 words
  RowOffsets(Buffer<std::uint64_t> marks, std::uint32_t synapses);

  /// The smaller encoding: bits if rows have at most `longest_marked` synapses on average.
  /// @param begin [rows + 1], ascending; @param may_mark false: plain offsets, with faster access
  static RowOffsets choose(const std::vector<std::uint32_t>& begin, bool may_mark);
  static constexpr std::size_t longest_marked = 4;  ///< [synapses per row]; access scans at most 64 rows

  std::size_t rows() const { return rows_; }
  /// The synapses of a row.
  Range operator[](std::size_t row) const {
    if (!begin_.empty()) return {begin_[row], begin_[row + 1]};
    return marks_.empty() ? Range{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row) + 1} : find(row);
  }
  /// Fetches what operator[] reads first of a row. Inlined always: gcc drops calls of functions that only prefetch.
  NPL_INLINE void prefetch(std::size_t row) const {
    if (!begin_.empty()) __builtin_prefetch(&begin_[row]);
    if (!marks_.empty()) __builtin_prefetch(&sample_[row / 64]);
  }
  /// True if operator[] reads something else after that, which prefetch_marks() fetches.
  bool are_marked() const { return !marks_.empty(); }
  NPL_INLINE void prefetch_marks(std::size_t row) const { __builtin_prefetch(&marks_[sample_[row / 64] / 64]); }
  std::size_t bytes() const { return begin_.bytes() + marks_.bytes() + sample_.bytes(); }
  /// Predicted bytes of the encodings of rows with more than one synapse.
  static constexpr double plain_bytes(double rows) { return 4 * (rows + 1); }
  static constexpr double marked_bytes(double rows, double synapses) { return synapses / 8 + rows / 16 + 16; }

 private:
  Range find(std::size_t row) const;

  Buffer<std::uint32_t> begin_;  ///< both empty: every row has one synapse
  Buffer<std::uint64_t> marks_;
  Buffer<std::uint32_t> sample_;  ///< first synapse of rows 0, 64, 128, ...
  std::size_t rows_ = 0;
  std::uint32_t synapses_ = 0;
};

}  // namespace npl::tables
