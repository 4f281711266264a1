// SPDX-License-Identifier: Apache-2.0
/// A set of 32-bit numbers that is emptied in no time: slots carry the number of the round that wrote them.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace npl::connect {

class SeenSet {
 public:
  /// Empties the set and makes room for n numbers.
  void start(std::uint64_t n) {
    const int bits = std::bit_width(n | 7) + 1;  // at most half full
    if (slots_.size() < std::size_t{1} << bits) slots_.assign(std::size_t{1} << bits, 0), round_ = 0;
    if (++round_ == 0) slots_.assign(slots_.size(), 0), round_ = 1;
    shift_ = 64 - bits;
    mask_ = (std::uint64_t{1} << bits) - 1;
  }

  /// False when it was there already.
  bool insert(std::uint32_t number) {
    const std::uint64_t entry = std::uint64_t{round_} << 32 | number;
    for (std::uint64_t at = number * 0x9E3779B97F4A7C15u >> shift_;; at = (at + 1) & mask_) {
      if (slots_[at] == entry) return false;
      if (slots_[at] >> 32 == round_) continue;
      slots_[at] = entry;
      return true;
    }
  }

 private:
  std::vector<std::uint64_t> slots_;
  std::uint32_t round_ = 0;
  int shift_ = 64;
  std::uint64_t mask_ = 0;
};

}  // namespace npl::connect
