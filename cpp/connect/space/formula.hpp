// SPDX-License-Identifier: Apache-2.0
/// Values of edges that are known: weights and delays given as formulas of positions and of numbers drawn for each edge.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "connect/space/program.hpp"
#include "connect/space/strips.hpp"
#include "rng/distribution.hpp"
#include "rng/formula.hpp"
#include "rng/philox.hpp"

namespace npl::connect::space {

/// Positions of sources and targets.
struct Places {
  int dims;
  std::vector<double> period;                         ///< (dims,) displacements are folded to the shortest image; empty: not folded
  std::array<std::vector<double>, 3> source, target;  ///< coordinates by position in the sets of nodes
};

/// A number that a program reads beside positions: drawn for each edge from word 0 of the Philox block of its key, as values of nodes are
/// from that of their gid (rng::draw_node_values).
class Draw {
 public:
  /// Throws BadParameter as check_node_values().
  Draw(const rng::ValueSpec& law, std::uint64_t seed, std::uint64_t stream);
  /// out[i] = number of the edge with key[i]; n <= batch.
  void values(const std::uint64_t* key, std::size_t n, double* out) const;
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  rng::Sampler sampler_;
  rng::Key key_;
  std::uint64_t fingerprint_;
};

/// A program evaluated for edges; it must not read places in masks.
class ProgramFormula final : public rng::Formula {
 public:
  /// @param places null: the program reads no positions. @param draws what it reads from input_count on, in order
  ProgramFormula(Program program, std::shared_ptr<const Places> places, std::vector<Draw> draws = {})
      : program_(std::move(program)), places_(std::move(places)), draws_(std::move(draws)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  bool draws() const override { return !draws_.empty(); }
  std::int64_t n_sources() const override { return places_ ? static_cast<std::int64_t>(places_->source[0].size()) : -1; }
  std::int64_t n_targets() const override { return places_ ? static_cast<std::int64_t>(places_->target[0].size()) : -1; }
  std::uint64_t fingerprint() const override;

 private:
  Program program_;
  std::shared_ptr<const Places> places_;
  std::vector<Draw> draws_;
};

/// Edges that are known, one entry each.
struct KnownEdges {
  Numbers source, target;
  std::span<const std::uint64_t> key;  ///< empty where the formula does not draw
};

/// out[i] = value of the formula for edge i. Throws BadParameter for an index without a position.
void evaluate(const rng::Formula&, const KnownEdges&, int threads, double* out);

}  // namespace npl::connect::space
