// SPDX-License-Identifier: Apache-2.0
/// Whole numbers drawn by comparing a random word with the cumulative distribution; probabilities exact to 2^-32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npl::rng {

/// Distribution of a whole number below 65536.
class StepTable {
 public:
  /// Always 0.
  StepTable() : StepTable(0, {}) {}
  /// @param first smallest value;  @param cdf cdf[k] = P(value <= first + k), not decreasing; what remains to 1 belongs to first +
  /// cdf.size(). Values that no word gives are left out, so lowest() and highest() can be drawn. highest() must be below 65536.
  /// @param guided false: without the guide of 8 KiB, for few draws; draw_halves() needs it
  StepTable(std::uint32_t first, std::span<const double> cdf, bool guided = true);
  /// Takes other values, in the memory that is there.
  void assign(std::uint32_t first, std::span<const double> cdf, bool guided);

  /// out[i] = value of words[i] for i < n.
  void draw(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const;
  /// Two values per word. Each half is taken as the upper 16 bits of a word whose lower 16 bits are not drawn yet; out[i] gets the two
  /// values in its halves. Where the upper bits alone do not decide, the index 2 i + half is written to `undecided` (room for 2 n): the
  /// caller draws the lower bits and calls draw() for these. Returns the number of undecided ones, about (highest() - lowest()) / 65536 of
  /// all.
  std::size_t draw_halves(const std::uint32_t* halves, std::uint32_t* out, std::size_t n, std::uint16_t* undecided) const;
  /// The same for values below 256, in bytes.
  std::size_t draw_halves(const std::uint32_t* halves, std::uint16_t* out, std::size_t n, std::uint16_t* undecided) const;
  std::uint32_t lowest() const { return lowest_; }
  std::uint32_t highest() const { return lowest_ + values_ - 1; }
  std::vector<double> shares() const;  ///< probabilities of lowest() to highest()
  bool wants_guide() const;            ///< true: many draws are faster with a guide, and this table has none
  void add_guide();

 private:
  std::uint32_t lowest_ = 0, values_ = 1;
  std::vector<std::uint32_t> last_;    ///< [k]: largest word that gives lowest_ + k; ends with 2^32 - 1, once or more (padding)
  std::vector<std::int16_t> upper_;    ///< upper halves of last_ minus 2^15, up to the first that is 2^16 - 1
  std::vector<std::uint16_t> tables_;  ///< search_tables(upper_); empty if there are too many thresholds, or if not guided
  std::vector<std::uint16_t> guide_;   ///< by the top 12 bits of a word: smallest possible k. Empty if there are few, or if not guided
};

}  // namespace npl::rng
