// SPDX-License-Identifier: Apache-2.0
/// Random permutation of 0..n-1 with random access: any element can be computed alone, without a table when n is large.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rng/philox.hpp"

namespace npl::connect {

/// Up to largest_table elements: a shuffled table (Fisher-Yates), exactly uniform. Beyond: a Feistel network on a grid of about sqrt(n) x
/// sqrt(n) with cycle walking (Black & Rogaway 2002, "Ciphers with arbitrary finite domains"), pseudo-random. Thread safe.
class Shuffle {
 public:
  static constexpr std::size_t most_at_once = 256;
  static constexpr std::uint64_t largest_table = 1 << 16;

  /// @param n 1 .. 2^52
  Shuffle(rng::Key key, std::uint64_t n);
  /// out[k] = image of first + k, for k < count <= most_at_once.
  void images(std::uint64_t first, std::size_t count, std::uint64_t* out) const;

 private:
  static constexpr std::size_t rounds = 12;  ///< even
  struct RoundKey {
    std::uint32_t a, b;
  };
  struct Grid {
    std::uint32_t rows, columns;
    std::array<RoundKey, rounds> keys;
  };
  struct Walk;

  std::uint64_t n_;
  Grid grid_{};
  std::vector<std::uint32_t> table_;
};

}  // namespace npl::connect
