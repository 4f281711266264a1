// SPDX-License-Identifier: Apache-2.0
#include "tables/row_offsets.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"

namespace npl::tables {

RowOffsets::RowOffsets(Buffer<std::uint32_t> begin) : begin_(std::move(begin)), rows_(begin_.empty() ? 0 : begin_.size() - 1) {
  if (rows_ > 0 && begin_[rows_] == rows_) begin_ = {};
}

RowOffsets::RowOffsets(Buffer<std::uint64_t> marks, std::uint32_t synapses) : marks_(std::move(marks)), synapses_(synapses) {
  for (std::uint64_t word : marks_) rows_ += ones(word);
  if (rows_ == synapses) {
    marks_ = {};
    return;
  }
  sample_ = Buffer<std::uint32_t>(rows_ / 64 + 1);
  std::size_t row = 0;
  for (std::size_t w = 0; w < marks_.size(); ++w) {
    const unsigned n = ones(marks_[w]);
    if (const std::size_t next = (row + 63) / 64 * 64; next < row + n)
      sample_[next / 64] = static_cast<std::uint32_t>(64 * w + select(marks_[w], static_cast<unsigned>(next - row)));
    row += n;
  }
}

RowOffsets RowOffsets::choose(const std::vector<std::uint32_t>& begin, bool may_mark) {
  const std::uint32_t synapses = begin.back();
  if (may_mark && synapses > 0 && synapses <= longest_marked * (begin.size() - 1)) {
    Buffer<std::uint64_t> marks(synapses / 64 + 1);
    for (std::size_t row = 0; row + 1 < begin.size(); ++row) marks[begin[row] / 64] |= std::uint64_t{1} << (begin[row] % 64);
    return {std::move(marks), synapses};
  }
  Buffer<std::uint32_t> plain(begin.size());
  std::copy(begin.begin(), begin.end(), plain.begin());
  return RowOffsets(std::move(plain));
}

RowOffsets::Range RowOffsets::find(std::size_t row) const {
  const std::uint32_t from = sample_[row / 64];
  auto left = static_cast<unsigned>(row % 64);
  std::size_t w = from / 64;
  std::uint64_t word = marks_[w] >> (from % 64) << (from % 64);
  for (unsigned n = ones(word); n <= left; n = ones(word)) {
    left -= n;
    word = marks_[++w];
  }
  const unsigned bit = select(word, left);
  Range r{static_cast<std::uint32_t>(64 * w + bit), synapses_};
  word = word >> bit >> 1 << bit << 1;
  while (word == 0 && ++w < marks_.size()) word = marks_[w];
  if (word) r.end = static_cast<std::uint32_t>(64 * w + static_cast<unsigned>(std::countr_zero(word)));
  return r;
}

}  // namespace npl::tables
