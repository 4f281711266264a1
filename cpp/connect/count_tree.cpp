// SPDX-License-Identifier: Apache-2.0
#include "connect/count_tree.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "rng/distribution.hpp"

namespace npl::connect {

CountTree::CountTree(rng::Key key, std::uint64_t n, Split split, std::uint64_t positions, std::uint64_t capacity,
                     std::vector<std::uint32_t> reduced)
    : key_(rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::tree, 0)),
      split_(split),
      positions_(positions),
      capacity_(capacity),
      reduced_(std::move(reduced)),
      block_offsets_((positions + block - 1) / block + 1),
      counts_(positions),
      filled_(std::make_unique<std::once_flag[]>(block_offsets_.size())) {
  divide(0, std::bit_ceil(block_offsets_.size() - 1) * block, n, true);
  std::exclusive_scan(block_offsets_.begin(), block_offsets_.end(), block_offsets_.begin(), std::uint64_t{0});
}

std::uint64_t CountTree::weight(std::uint64_t begin, std::uint64_t end) const {
  begin = std::min(begin, positions_), end = std::min(end, positions_);
  const auto first = std::lower_bound(reduced_.begin(), reduced_.end(), begin), last = std::lower_bound(first, reduced_.end(), end);
  return (end - begin) * capacity_ - static_cast<std::uint64_t>(last - first);
}

std::uint64_t CountTree::left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const {
  const std::uint64_t left = weight(begin, middle), all = left + weight(middle, end);
  if (left == all) return n;
  const rng::Words w = rng::draw(key_, begin, end);
  const double u = rng::uniform52(w[0], w[1]);
  if (split_ == Split::without_replacement) return rng::hypergeometric(all, left, n, u);
  return rng::binomial(n, static_cast<double>(left) / static_cast<double>(all), u);
}

/// begin .. end is a power of two of positions, so nodes of all sizes have fixed places.
void CountTree::divide(std::uint64_t begin, std::uint64_t end, std::uint64_t n, bool to_blocks) const {
  if (begin >= positions_) return;
  if (end - begin == (to_blocks ? block : 1)) {
    if (to_blocks)
      block_offsets_[begin / block] = n;
    else
      counts_[begin] = static_cast<std::uint32_t>(n);
    return;
  }
  const std::uint64_t middle = begin + (end - begin) / 2, left = n ? left_share(begin, middle, end, n) : 0;
  divide(begin, middle, left, to_blocks);
  divide(middle, end, n - left, to_blocks);
}

void CountTree::fill_block(std::uint64_t index) const {
  std::call_once(filled_[index],
                 [&] { divide(index * block, (index + 1) * block, block_offsets_[index + 1] - block_offsets_[index], false); });
}

std::uint32_t CountTree::count(std::uint64_t position) const {
  fill_block(position / block);
  return counts_[position];
}

std::uint64_t CountTree::offset(std::uint64_t position) const {
  const std::uint64_t b = position / block;
  fill_block(b);
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(b * block), counts_.begin() + static_cast<std::ptrdiff_t>(position),
                         block_offsets_[b]);
}

}  // namespace npl::connect
