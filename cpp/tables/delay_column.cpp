// SPDX-License-Identifier: Apache-2.0
#include "tables/delay_column.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace npl::tables {

void DelayColumn::allocate(std::size_t n) {
  const int range = highest_ - lowest_;
  if (range > 0 && range < 256) narrow_column_ = Buffer<std::uint8_t>(n);
  if (range >= 256) wide_column_ = Buffer<Delay>(n);
  narrow_ = narrow_column_.data();
  wide_ = wide_column_.data();
}

Layout DelayColumn::best_layout(double synapses, double rows, Delay lowest, Delay highest) {
  if (lowest == highest) return Layout::single;
  const double range = highest - lowest + 1.0, row = synapses / std::max(1.0, rows);
  return row / std::min(range, row) >= 3.0 ? Layout::runs : Layout::words;
}

void DelayColumn::encode(EdgeTable& t, std::optional<Layout> wanted) && {
  t.layout = wanted.value_or(best_layout(static_cast<double>(t.n_synapses()), static_cast<double>(t.n_rows()), lowest_, highest_));
  if (t.layout == Layout::single && varies()) t.layout = Layout::runs;
  t.one_delay = lowest_;
  if (t.layout == Layout::runs) encode_runs(t);
  if (t.layout != Layout::words) return;
  if (wide_) {
    t.delay = std::move(wide_column_);
    return;
  }
  t.delay = Buffer<Delay>(t.n_synapses());
  for (std::size_t i = 0; i < t.n_synapses(); ++i) t.delay[i] = at(i);
}

namespace {

/// End of the run of equal delays that begins at i, in a sorted row.
template <class D>
std::uint32_t end_of_run(const D* delay, std::uint32_t i, std::uint32_t end) {
  constexpr std::uint32_t at_once = sizeof(std::uint64_t) / sizeof(D);
  const std::uint64_t same = ~std::uint64_t{0} / static_cast<D>(~D{0}) * delay[i];
  for (++i; i + at_once <= end; i += at_once) {
    std::uint64_t word;
    std::memcpy(&word, delay + i, sizeof word);
    if (const std::uint64_t other = word ^ same)
      return i +
             static_cast<std::uint32_t>(std::endian::native == std::endian::little ? std::countr_zero(other) : std::countl_zero(other)) /
                 (8 * sizeof(D));
  }
  while (i < end && delay[i] == delay[i - 1]) ++i;
  return i;
}

constexpr std::uint32_t longest_run = 0xffff;

/// Number of runs of the rows. @param delay null: all are equal
template <class D>
std::uint32_t count_runs(const EdgeTable& t, const D* delay) {
  std::uint32_t n = 0;
  for (std::size_t r = 0; r < t.n_rows(); ++r) {
    const auto [begin, end] = t.rows[r];
    if (!delay || end - begin > longest_run) {
      for (std::uint32_t i = begin; i < end; ++n) i = std::min(delay ? end_of_run(delay, i, end) : end, i + longest_run);
      continue;
    }
    std::uint32_t changes = 0;
    for (std::uint32_t i = begin + 1; i < end; ++i) changes += delay[i] != delay[i - 1];
    n += changes + 1;
  }
  return n;
}

/// @param delay null: all are equal; @param base what is added to each
template <class D>
void write_runs(EdgeTable& t, const D* delay, Delay base) {
  t.run_begin = Buffer<std::uint32_t>(t.n_rows() + 1);
  t.runs = Buffer<Run>(count_runs(t, delay));
  std::uint32_t n = 0;
  for (std::size_t r = 0; r < t.n_rows(); ++r) {
    t.run_begin[r] = n;
    const auto [begin, end] = t.rows[r];
    for (std::uint32_t i = begin; i < end;) {
      const std::uint32_t next = std::min(delay ? end_of_run(delay, i, end) : end, i + longest_run);
      t.runs[n++] = {static_cast<Delay>(base + (delay ? delay[i] : 0)), static_cast<std::uint16_t>(next - i)};
      i = next;
    }
  }
  t.run_begin[t.n_rows()] = n;
}

}  // namespace

void DelayColumn::encode_runs(EdgeTable& t) const { wide_ ? write_runs(t, wide_, 0) : write_runs(t, narrow_, lowest_); }

}  // namespace npl::tables
