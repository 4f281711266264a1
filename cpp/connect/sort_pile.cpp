// SPDX-License-Identifier: Apache-2.0
#include "connect/sort_pile.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npl::connect {

void PileSorter::sort(unsigned from, unsigned bits) {
  if (bits == 0) return;
  const unsigned passes = (bits + most_digit_bits - 1) / most_digit_bits, digit = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
  other_.resize(words_.size());
  for (unsigned shift = from; shift < from + bits; shift += digit) {
    starts_.assign(mask + 2, 0);
    for (std::uint64_t w : words_) ++starts_[(w >> shift & mask) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    for (std::uint64_t w : words_) other_[starts_[w >> shift & mask]++] = w;
    words_.swap(other_);
  }
}

/// For piles larger than 2^16 edges, which do not fit the packed words: sources were less evenly distributed than expected.
template <class W>
const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<W>>& edges) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(edges[a].slot, edges[a].delay) < std::tie(edges[b].slot, edges[b].delay);
  });
  return order_;
}

template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<NoWeight>>&);
template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<float>>&);
template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<double>>&);
template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<Keyed<float>>>&);
template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<Keyed<double>>>&);
template const std::vector<std::uint32_t>& PileSorter::order_long(const std::vector<Edge<std::uint16_t>>&);

}  // namespace npl::connect
