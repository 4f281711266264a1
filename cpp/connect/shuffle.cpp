// SPDX-License-Identifier: Apache-2.0
#include "connect/shuffle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/simd.hpp"
#include "connect/operations.hpp"

namespace npl::connect {
namespace {

/// Pseudo-random number below `range` for x.
NPL_INLINE std::uint32_t mix(std::uint32_t x, std::uint32_t a, std::uint32_t b, std::uint32_t range) {
  x = (x ^ a) * 0x9E3779B1u;
  x = (x ^ (x >> 15)) + b;
  x = (x ^ (x >> 13)) * 0x85EBCA6Bu;
  x ^= x >> 16;
  return static_cast<std::uint32_t>((std::uint64_t{x} * range) >> 32);
}

/// Sum of two numbers below `range`, modulo range; range < 2^31.
NPL_INLINE std::uint32_t add(std::uint32_t x, std::uint32_t y, std::uint32_t range) {
  const std::uint32_t sum = x + y;
  return std::min(sum, sum - range);  // the difference wraps around to something large when sum < range
}

std::vector<std::uint32_t> shuffled(rng::Key key, std::uint64_t n) {
  std::vector<std::uint32_t> table(n);
  std::iota(table.begin(), table.end(), 0u);
  for (std::uint64_t i = n - 1; i > 0; --i) {
    const rng::Words w = rng::draw(key, i, 1);
    std::swap(table[i], table[rng::below(i + 1, w[0], w[3])]);
  }
  return table;
}

}  // namespace

/// Cycle walking for several places side by side: applies the network again to results >= n.
struct Shuffle::Walk {
  NPL_INLINE static void run(const Grid* grid, std::uint32_t* row, std::uint32_t* column, std::size_t n) {
    const std::uint32_t rows = grid->rows, columns = grid->columns;
    for (std::size_t r = 0; r < rounds; r += 2) {
      const RoundKey k = grid->keys[r], l = grid->keys[r + 1];
      for (std::size_t i = 0; i < n; ++i) {
        row[i] = add(row[i], mix(column[i], k.a, k.b, rows), rows);
        column[i] = add(column[i], mix(row[i], l.a, l.b, columns), columns);
      }
    }
  }
};

Shuffle::Shuffle(rng::Key key, std::uint64_t n) : n_(n) {
  if (n <= largest_table) {
    table_ = shuffled(key, n);
    return;
  }
  grid_.rows = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(n))) + 1;
  grid_.columns = static_cast<std::uint32_t>((n + grid_.rows - 1) / grid_.rows);
  for (std::size_t r = 0; r < rounds; ++r) {
    const rng::Words w = rng::draw(key, r, 0);
    grid_.keys[r] = {w[0], w[1]};
  }
}

void Shuffle::images(std::uint64_t first, std::size_t count, std::uint64_t* out) const {
  operations.draws += count;
  if (!table_.empty()) return void(std::copy_n(table_.begin() + static_cast<std::ptrdiff_t>(first), count, out));
  std::uint32_t row[most_at_once], column[most_at_once];
  auto r = static_cast<std::uint32_t>(first / grid_.columns), c = static_cast<std::uint32_t>(first % grid_.columns);
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = r, column[i] = c;
    if (++c == grid_.columns) c = 0, ++r;
  }
  Dispatch<Walk>::run(&grid_, row, column, count);
  for (std::size_t i = 0; i < count; ++i) {
    while ((out[i] = std::uint64_t{row[i]} * grid_.columns + column[i]) >= n_) Walk::run(&grid_, &row[i], &column[i], 1);
  }
}

}  // namespace npl::connect
