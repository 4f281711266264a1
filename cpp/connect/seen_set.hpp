// SPDX-License-Identifier: Apache-2.0
/// Set of integers for sampling without replacement: a bitmap for small ranges, else a hash table. Each slot of the hash table stores the
/// number of the round that wrote it, so that emptying the set only increments the round.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace npl::connect {

class SeenSet {
 public:
  static constexpr int number_bits = 44;

  /// Empties the set and makes room for n numbers below `range` <= 2^number_bits.
  void start(std::uint64_t n, std::uint64_t range) {
    dense_ = range / 256 <= n;  // at most 32 bytes to clear per number
    if (dense_) return bits_.assign(static_cast<std::size_t>(range / 64 + 1), 0);
    const int width = std::bit_width(n | 7) + 1;  // at most half full
    if (slots_.size() < std::size_t{1} << width) slots_.assign(std::size_t{1} << width, 0), round_ = 0;
    if (++round_ >> (64 - number_bits)) slots_.assign(slots_.size(), 0), round_ = 1;
    shift_ = 64 - width;
    mask_ = (std::uint64_t{1} << width) - 1;
  }

  /// Inserts a number; false when it was in the set already.
  bool insert(std::uint64_t number) {
    if (!dense_) return insert_hashed(number);
    std::uint64_t& word = bits_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }

 private:
  bool insert_hashed(std::uint64_t number) {
    const std::uint64_t entry = round_ << number_bits | number;
    for (std::uint64_t at = number * 0x9E3779B97F4A7C15u >> shift_;; at = (at + 1) & mask_) {
      if (slots_[at] == entry) return false;
      if (slots_[at] >> number_bits == round_) continue;
      slots_[at] = entry;
      return true;
    }
  }

  bool dense_ = false;
  std::vector<std::uint64_t> bits_, slots_;
  std::uint64_t round_ = 0;
  int shift_ = 64;
  std::uint64_t mask_ = 0;
};

}  // namespace npl::connect
