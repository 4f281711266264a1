// SPDX-License-Identifier: Apache-2.0
/// Batch of single pairs of a centre and another node, wherever the other is; evaluates the formula as vector loops.
#pragma once
#include <vector>

#include "connect/space/cover.hpp"

namespace npl::connect::space {

/// Values of the formula for pairs of centres and others. One per thread.
class PairValues {
 public:
  /// Keeps references to its arguments.
  PairValues(const Candidates&, const CellSides&);
  /// Values for the first n <= batch pairs. @param place indices of the others in the order of their cells
  const double* of(const std::uint32_t* centre, const std::uint32_t* place, std::size_t n);

 private:
  double* column(Input what, int k) { return columns_.data() + (static_cast<std::size_t>(what) + static_cast<std::size_t>(k)) * batch; }
  void load(int k, const std::uint32_t* centre, const std::uint32_t* place, std::size_t n);

  const Candidates& c_;
  const CellSides& in_;
  std::vector<double> columns_, work_;
  const double* inputs_[input_count];
};

/// Pairs that become edges where the formula exceeds a number; one per thread.
class PairBatch {
 public:
  /// Keeps references to its arguments.
  PairBatch(const Candidates& c, const CellSides& in, bool keyed, Edges& to) : c_(c), in_(in), values_(c, in), keyed_(keyed), to_(to) {}
  void add(std::uint32_t centre, std::uint32_t place, double u) {
    centre_[n_] = centre, place_[n_] = place, u_[n_] = u;
    if (++n_ == batch) finish();
  }
  /// Appends the edges among the pairs that were added.
  void finish();

 private:
  const Candidates& c_;
  const CellSides& in_;
  PairValues values_;
  const bool keyed_;
  Edges& to_;
  std::size_t n_ = 0;
  std::uint32_t centre_[batch], place_[batch];
  double u_[batch];
};

}  // namespace npl::connect::space
