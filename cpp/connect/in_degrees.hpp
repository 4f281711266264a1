// SPDX-License-Identifier: Apache-2.0
/// In-degrees that rules draw from trees (Rule::in_degrees), drawn once for all slices of a rank, before the slices are built. Otherwise
/// each of the two passes over each slice would walk most of every tree again.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "connect/projection.hpp"

namespace npl::connect {

/// In-degrees of many small projections: a byte per postsynaptic position, at most 16 MiB in all. Larger projections draw theirs per slice.
/// The bytes of positions on other ranks stay unset.
class InDegrees {
 public:
  /// Keeps references to the projections.
  /// @param slices the nodes of this rank; empty: all nodes are on this rank
  InDegrees(std::span<const std::unique_ptr<Projection>> projections, std::vector<const Residents*> slices);

  bool empty() const { return !all_; }
  /// Draws all in-degrees. Call it on every thread of the team: the threads share the projections. Throws only std::bad_alloc.
  void draw();
  /// In-degrees of a projection by postsynaptic position; null if they are not drawn here.
  const std::uint8_t* of(std::size_t projection) const;

 private:
  static constexpr std::size_t most = 16 << 20, none = ~std::size_t{0};
  void draw(std::size_t projection);

  std::span<const std::unique_ptr<Projection>> projections_;
  std::vector<const Residents*> slices_;
  std::vector<std::size_t> begin_;  ///< by projection
  std::unique_ptr<std::uint8_t[]> all_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace npl::connect
