// SPDX-License-Identifier: Apache-2.0
#include "tables/source_list.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/varint.hpp"

namespace npl::tables {

void SourceList::Writer::add(std::uint64_t number) {
  repeats_ |= n_ > 0 && number == last_;
  if (n_++ == 0) first_ = last_ = number;
  append_varint(differences_, number - last_);
  last_ = number;
}

SourceList SourceList::Writer::finish() && {
  SourceList list;
  if (n_ == 0) return list;
  list.n_ = n_, list.first_ = first_, list.span_ = last_ - first_ + 1, list.repeats_ = repeats_;
  const Form form = best_form(static_cast<double>(n_), static_cast<double>(list.span_), repeats_);
  form.words ? list.make_words() : list.make_buckets(form.width);
  const std::uint8_t* byte = differences_.data();
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < n_; ++i) list.put(i, x += read_varint(byte));
  list.count();
  differences_ = {};
  return list;
}

/// The smallest one.
SourceList::Form SourceList::best_form(double n, double span, bool repeats) {
  Form best{true, 0, std::ceil(span / 64) * sizeof(Word)};
  if (repeats) best.bytes = std::numeric_limits<double>::infinity();
  for (const unsigned width : {1u, 2u, 4u, 8u}) {
    const double buckets = width < 8 ? std::floor(span / std::ldexp(1.0, static_cast<int>(8 * width))) + 1 : 1;
    const double bytes = n * width + (n + buckets) / 8 + sizeof(std::uint32_t) * buckets / per_sample;
    if (bytes < best.bytes) best = {false, width, bytes};
  }
  return best;
}

double SourceList::expected_bytes(double n, double span) { return best_form(n, span, false).bytes; }

void SourceList::make_words() { words_ = Buffer<Word>((span_ + 63) / 64); }

void SourceList::make_buckets(unsigned width) {
  width_ = width;
  const std::size_t buckets = bucket_of(span_ - 1) + 1;
  high_ = Buffer<std::uint64_t>((n_ + buckets) / 64 + 1);
  sample_ = Buffer<std::uint32_t>(buckets / per_sample + 1);
  low_ = Buffer<std::uint8_t>(n_ * width);
}

/// Sets the i-th number; all come in order.
void SourceList::put(std::size_t i, std::uint64_t x) {
  if (!words_.empty()) {
    words_[x / 64].bits |= std::uint64_t{1} << (x % 64);
    return;
  }
  const std::size_t bit = i + bucket_of(x);
  high_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  std::memcpy(low_.data() + i * width_, &x, width_);  // little-endian: the low bytes come first
}

/// Completes the list when all numbers are in.
void SourceList::count() {
  for (std::size_t w = 1; w < words_.size(); ++w) words_[w].before = words_[w - 1].before + ones(words_[w - 1].bits);
  if (!words_.empty()) return;
  const std::size_t buckets = bucket_of(span_ - 1) + 1;
  std::size_t bucket = 1;
  for (std::size_t bit = 0; bucket < buckets; ++bit)
    if (!(high_[bit / 64] >> (bit % 64) & 1) && bucket++ % per_sample == 0)
      sample_[(bucket - 1) / per_sample] = static_cast<std::uint32_t>(bit + 1);
}

std::size_t SourceList::begin_of(std::uint64_t bucket) const {
  std::size_t at = sample_[bucket / per_sample];
  unsigned left = bucket % per_sample;  // zeros to pass
  if (left == 0) return at;
  std::size_t w = at / 64;
  std::uint64_t zeros = ~high_[w] & (~std::uint64_t{0} << (at % 64));
  for (unsigned here; (here = ones(zeros)) < left; zeros = ~high_[++w]) left -= here;
  return w * 64 + select(zeros, left - 1) + 1;
}

std::size_t SourceList::ones_from(std::size_t bit) const {
  std::size_t w = bit / 64;
  const auto first = static_cast<std::size_t>(std::countr_one(high_[w] >> (bit % 64)));
  if (first < 64 - bit % 64) return first;
  std::size_t n = first;
  while (high_[++w] == ~std::uint64_t{0}) n += 64;
  return n + static_cast<std::size_t>(std::countr_one(high_[w]));
}

namespace {

/// Index of the first of n ascending values that is not below; n: the first that is larger, or none.
template <class T>
std::size_t search(const std::uint8_t* bytes, std::size_t n, std::uint64_t low) {
  const T* values = reinterpret_cast<const T*>(bytes);
  const T* at = std::lower_bound(values, values + n, static_cast<T>(low));
  return at != values + n && *at == static_cast<T>(low) ? static_cast<std::size_t>(at - values) : n;
}

}  // namespace

std::size_t SourceList::find_in_bucket(std::uint64_t x) const {
  const std::uint64_t bucket = bucket_of(x);
  const std::size_t bit = begin_of(bucket), begin = bit - bucket, n = ones_from(bit);
  const std::uint8_t* low = low_.data() + begin * width_;
  const std::size_t at = width_ == 1   ? search<std::uint8_t>(low, n, x)
                         : width_ == 2 ? search<std::uint16_t>(low, n, x)
                         : width_ == 4 ? search<std::uint32_t>(low, n, x)
                                       : search<std::uint64_t>(low, n, x);
  return at == n ? n_ : begin + at;
}

std::uint64_t SourceList::low(std::size_t i) const {
  std::uint64_t x = 0;
  std::memcpy(&x, low_.data() + i * width_, width_);
  return x;
}

SourceList::Cursor::Cursor(const SourceList& list, std::uint64_t from) : list_(&list) {
  if (list.n_ == 0) return;
  const std::uint64_t x = from > list.first_ ? from - list.first_ : 0;
  if (x >= list.span_) {
    at_ = list.n_;
    return;
  }
  if (!list.words_.empty()) {
    word_ = x / 64;
    at_ = list.words_[word_].before;
    bits_ = list.words_[word_].bits;
  } else {
    const std::uint64_t bucket = list.bucket_of(x);
    const std::size_t bit = list.begin_of(bucket);
    word_ = bit / 64;
    at_ = bit - bucket;
    bits_ = list.high_[word_] & (~std::uint64_t{0} << (bit % 64));
  }
  for (read(); !at_end() && number_ < from;) next();
}

void SourceList::Cursor::read() {
  if (at_ == list_->n_) return;
  const auto words = [&](std::size_t w) { return list_->words_.empty() ? list_->high_[w] : list_->words_[w].bits; };
  while (bits_ == 0) bits_ = words(++word_);
  const std::size_t bit = word_ * 64 + static_cast<std::size_t>(std::countr_zero(bits_));
  bits_ &= bits_ - 1;
  const std::uint64_t x = !list_->words_.empty() ? bit
                          : list_->width_ < 8    ? ((bit - at_) << (8 * list_->width_)) + list_->low(at_)
                                                 : list_->low(at_);
  number_ = list_->first_ + x;
}

}  // namespace npl::tables
