// SPDX-License-Identifier: Apache-2.0
/// Delays of a table under construction: one byte each when their range fits a byte, two bytes otherwise, none when all are equal.
#pragma once
#include <optional>

#include "base/simd.hpp"
#include "tables/edge_table.hpp"

namespace npl::tables {

class DelayColumn {
 public:
  /// @param lowest, highest bounds of the delays [steps]
  DelayColumn(Delay lowest, Delay highest) : lowest_(lowest), highest_(highest) {}
  /// Allocates n delays.
  void allocate(std::size_t n);
  /// Sets delay i [steps].
  NPL_INLINE void put(std::size_t i, Delay d) {
    if (narrow_) narrow_[i] = static_cast<std::uint8_t>(d - lowest_);
    if (wide_) wide_[i] = d;
  }
  bool varies() const { return highest_ > lowest_; }
  Delay lowest() const { return lowest_; }
  Delay highest() const { return highest_; }
  std::uint8_t* narrow() { return narrow_; }  ///< delay - lowest, one byte each; null: not this format
  Delay* wide() { return wide_; }             ///< two bytes each; null: not this format
  /// Encodes the delays in the table, in the wanted or else the smallest layout. Rows must be complete and sorted by delay.
  void encode(EdgeTable& table, std::optional<Layout> wanted) &&;
  /// The smallest layout for expected numbers. Runs take 4 bytes each and a loop start, words 2 bytes per synapse: runs are better from
  /// about three synapses per run.
  static Layout best_layout(double synapses, double rows, Delay lowest, Delay highest);

 private:
  void encode_runs(EdgeTable& table) const;
  Delay at(std::size_t i) const { return narrow_ ? static_cast<Delay>(lowest_ + narrow_[i]) : wide_ ? wide_[i] : lowest_; }

  Delay lowest_, highest_;
  Buffer<std::uint8_t> narrow_column_;
  Buffer<Delay> wide_column_;
  std::uint8_t* narrow_ = nullptr;
  Delay* wide_ = nullptr;
};

}  // namespace npl::tables
