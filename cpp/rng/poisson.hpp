// SPDX-License-Identifier: Apache-2.0
/// Poisson counts by inversion of one random word: branch-free comparison with the cumulative distribution, vectorised.
#pragma once
#include <cstdint>
#include <vector>

#include "rng/step_table.hpp"

namespace npl::rng {

/// Poisson distribution of one mean; probabilities exact to 2^-32.
class PoissonTable {
 public:
  /// @param mean from 0 to 60000, so that counts fit 16 bits. Throws BadParameter.
  explicit PoissonTable(double mean = 0.0);
  double mean() const { return mean_; }
  /// Changes the mean of a table that then draws about n words: the same counts as a new table gives, in the memory that is there.
  /// counts_of_halves() may not be called afterwards.
  void set_mean(double mean, std::size_t n);
  /// out[i] = count of words[i] for i < n. Callers work in chunks of up to a few thousand words, which stay in the L1 cache.
  void counts(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const { table_.draw(words, out, n); }
  /// Two counts per word, from 16 bits each: see StepTable::draw_halves.
  template <class Pair>
  std::size_t counts_of_halves(const std::uint32_t* halves, Pair* out, std::size_t n, std::uint16_t* undecided) const {
    return table_.draw_halves(halves, out, n, undecided);
  }
  /// Largest count that a word can give.
  std::uint32_t highest() const { return table_.highest(); }

 private:
  double mean_ = 0.0;
  StepTable table_;
  std::vector<double> pmf_, cdf_;  ///< of set_mean, kept for the next one
};

}  // namespace npl::rng
