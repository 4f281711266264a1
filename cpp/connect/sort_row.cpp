// SPDX-License-Identifier: Apache-2.0
#include "connect/sort_row.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace npl::connect {

/// Sets starts_[b] to the number of delays below b.
template <class D>
void RowSorter::count(const D* delay, std::uint32_t n, D base) {
  const std::size_t used = n < counters * bins_ ? 1 : counters;  // of short rows the clearing would take longest
  std::fill_n(starts_.begin(), used * bins_, 0u);
  std::uint32_t i = 0;
  for (; used > 1 && i + counters <= n; i += counters)
    for (std::size_t k = 0; k < counters; ++k) ++starts_[k * bins_ + static_cast<std::size_t>(delay[i + k] - base)];
  for (; i < n; ++i) ++starts_[static_cast<std::size_t>(delay[i] - base)];
  for (std::size_t k = 1; k < used; ++k)
    for (std::size_t b = 0; b < bins_; ++b) starts_[b] += starts_[k * bins_ + b];
  std::uint32_t at = 0;
  for (std::size_t b = 0; b < bins_; ++b) at += std::exchange(starts_[b], at);
}

template <class D, class W>
void RowSorter::move(const D* delay, std::uint32_t n, D base, std::uint16_t* target, W* weight, double* key) {
  if (target_.size() < n) target_.resize(n), weight_.resize(n * sizeof(W));
  if (key && keys_.size() < n) keys_.resize(n);
  std::uint16_t* const __restrict to_target = target_.data();
  W* const __restrict to_weight = reinterpret_cast<W*>(weight_.data());
  double* const __restrict to_key = keys_.data();
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t to = starts_[static_cast<std::size_t>(delay[i] - base)]++;
    to_target[to] = target[i];
    if (weight) to_weight[to] = weight[i];
    if (key) to_key[to] = key[i];
  }
  std::memcpy(target, to_target, n * sizeof *target);
  if (weight) std::memcpy(weight, to_weight, n * sizeof(W));
  if (key) std::memcpy(key, to_key, n * sizeof *key);
}

template <class D>
void RowSorter::write_delays(D* delay, D base) const {
  std::uint32_t at = 0;
  for (std::size_t b = 0; b < bins_; ++b)
    for (const std::uint32_t end = starts_[b]; at < end; at = end) std::fill(delay + at, delay + end, static_cast<D>(base + b));
}

template <class D>
void RowSorter::sort(D* delay, tables::RowOffsets::Range row, D base) {
  const std::uint32_t n = row.end - row.begin;
  delay += row.begin;
  if (n < 2 || std::is_sorted(delay, delay + n)) return;
  count(delay, n, base);
  std::uint16_t* const target = table_.target.data() + row.begin;
  double* const key = key_ ? key_ + row.begin : nullptr;
  if (!table_.weight64.empty())
    move(delay, n, base, target, table_.weight64.data() + row.begin, key);
  else if (!table_.code.empty())
    move(delay, n, base, target, table_.code.data() + row.begin, key);
  else
    move(delay, n, base, target, table_.weight32.empty() ? nullptr : table_.weight32.data() + row.begin, key);
  write_delays(delay, base);
}

template void RowSorter::sort(std::uint8_t*, tables::RowOffsets::Range, std::uint8_t);
template void RowSorter::sort(Delay*, tables::RowOffsets::Range, Delay);

}  // namespace npl::connect
