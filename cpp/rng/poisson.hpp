// SPDX-License-Identifier: Apache-2.0
/// Poisson counts by inversion of one random word: branch-free comparison with the cumulative distribution, vectorised.
#pragma once
#include <cstdint>

#include "rng/step_table.hpp"

namespace npl::rng {

/// The counts of one mean; distribution exact to 2^-32.
class PoissonTable {
 public:
  explicit PoissonTable(double mean = 0.0);  ///< 0 <= mean <= 60000 (counts must fit 16 bits); throws BadParameter
  double mean() const { return mean_; }
  /// out[i] = count for words[i], for i < n; n up to a few thousand (the caller works in chunks that fit L1).
  void counts(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const { table_.draw(words, out, n); }
  /// Two counts per word, from 16 bits each while these decide: see StepTable::draw_halves.
  std::size_t counts_of_halves(const std::uint32_t* halves, std::uint32_t* out, std::size_t n, std::uint16_t* undecided) const {
    return table_.draw_halves(halves, out, n, undecided);
  }
  /// Most that can come out.
  std::uint32_t highest() const { return table_.highest(); }

 private:
  double mean_ = 0.0;
  StepTable table_;
};

}  // namespace npl::rng
