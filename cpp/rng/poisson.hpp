// SPDX-License-Identifier: Apache-2.0
/// Poisson counts by inversion of one random word: branch-free comparison with the cumulative distribution, vectorised.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace npl::rng {

/// The counts of one mean; distribution exact to 2^-32.
class PoissonTable {
 public:
  explicit PoissonTable(double mean = 0.0);  ///< mean >= 0, up to 10^6
  double mean() const { return mean_; }
  /// out[i] = count for words[i], for i < n; n up to a few thousand (the caller works in chunks that fit L1).
  void counts(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const;

 private:
  double mean_ = 0.0;
  std::uint32_t lowest_ = 0;               ///< count below which nothing is drawn
  std::vector<std::uint32_t> thresholds_;  ///< word >= thresholds_[k] means count > lowest_ + k
};

}  // namespace npl::rng
