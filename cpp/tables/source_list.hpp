// SPDX-License-Identifier: Apache-2.0
/// Compressed list of ascending numbers, little more than a byte each: varint differences, and a plain number at the start of every block
/// for random access.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/varint.hpp"

namespace npl::tables {

class SourceList {
 public:
  static constexpr std::size_t block = 64;  ///< numbers per block

  /// Builds a list from numbers in ascending order; repeats are allowed.
  class Writer {
   public:
    void add(std::uint64_t number) {
      repeats_ |= n_ > 0 && number == last_;
      if (n_++ % block == 0) {
        first_.push_back(number);
        begin_.push_back(bytes_.size());
      } else {
        append_varint(bytes_, number - last_);
      }
      last_ = number;
    }
    std::size_t size() const { return n_; }
    SourceList finish() &&;

   private:
    std::vector<std::uint64_t> first_, begin_;
    std::vector<std::uint8_t> bytes_;
    std::uint64_t last_ = 0;
    std::size_t n_ = 0;
    bool repeats_ = false;
  };

  SourceList() = default;
  std::size_t size() const { return n_; }
  bool repeats() const { return repeats_; }  ///< true: a number occurs more than once
  /// First index of a number in the list, or size(). O(log n + block).
  std::size_t find(std::uint64_t number) const;
  /// Calls f(index, number) for the numbers in [from, until), in order. O(log n + block + numbers found).
  template <class F>
  void for_range(std::uint64_t from, std::uint64_t until, F&& f) const {
    for (Cursor c(*this, block_before(from)); !c.at_end() && *c < until; c.next())
      if (*c >= from) f(c.index(), *c);
  }
  std::size_t bytes() const { return first_.bytes() + begin_.bytes() + bytes_.bytes(); }

  /// Forward iterator. @param first_block where to start
  class Cursor {
   public:
    explicit Cursor(const SourceList& list, std::size_t first_block = 0) : list_(&list), at_(first_block * block) { read(); }
    bool at_end() const { return at_ == list_->n_; }
    std::size_t index() const { return at_; }
    std::uint64_t operator*() const { return number_; }
    void next() {
      ++at_;
      read();
    }

   private:
    void read() {
      if (at_ == list_->n_) return;
      if (at_ % block == 0) {
        number_ = list_->first_[at_ / block];
        byte_ = list_->bytes_.data() + list_->begin_[at_ / block];
      } else {
        number_ += read_varint(byte_);
      }
    }
    const SourceList* list_;
    std::size_t at_;
    std::uint64_t number_ = 0;
    const std::uint8_t* byte_ = &none;
    static constexpr std::uint8_t none = 0;
  };

 private:
  /// The block in which a search starts: the last one that begins before the number (or at it, if there are no repeats), else block 0.
  std::size_t block_before(std::uint64_t number) const {
    const auto after =
        repeats_ ? std::lower_bound(first_.begin(), first_.end(), number) : std::upper_bound(first_.begin(), first_.end(), number);
    return after == first_.begin() ? 0 : static_cast<std::size_t>(after - first_.begin()) - 1;
  }

  Buffer<std::uint64_t> first_, begin_;  ///< per block: its first number, and the offset of its differences in bytes_
  Buffer<std::uint8_t> bytes_;
  std::size_t n_ = 0;
  bool repeats_ = false;
};

}  // namespace npl::tables
