// SPDX-License-Identifier: Apache-2.0
#include "tables/source_list.hpp"

#include <algorithm>

namespace npl::tables {
namespace {

template <class T>
Buffer<T> exact(std::vector<T>& values) {
  Buffer<T> b(values.size());
  std::copy(values.begin(), values.end(), b.begin());
  values = {};
  return b;
}

}  // namespace

SourceList SourceList::Writer::finish() && {
  SourceList list;
  list.first_ = exact(first_);
  list.begin_ = exact(begin_);
  list.bytes_ = exact(bytes_);
  list.n_ = n_;
  list.repeats_ = repeats_;
  return list;
}

std::size_t SourceList::find(std::uint64_t number) const {
  if (n_ == 0 || number < first_[0]) return n_;
  const std::size_t b = block_before(number), end = std::min(n_, (b + 1) * block);
  std::uint64_t here = first_[b];
  const std::uint8_t* byte = bytes_.data() + begin_[b];
  for (std::size_t at = b * block; at < end; ++at) {
    if (at > b * block) here += read_varint(byte);
    if (here >= number) return here == number ? at : n_;
  }
  return end < n_ && first_[b + 1] == number ? end : n_;  // where numbers repeat, the search begins a block early
}

}  // namespace npl::tables
