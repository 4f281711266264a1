// SPDX-License-Identifier: Apache-2.0
/// Handles of synapses: what a query gives and later calls take to name a synapse. Valid until the next build or edit.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"

namespace npl::sim {

constexpr int slice_bits = 32;  ///< of a handle's slice column: the slice of the rank; the bits above hold the rank

/// Rank and slice as one number. Both may be as large as 2^31 - 1; up to 2^20 ranks a double holds it exactly.
constexpr std::int64_t slice_handle(int rank, SliceId slice) { return std::int64_t{rank} << slice_bits | static_cast<std::int64_t>(slice); }
constexpr std::int64_t rank_of_handle(std::int64_t handle) { return handle >> slice_bits; }
constexpr std::int64_t slice_of_handle(std::int64_t handle) { return handle & ((std::int64_t{1} << slice_bits) - 1); }

/// Columns of equal length, one entry per synapse.
struct Handles {
  std::vector<std::int64_t> slice;     ///< see slice_handle
  std::vector<std::int32_t> table;     ///< index in the slice
  std::vector<std::int64_t> position;  ///< of the synapse in the table

  std::size_t size() const { return slice.size(); }
  /// Throws BadLength when columns differ in length.
  void check() const {
    if (table.size() != size()) throw BadLength("table", table.size(), size());
    if (position.size() != size()) throw BadLength("position", position.size(), size());
  }
};

}  // namespace npl::sim
