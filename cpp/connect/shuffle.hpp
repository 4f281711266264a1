// SPDX-License-Identifier: Apache-2.0
/// A random permutation of 0..n-1 of which any member can be asked for by itself: a Feistel network on a grid of about sqrt(n) x sqrt(n)
/// (Black & Rogaway 2002, "Ciphers with arbitrary finite domains"), with steps outside 0..n-1 walked over.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "rng/philox.hpp"

namespace npl::connect {

class Shuffle {
 public:
  /// @param n 1 .. 2^62
  Shuffle(rng::Key key, std::uint64_t n) : n_(n) {
    rows_ = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))));
    while (std::uint64_t{rows_} * rows_ < n) ++rows_;
    columns_ = static_cast<std::uint32_t>((n + rows_ - 1) / rows_);
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const rng::Words w = rng::draw(key, r, 0);
      keys_[r] = {w[0], w[1]};
    }
  }

  std::uint64_t operator()(std::uint64_t i) const {
    do {
      i = step(i);
    } while (i >= n_);
    return i;
  }

 private:
  static constexpr std::uint32_t rounds = 12;  ///< even; tests see no structure from 6 on

  /// Pseudo-random number below `range` for x.
  static std::uint32_t mix(std::uint32_t x, const std::array<std::uint32_t, 2>& key, std::uint32_t range) {
    x = (x ^ key[0]) * 0x9E3779B1u;
    x = (x ^ (x >> 15)) + key[1];
    x = (x ^ (x >> 13)) * 0x85EBCA6Bu;
    x ^= x >> 16;
    return static_cast<std::uint32_t>((std::uint64_t{x} * range) >> 32);
  }

  static std::uint32_t add(std::uint32_t x, std::uint32_t y, std::uint32_t range) {
    const std::uint64_t sum = std::uint64_t{x} + y;
    return static_cast<std::uint32_t>(sum >= range ? sum - range : sum);
  }

  std::uint64_t step(std::uint64_t i) const {
    auto row = static_cast<std::uint32_t>(i / columns_), column = static_cast<std::uint32_t>(i % columns_);
    for (std::uint32_t r = 0; r < rounds; r += 2) {
      row = add(row, mix(column, keys_[r], rows_), rows_);
      column = add(column, mix(row, keys_[r + 1], columns_), columns_);
    }
    return std::uint64_t{row} * columns_ + column;
  }

  std::uint64_t n_;
  std::uint32_t rows_, columns_;
  std::array<std::array<std::uint32_t, 2>, rounds> keys_;
};

}  // namespace npl::connect
