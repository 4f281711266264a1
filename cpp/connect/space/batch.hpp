// SPDX-License-Identifier: Apache-2.0
/// Batch of candidate pairs, filled from as many short runs as fit; evaluates the formula of the pairs and their random numbers as vector
/// loops. One per thread.
#pragma once
#include <memory>

#include "connect/space/pairs.hpp"

namespace npl::connect::space {

/// Part of run number `run` in a batch: n others from sorted index `place` on are in the batch from index `at` on.
struct Piece {
  std::size_t run, place, at, n;
};

class Batch {
 public:
  /// Keeps references to its arguments. @param key of the random numbers of pairs; null: uniforms() must not be called
  Batch(const Sides&, const Runs&, const Program&, const rng::Key* key);

  /// Adds others of a run from index `first` on, as many as fit; returns their number.
  std::size_t add(std::size_t run, std::size_t first);
  bool full() const { return size_ == batch; }
  void clear() { size_ = 0, pieces_.clear(); }

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Values of the formula, by index in the batch; 0 for excluded autapses.
  const double* values();
  /// Uniform random numbers in (0, 1), by index in the batch; each depends only on the pair and its periodic image.
  const double* uniforms();
  /// Node indices of the others of a piece [n].
  const std::int64_t* others(const Piece& piece) const { return sides_.order.data() + piece.place; }

 private:
  double* column(Input what, int k) { return columns_.get() + (static_cast<std::size_t>(what) + static_cast<std::size_t>(k)) * batch; }
  void load_moves();
  void load_positions(const Piece&);
  void forbid_loops();

  const Sides& sides_;
  const Runs& runs_;
  const Program& program_;
  const rng::Key* key_;
  std::unique_ptr<double[]> columns_, result_, uniform_, drawn_;  // without initial values: a short list of pairs writes little of them
  std::vector<double> work_;
  std::unique_ptr<std::uint32_t[]> words_[4];
  const double* inputs_[input_count];
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace npl::connect::space
