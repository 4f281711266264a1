// SPDX-License-Identifier: Apache-2.0
/// A whole number drawn from one random word by comparison with its cumulative distribution; exact to 2^-32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npl::rng {

class StepTable {
 public:
  StepTable() : StepTable(0, {}) {}
  /// @param first smallest value;  @param cdf cdf[k] = P(value <= first + k), non-decreasing; at its end all is <= first + cdf.size().
  /// Values that no word would give are left out, so lowest() and highest() do occur. highest() must be below 65536.
  StepTable(std::uint32_t first, std::span<const double> cdf);

  void draw(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const;
  /// Two numbers from each word: its halves are the upper 16 bits of two words, of which the lower ones are not drawn yet. out[i] holds
  /// the numbers in its halves. `undecided` (room for 2 n) gets the places 2 i + half where the lower bits matter: those are to be drawn
  /// anew with `draw`, the others are what it would give with any lower bits. Returns how many; about highest() - lowest() in 65536 do.
  std::size_t draw_halves(const std::uint32_t* halves, std::uint32_t* out, std::size_t n, std::uint16_t* undecided) const;
  std::uint32_t lowest() const { return lowest_; }
  std::uint32_t highest() const { return lowest_ + values_ - 1; }

 private:
  std::uint32_t lowest_ = 0, values_ = 1;
  std::vector<std::uint32_t> last_;   ///< last word that gives lowest_ + k; ends with 2^32 - 1, once or more
  std::vector<std::int16_t> upper_;   ///< upper halves of last_ less 2^15, up to the first of 2^16 - 1
  std::vector<std::uint16_t> guide_;  ///< first candidate k by the top 12 bits of the word; empty when few thresholds are compared at once
};

}  // namespace npl::rng
