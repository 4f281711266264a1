// SPDX-License-Identifier: Apache-2.0
#include "pathways/target_bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/simd.hpp"

namespace npl::pathways {

namespace {

using Block [[gnu::vector_size(64)]] = std::uint64_t;

/// Digits of the number of spikes of a node, and the most rows that are counted together: a multiple of four, so that no number is larger.
constexpr std::size_t most_digits = 6, most_rows = 60;

NPL_INLINE Block load(const std::uint64_t* words) {
  Block b;
  __builtin_memcpy(&b, words, sizeof b);
  return b;
}
/// Adds two rows of bits to a third one; returns what is carried.
NPL_INLINE Block add_two(Block& sum, Block a, Block b) {
  const Block either = sum ^ a, carried = (sum & a) | (either & b);
  sum = either ^ b;
  return carried;
}

/// Counts rows and adds `each` times the counts to the sums.
template <std::size_t Digits>
struct CountDigits {
  using Counts = std::array<Block, Digits>;

  /// The number of spikes of 512 nodes, digit by digit. @param n rows, a multiple of four
  NPL_INLINE static Counts count(const std::uint64_t* const* rows, std::size_t n, std::size_t at) {
    Counts digits{};
    for (std::size_t r = 0; r < n; r += 4) {
      const Block first = add_two(digits[0], load(rows[r] + at), load(rows[r + 1] + at));
      const Block second = add_two(digits[0], load(rows[r + 2] + at), load(rows[r + 3] + at));
      Block carried = add_two(digits[1], first, second);
      NPL_UNROLL(4)
      for (std::size_t d = 2; d < Digits; ++d) {
        const Block both = digits[d] & carried;
        digits[d] ^= carried, carried = both;
      }
    }
    return digits;
  }

  /// Adds the numbers of 32 nodes. @param digits their bits
  NPL_INLINE static void add_half(const std::array<std::uint64_t, Digits>& digits, Fixed each, Fixed* sums, std::size_t n) {
    std::array<std::uint64_t, Digits> shifted;
    NPL_UNROLL(6)
    for (std::size_t d = 0; d < Digits; ++d) shifted[d] = digits[d] << d;
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t number = 0;
      NPL_UNROLL(6)
      for (std::size_t d = 0; d < Digits; ++d) number |= shifted[d] >> k & std::uint64_t{1} << d;
      add_wrapping(sums[k], static_cast<Fixed>(number * static_cast<std::uint64_t>(each)));
    }
  }

  NPL_INLINE static void run(const std::uint64_t* const* rows, std::size_t n, std::size_t blocks, Fixed each, Fixed* sums,
                             std::size_t nodes) {
    constexpr std::size_t half = 32, words = 8;
    for (std::size_t b = 0; b < blocks; ++b) {
      const Counts digits = count(rows, n, b * words);
      for (std::size_t h = 0; h < 2 * words; ++h) {
        const std::size_t begin = (b * 2 * words + h) * half;
        if (begin >= nodes) return;
        std::array<std::uint64_t, Digits> bits;
        for (std::size_t d = 0; d < Digits; ++d) bits[d] = digits[d][h / 2] >> (h % 2 * half) & 0xffffffffu;
        nodes - begin < half ? add_half(bits, each, sums + begin, nodes - begin) : add_half(bits, each, sums + begin, half);
      }
    }
  }
};

}  // namespace

TargetBits::TargetBits(const tables::EdgeTable& table) : bits_(0) {
  std::uint16_t least = UINT16_MAX, most = 0;
  for (const std::uint16_t target : table.target) least = std::min(least, target), most = std::max(most, target);
  first_ = least / block * block, nodes_ = most + std::size_t{1} - first_, blocks_ = (nodes_ + block - 1) / block;
  bits_.resize((table.n_rows() + 1) * blocks_ * words);
  begin_.reserve(table.n_rows() + 1);
  std::vector<std::uint16_t> more;
  for (std::size_t r = 0; r < table.n_rows(); ++r) {
    begin_.push_back(static_cast<std::uint32_t>(again_.size()));
    const auto [begin, end] = table.rows[r];
    more.resize(std::max<std::size_t>(more.size(), end - begin));
    again_.insert(again_.end(), more.begin(), more.begin() + mark(table, begin, end, bits_.data() + r * blocks_ * words, more.data()));
  }
  begin_.push_back(static_cast<std::uint32_t>(again_.size()));
}

/// Sets the bits of the targets of some synapses. Returns the number of targets that were set before, which are put into `again`. Without
/// branches: these are random. From four places in turn: neighbours have their bits in one word, and each would wait for the one before.
std::ptrdiff_t TargetBits::mark(const tables::EdgeTable& table, std::uint32_t begin, std::uint32_t end, std::uint64_t* bits,
                                std::uint16_t* again) const {
  std::ptrdiff_t n = 0;
  const auto set = [&, target = table.target.data()](std::uint32_t i) NPL_INLINE_LAMBDA {
    const std::size_t at = target[i] - first_;
    const std::uint64_t before = bits[at / 64];
    again[n] = target[i], n += static_cast<std::ptrdiff_t>(before >> at % 64 & 1);
    bits[at / 64] = before | std::uint64_t{1} << at % 64;
  };
  const std::uint32_t quarter = (end - begin) / 4;
  for (std::uint32_t i = begin; i < begin + quarter; ++i) set(i), set(i + quarter), set(i + 2 * quarter), set(i + 3 * quarter);
  for (std::uint32_t i = begin + 4 * quarter; i < end; ++i) set(i);
  return n;
}

double TargetBits::row_bytes(double nodes) { return std::ceil(nodes / block) * (block / 8); }

double TargetBits::expected_bytes(double synapses, double rows, double nodes) {
  const double share = synapses / (rows * nodes);  // of a row's targets so many are hit again, if they are drawn one by one
  return (rows + 1) * row_bytes(nodes) + sizeof(std::uint32_t) * rows + sizeof(std::uint16_t) * synapses * share / 2;
}

void TargetBits::add(std::span<const std::uint32_t> rows, Fixed each, Fixed* sums) const {
  const std::uint64_t* const none = row(static_cast<std::uint32_t>(begin_.size() - 1));
  std::array<const std::uint64_t*, most_rows> at;
  for (std::size_t begin = 0; begin < rows.size(); begin += most_rows) {
    const std::size_t n = std::min(most_rows, rows.size() - begin), whole = (n + 3) & ~std::size_t{3};
    for (std::size_t k = 0; k < whole; ++k) at[k] = k < n ? row(rows[begin + k]) : none;
    for (std::size_t k = 0; k < n; ++k) prefetch(rows[begin + k]);
    const auto* const from = at.data();
    if (whole < 8)
      Dispatch<CountDigits<3>>::run(from, whole, blocks_, each, sums + first_, nodes_);
    else if (whole < 16)
      Dispatch<CountDigits<4>>::run(from, whole, blocks_, each, sums + first_, nodes_);
    else
      Dispatch<CountDigits<most_digits>>::run(from, whole, blocks_, each, sums + first_, nodes_);
  }
  for (const std::uint32_t r : rows)
    for (std::uint32_t i = begin_[r]; i < begin_[r + 1]; ++i) add_wrapping(sums[again_[i]], each);
}

}  // namespace npl::pathways
