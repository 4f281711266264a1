// SPDX-License-Identifier: Apache-2.0
/// In which of the last steps a source has spiked, one bit a step: for synapses that learn from several spikes at once.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/ids.hpp"
#include "base/simd.hpp"

namespace npl::synapses {

/// Reads what is kept per row; does not own it.
class SpikeSteps {
 public:
  static constexpr int bits = 48;  // of a word: whole numbers that a double holds
  static constexpr std::size_t words = 13;
  static constexpr Step steps = Step{bits} * words, never = std::numeric_limits<Step>::max();

  SpikeSteps() = default;
  /// @param kept [words] bit k: k steps before the last spike @param last its time
  SpikeSteps(const double* kept, Step last) : kept_(kept), last_(last) {}
  explicit operator bool() const { return kept_ != nullptr; }

  /// Notes a spike `gap` steps after the last one.
  static void add(double* kept, Step gap) {
    std::array<std::uint64_t, words> moved{};
    const auto whole = static_cast<std::size_t>(std::min(gap, steps) / bits);
    const auto part = static_cast<int>(gap % bits);
    for (std::size_t k = whole; k < words; ++k) {
      moved[k] = word(kept, k - whole) << part & mask;
      if (k > whole) moved[k] |= word(kept, k - whole - 1) >> (bits - part);
    }
    moved[0] |= 1;
    for (std::size_t k = 0; k < words; ++k) kept[k] = static_cast<double>(moved[k]);
  }
  /// The first spike at this time or later.
  NPL_INLINE Step first_from(Step time) const {
    if (!kept_ || time > last_) return never;
    const Step ago = std::min(last_ - time, steps - 1);
    auto k = static_cast<std::size_t>(ago / bits);
    for (std::uint64_t found = word(kept_, k) & (mask >> (bits - 1 - ago % bits));; found = word(kept_, --k)) {
      if (found != 0) return last_ - static_cast<Step>(k) * bits - (std::bit_width(found) - 1);
      if (k == 0) return never;
    }
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  static std::uint64_t word(const double* kept, std::size_t k) { return static_cast<std::uint64_t>(kept[k]); }

  const double* kept_ = nullptr;
  Step last_ = 0;
};

}  // namespace npl::synapses
