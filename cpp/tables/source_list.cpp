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
  for (Cursor c(*this, block_before(number)); !c.at_end(); c.next())
    if (*c >= number) return *c == number ? c.index() : n_;
  return n_;
}

}  // namespace npl::tables
