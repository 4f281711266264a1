// SPDX-License-Identifier: Apache-2.0
/// Stable sort of the edges of a pile by (slot, delay): a radix sort of 64-bit words that pack slot, delay and the index of the edge.
#pragma once
#include <cstdint>
#include <vector>

#include "connect/edge.hpp"

namespace npl::connect {

class PileSorter {
 public:
  /// @param slot_bits number of bits of slots; @param by_delay false: all delays are equal
  PileSorter(unsigned slot_bits, bool by_delay) : slot_bits_(slot_bits), by_delay_(by_delay) {}

  /// order()[i] = index of the edge at sorted position i. Valid until the next call.
  template <class W>
  const std::vector<std::uint32_t>& order(const std::vector<Edge<W>>& edges) {
    order_.resize(edges.size());
    if (edges.size() > most_packed) return order_long(edges);
    words_.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) words_[i] = std::uint64_t{edges[i].slot} << 32 | std::uint64_t{edges[i].delay} << 16 | i;
    if (by_delay_) sort(16, 16);
    sort(32, slot_bits_);
    for (std::size_t i = 0; i < edges.size(); ++i) order_[i] = static_cast<std::uint32_t>(words_[i] & 0xffff);
    return order_;
  }

 private:
  static constexpr std::size_t most_packed = 1 << 16;
  static constexpr unsigned most_digit_bits = 11;

  template <class W>
  const std::vector<std::uint32_t>& order_long(const std::vector<Edge<W>>& edges);
  /// Stable sort of words_ by the bits from .. from + bits.
  void sort(unsigned from, unsigned bits);

  unsigned slot_bits_;
  bool by_delay_;
  std::vector<std::uint64_t> words_, other_;
  std::vector<std::uint32_t> order_, starts_;
};

}  // namespace npl::connect
