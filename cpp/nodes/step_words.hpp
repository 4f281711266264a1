// SPDX-License-Identifier: Apache-2.0
/// The random numbers of random_step.hpp for neurons side by side.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/members.hpp"
#include "base/simd.hpp"
#include "model/random_step.hpp"
#include "nodes/input_rows.hpp"

namespace npl::nodes {

/// Numbers of neurons side by side, a block at most.
class StepWords {
 public:
  struct Use {
    std::uint64_t seed, id;
    Step step;
  };
  /// Draws those of nodes begin .. begin + n - 1, n <= chunk.
  void draw(const Use& use, const Members& nodes, std::size_t begin, std::size_t n);
  /// uniform_of_step of node begin + k: rng::uniform52, where the 52 bits become a double as the mantissa of one above 2^52, since
  /// converting them does not vectorise.
  NPL_INLINE double uniform(std::size_t k) const {
    const std::uint64_t bits = (std::uint64_t{words_[0][k]} << 20) | (words_[1][k] >> 12);
    return (std::bit_cast<double>(bits | 0x4330000000000000u) - (0x1p52 - 0.5)) * 0x1p-52;
  }

 private:
  alignas(64) std::uint32_t words_[4][chunk];
};

}  // namespace npl::nodes
