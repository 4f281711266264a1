// SPDX-License-Identifier: Apache-2.0
/// Ascending numbers in little more than a byte each: differences in groups of 7 bits, and the plain number at the start of every block.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/varint.hpp"

namespace npl::tables {

class SourceList {
 public:
  static constexpr std::size_t block = 64;  ///< numbers

  /// Takes the numbers one by one, ascending; equal ones may follow each other.
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
  bool repeats() const { return repeats_; }  ///< does some number occur more than once?
  /// First place of a number in the list, or size(). O(log n + block).
  std::size_t find(std::uint64_t number) const;
  /// Calls f(place, number) for the numbers in [from, until), in order. O(log n + block) besides.
  template <class F>
  void for_range(std::uint64_t from, std::uint64_t until, F&& f) const {
    for (Cursor c(*this, block_before(from)); !c.at_end() && *c < until; c.next())
      if (*c >= from) f(c.index(), *c);
  }
  std::size_t bytes() const { return first_.bytes() + begin_.bytes() + bytes_.bytes(); }

  /// Goes through the list in order.
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
  /// The block to begin a search in: the last one that begins before a number (where none repeats: at or before it), or the first one.
  std::size_t block_before(std::uint64_t number) const {
    const auto after =
        repeats_ ? std::lower_bound(first_.begin(), first_.end(), number) : std::upper_bound(first_.begin(), first_.end(), number);
    return after == first_.begin() ? 0 : static_cast<std::size_t>(after - first_.begin()) - 1;
  }

  Buffer<std::uint64_t> first_, begin_;  ///< per block: its first number, where its differences begin
  Buffer<std::uint8_t> bytes_;
  std::size_t n_ = 0;
  bool repeats_ = false;
};

}  // namespace npl::tables
