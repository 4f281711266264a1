// SPDX-License-Identifier: Apache-2.0
/// Random numbers of neurons that draw one in each step: keyed by neuron and step, so they do not depend on threads and ranks.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/math.hpp"
#include "base/members.hpp"
#include "base/simd.hpp"
#include "nodes/input_rows.hpp"
#include "rng/philox.hpp"

namespace npl::nodes {

/// A number in (0, 1) that belongs to this neuron and step; `id` tells uses apart.
NPL_INLINE double uniform_of_step(std::uint64_t seed, std::uint64_t id, Gid gid, Step step) {
  const auto words =
      rng::draw(rng::Key::of(seed, rng::Purpose::model, id), static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(step));
  return rng::uniform52(words[0], words[1]);
}

/// The same for neurons side by side, a block at most.
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

/// A Poisson number by inversion of u, at most `most`.
NPL_INLINE double poisson_number(double u, double expected, double most) {
  double term = math::exp(-expected), sum = term, count = 0.0;
  while (u >= sum && count < most) term *= expected / ++count, sum += term;
  return count;
}

}  // namespace npl::nodes
