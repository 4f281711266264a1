// SPDX-License-Identifier: Apache-2.0
#include "tables/delay_column.hpp"

#include <algorithm>

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

/// Calls row(r) before each row and at the end, run(Run) for each run of equal delays.
template <class DelayAt, class Row, class AddRun>
void walk_runs(const EdgeTable& t, DelayAt&& delay_at, Row&& row, AddRun&& run) {
  for (std::size_t r = 0; r < t.n_rows(); ++r) {
    row(r);
    const auto [begin, end] = t.rows[r];
    for (std::uint32_t i = begin; i < end;) {
      const Delay d = delay_at(i);
      std::uint32_t j = i + 1;
      while (j < end && j - i < 0xffff && delay_at(j) == d) ++j;
      run(Run{d, static_cast<std::uint16_t>(j - i)});
      i = j;
    }
  }
  row(t.n_rows());
}

template <class DelayAt>
void write_runs(EdgeTable& t, DelayAt&& delay_at) {
  t.run_begin = Buffer<std::uint32_t>(t.n_rows() + 1);
  std::uint32_t n = 0;
  walk_runs(t, delay_at, [&](std::size_t r) { t.run_begin[r] = n; }, [&](Run) { ++n; });
  t.runs = Buffer<Run>(n);
  Run* out = t.runs.data();
  walk_runs(t, delay_at, [](std::size_t) {}, [&](Run run) { *out++ = run; });
}

}  // namespace

void DelayColumn::encode_runs(EdgeTable& t) const {
  if (narrow_) return write_runs(t, [this](std::uint32_t i) { return static_cast<Delay>(lowest_ + narrow_[i]); });
  if (wide_) return write_runs(t, [this](std::uint32_t i) { return wide_[i]; });
  write_runs(t, [this](std::uint32_t) { return lowest_; });
}

}  // namespace npl::tables
