// SPDX-License-Identifier: Apache-2.0
/// Compressed list of ascending numbers, searched in one to three cache lines. Where a fifth of the numbers of the range occur or more: a
/// bit per number, and beside each 64 bits how many come before. Else low bits of each number, and for the high bits a bit 1 per number and
/// a bit 0 at the end of each bucket of numbers with equal high bits (Elias and Fano's code, with whole bytes).
#pragma once
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/simd.hpp"

namespace npl::tables {

class SourceList {
  struct Word {
    std::uint64_t bits = 0;
    std::uint64_t before = 0;  ///< numbers in the words before
  };

 public:
  /// Builds a list from numbers in ascending order; repeats are allowed.
  class Writer {
   public:
    void add(std::uint64_t number);
    std::size_t size() const { return n_; }
    SourceList finish() &&;

   private:
    std::vector<std::uint8_t> differences_;  ///< varints
    std::uint64_t first_ = 0, last_ = 0;
    std::size_t n_ = 0;
    bool repeats_ = false;
  };

  SourceList() = default;
  std::size_t size() const { return n_; }
  bool repeats() const { return repeats_; }     ///< true: a number occurs more than once
  std::uint64_t span() const { return span_; }  ///< last number - first + 1; 0: none
  /// First index of a number in the list, or size().
  std::size_t find(std::uint64_t number) const {
    if (has_bits()) return bits().find(number);
    const std::uint64_t x = number - first_;
    return x >= span_ ? n_ : find_in_bucket(x);
  }
  /// Fetches the line that find() reads first. Inlined always: gcc drops calls of functions that only prefetch.
  NPL_INLINE void prefetch(std::uint64_t number) const {
    if (has_bits()) return bits().prefetch(number);
    if (const std::uint64_t x = number - first_; x < span_) __builtin_prefetch(&sample_[bucket_of(x) / per_sample]);
  }
  /// find() and prefetch() of a list with a bit per number, for loops: plain values, which the compiler can keep in registers. Valid while
  /// the list is.
  struct Bits {
    const Word* words;
    std::uint64_t first, span;
    std::size_t none;  ///< size of the list
    NPL_INLINE std::size_t find(std::uint64_t number) const {
      const std::uint64_t x = number - first;
      if (x >= span) return none;  // also numbers below the first
      const Word& w = words[x / 64];
      if (!(w.bits >> (x % 64) & 1)) return none;
      return w.before + ones(w.bits & ((std::uint64_t{1} << (x % 64)) - 1));
    }
    NPL_INLINE void prefetch(std::uint64_t number) const {
      if (const std::uint64_t x = number - first; x < span) __builtin_prefetch(words + x / 64);
    }
  };
  bool has_bits() const { return !words_.empty(); }
  Bits bits() const { return {words_.data(), first_, span_, n_}; }
  /// Calls f(index, number) for the numbers in [from, until), in order.
  template <class F>
  void for_range(std::uint64_t from, std::uint64_t until, F&& f) const {
    for (Cursor c(*this, from); !c.at_end() && *c < until; c.next()) f(c.index(), *c);
  }
  std::size_t bytes() const { return words_.bytes() + high_.bytes() + sample_.bytes() + low_.bytes(); }
  /// Predicted bytes of a list of n numbers, spread over a range of this many.
  static double expected_bytes(double n, double span);

  /// Forward iterator over the numbers from `from` on.
  class Cursor {
   public:
    explicit Cursor(const SourceList& list, std::uint64_t from = 0);
    bool at_end() const { return at_ == list_->n_; }
    std::size_t index() const { return at_; }
    std::uint64_t operator*() const { return number_; }
    void next() {
      ++at_;
      read();
    }

   private:
    /// Goes to the next 1 of the word or of the words after it.
    void read();
    const SourceList* list_;
    std::size_t at_ = 0, word_ = 0;
    std::uint64_t bits_ = 0;  ///< of the word, from the current 1 on
    std::uint64_t number_ = 0;
  };

 private:
  /// How numbers are kept.
  struct Form {
    bool words = true;
    unsigned width = 0;  ///< (buckets) bytes of the low bits of a number
    double bytes = 0;
  };
  static Form best_form(double n, double span, bool repeats);

  static constexpr std::size_t per_sample = 16;  ///< buckets
  std::size_t find_in_bucket(std::uint64_t x) const;
  std::uint64_t bucket_of(std::uint64_t x) const { return width_ < 8 ? x >> (8 * width_) : 0; }
  /// Position in high_ at which a bucket begins.
  std::size_t begin_of(std::uint64_t bucket) const;
  /// Number of ones in high_ from `bit` on.
  std::size_t ones_from(std::size_t bit) const;
  std::uint64_t low(std::size_t i) const;
  void make_words();
  void make_buckets(unsigned width);
  void put(std::size_t i, std::uint64_t x);
  void count();

  Buffer<Word> words_;            ///< of 64 numbers each, from first_ on
  Buffer<std::uint64_t> high_;    ///< bits
  Buffer<std::uint32_t> sample_;  ///< where buckets 0, 16, 32, ... begin in high_; the last: where it ends
  Buffer<std::uint8_t> low_;      ///< low bits of each number, width_ bytes each
  std::uint64_t first_ = 0, span_ = 0;
  std::size_t n_ = 0;
  unsigned width_ = 0;
  bool repeats_ = false;
};

}  // namespace npl::tables
