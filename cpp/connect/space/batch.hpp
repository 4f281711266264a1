// SPDX-License-Identifier: Apache-2.0
/// Pairs side by side, a batch at a time, from as many short runs as fit: their formula and their random numbers. One per thread.
#pragma once
#include "connect/space/pairs.hpp"

namespace npl::connect::space {

/// Part of a run in a batch: others in sorted order from `place` on lie in the batch from `at` on.
struct Piece {
  std::size_t run, place, at, n;
};

class Batch {
 public:
  /// `key`: of the random numbers of pairs; null: none are drawn.
  Batch(const Sides&, const Runs&, const Program&, const rng::Key* key);

  /// Takes as many others of a run as fit, from number `first` on; returns how many.
  std::size_t add(std::size_t run, std::size_t first);
  bool full() const { return size_ == batch; }
  void clear() { size_ = 0, pieces_.clear(); }

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Values of the formula by place; 0 for a node with itself where that is forbidden.
  const double* values();
  /// Numbers in (0, 1) by place, each of the pair and its image alone.
  const double* uniforms();
  /// Numbers of the others of a piece.
  const std::int64_t* others(const Piece& piece) const { return sides_.order.data() + piece.place; }

 private:
  double* column(Input what, int k) { return columns_.data() + (static_cast<std::size_t>(what) + static_cast<std::size_t>(k)) * batch; }
  void load_moves();
  void load_positions(const Piece&);
  void forbid_loops();

  const Sides& sides_;
  const Runs& runs_;
  const Program& program_;
  const rng::Key* key_;
  std::vector<double> columns_, work_, result_, uniform_, drawn_;
  std::vector<std::uint32_t> words_[4];
  const double* inputs_[input_count];
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace npl::connect::space
