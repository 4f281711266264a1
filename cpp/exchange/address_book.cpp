// SPDX-License-Identifier: Apache-2.0
#include "exchange/address_book.hpp"

#include <algorithm>
#include <numeric>

namespace npl::exchange {

void AddressBook::add(std::span<const std::uint32_t> counts) {
  if (n_ % stretch == 0) {
    begin_.push_back(counts_.size());
    rows_.insert(rows_.end(), first_.begin(), first_.end());
  }
  std::uint64_t total = 0;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    append_varint(counts_, counts[p]);
    first_[p] += counts[p];
    total += counts[p];
  }
  most_ = std::max(most_, total);
  ++n_;
}

void AddressBook::add_mine(std::span<const std::uint32_t> counts) {
  mine_before_ = n_;
  mine_.assign(counts.begin(), counts.end());
  for (std::size_t p = 0; p < counts.size(); ++p) first_[p] += counts[p];
}

void AddressBook::finish() { counts_.shrink_to_fit(), begin_.shrink_to_fit(), rows_.shrink_to_fit(); }

std::size_t AddressBook::bytes() const {
  return counts_.capacity() + begin_.capacity() * sizeof(begin_[0]) +
         (rows_.capacity() + first_.capacity() + mine_.capacity()) * sizeof(rows_[0]);
}

void AddressBook::Reader::jump(std::size_t sender) {
  const std::size_t s = sender / stretch, n = start_.size();
  std::copy_n(book_->rows_.begin() + static_cast<std::ptrdiff_t>(s * n), n, start_.begin());
  std::fill(base_.begin(), base_.end(), 0);
  at_ = book_->counts_.data() + book_->begin_[s];
  next_ = s * stretch;
  fresh_ = true;
}

/// From a sender to the next one. The rows stored at the beginning of a stretch already include this rank's own rows before it.
void AddressBook::Reader::advance() {
  for (std::size_t p = 0; p < start_.size(); ++p) start_[p] += static_cast<std::uint32_t>(base_[p + 1] - base_[p]);
  if (next_ == book_->mine_before_ && !fresh_)
    for (std::size_t p = 0; p < start_.size(); ++p) start_[p] += book_->mine_[p];
  for (std::size_t p = 0; p < start_.size(); ++p) base_[p + 1] = base_[p] + read_varint(at_);
  fresh_ = false;
  ++next_;
}

void AddressBook::Reader::go_to(std::size_t sender) {
  if (next_ == SIZE_MAX || sender + 1 < next_ || sender / stretch > next_ / stretch) jump(sender);
  while (next_ <= sender) advance();
}

}  // namespace npl::exchange
