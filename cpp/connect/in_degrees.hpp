// SPDX-License-Identifier: Apache-2.0
/// In-degrees that rules draw from trees (Rule::in_degrees), for all slices of a rank at once and before these are built: each slice would
/// split most nodes of a tree again, and so would each of the two passes.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "connect/projection.hpp"

namespace npl::connect {

/// A byte per target of the projections that have any, at most 16 MiB: for many small projections, not for large ones.
class InDegrees {
 public:
  /// Keeps references to the projections.
  /// @param slices the nodes of this rank; empty: all nodes are on this rank
  InDegrees(std::span<const std::unique_ptr<Projection>> projections, std::vector<const Residents*> slices);

  bool empty() const { return !all_; }
  /// Draws until all are drawn. To be called by all threads that there are; does not throw where memory lasts.
  void draw();
  /// Of a projection, by position; null: not drawn.
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
