// SPDX-License-Identifier: Apache-2.0
/// Values of edges that are known: weights, delays and parameters given as formulas of positions.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "connect/space/program.hpp"
#include "connect/space/strips.hpp"
#include "rng/formula.hpp"

namespace npl::connect::space {

/// Positions of sources and targets.
struct Places {
  int dims;
  std::vector<double> period;                         ///< (dims,) displacements are folded to the shortest image; empty: not folded
  std::array<std::vector<double>, 3> source, target;  ///< coordinates by position in the sets of nodes
};

/// A program evaluated for edges between nodes in space; it must not read places in masks.
class PlacedFormula final : public rng::Formula {
 public:
  PlacedFormula(Program program, std::shared_ptr<const Places> places) : program_(std::move(program)), places_(std::move(places)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::int64_t n_sources() const override { return static_cast<std::int64_t>(places_->source[0].size()); }
  std::int64_t n_targets() const override { return static_cast<std::int64_t>(places_->target[0].size()); }
  std::uint64_t fingerprint() const override;

 private:
  Program program_;
  std::shared_ptr<const Places> places_;
};

/// out[i] = value of the formula for edge i, from source[i] to target[i]. Throws BadParameter for an index without a position.
void evaluate(const rng::Formula&, Numbers source, Numbers target, int threads, double* out);

}  // namespace npl::connect::space
