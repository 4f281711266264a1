// SPDX-License-Identifier: Apache-2.0
#include "connect/draft.hpp"

#include <algorithm>
#include <cstring>

namespace npl::connect {
namespace {

using deliver::EdgeTable;
using deliver::Layout;
using deliver::Run;

/// Stable counting sort of one row by delay, over all its columns. Buffers are kept between rows.
class RowSorter {
 public:
  RowSorter(EdgeTable& table, std::size_t bins) : table_(table), starts_(bins + 1) {}

  template <class D>
  void sort(D* delay, std::uint32_t begin, std::uint32_t end, Delay lowest) {
    const std::uint32_t n = end - begin;
    if (n < 2 || std::is_sorted(delay + begin, delay + end)) return;
    order(delay + begin, n, lowest);
    permute(delay + begin, n);
    permute(table_.target.data() + begin, n);
    if (!table_.weight32.empty()) permute(table_.weight32.data() + begin, n);
    if (!table_.weight64.empty()) permute(table_.weight64.data() + begin, n);
  }

 private:
  template <class D>
  void order(const D* delay, std::uint32_t n, Delay lowest) {
    const Delay base = sizeof(D) == 1 ? Delay{0} : lowest;
    std::fill(starts_.begin(), starts_.end(), 0u);
    for (std::uint32_t i = 0; i < n; ++i) ++starts_[static_cast<std::size_t>(delay[i] - base) + 1];
    for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
    to_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) to_[i] = starts_[static_cast<std::size_t>(delay[i] - base)]++;
  }
  template <class T>
  void permute(T* column, std::uint32_t n) {
    scratch_.resize(n * sizeof(T));
    T* copy = reinterpret_cast<T*>(scratch_.data());
    std::memcpy(copy, column, n * sizeof(T));
    for (std::uint32_t i = 0; i < n; ++i) column[to_[i]] = copy[i];
  }

  EdgeTable& table_;
  std::vector<std::uint32_t> starts_, to_;
  std::vector<char> scratch_;
};

}  // namespace

Draft::Draft(const deliver::TableSpec& spec, Gid lowest, Gid highest, Delay lowest_delay, Delay highest_delay)
    : lowest_(lowest), lowest_delay_(lowest_delay), highest_delay_(highest_delay), table_(std::make_unique<EdgeTable>()),
      slots_(static_cast<std::size_t>(highest - lowest + 1)), buckets_(std::in_place_index<0>, slots_.size()) {
  table_->spec = &spec;
  if (spec.weights == deliver::Weights::f32) buckets_.emplace<Buckets<float>>(slots_.size());
  if (spec.weights == deliver::Weights::f64) buckets_.emplace<Buckets<double>>(slots_.size());
}

void Draft::place() {
  std::vector<Gid> gids;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    total += slots_[i];
    if (slots_[i]) gids.push_back(lowest_ + static_cast<Gid>(i));
  }
  if (total > 0xffffffffull) throw BadParameter("synapses of one slice", static_cast<double>(total), "at most 2^32 - 1; use more threads or a smaller block_size");
  EdgeTable& t = *table_;
  t.sources = deliver::SourceIndex(gids);
  t.row_begin = Buffer<std::uint32_t>(gids.size() + 1);
  std::uint32_t begin = 0;
  for (std::size_t row = 0; row < gids.size(); ++row) {
    std::uint32_t& slot = slots_[static_cast<std::size_t>(gids[row] - lowest_)];
    t.row_begin[row] = begin;
    begin += slot;
    slot = t.row_begin[row];
  }
  t.row_begin[gids.size()] = begin;
  t.target = Buffer<std::uint16_t>(begin);
  if (weights() == deliver::Weights::f32) t.weight32 = Buffer<float>(begin);
  if (weights() == deliver::Weights::f64) t.weight64 = Buffer<double>(begin);
  if (t.spec->plasticity) t.pre = Buffer<synapses::PreTrace>(gids.size());
  const int range = highest_delay_ - lowest_delay_;
  if (range > 0 && range < 256) narrow_delay_ = Buffer<std::uint8_t>(begin);
  if (range >= 256) wide_delay_ = Buffer<Delay>(begin);
  target_ = t.target.data();
  narrow_ = narrow_delay_.data();
  wide_ = wide_delay_.data();
  weight32_ = t.weight32.data();
  weight64_ = t.weight64.data();
}

void Draft::empty_buckets() {
  std::visit([this](auto& b) { b.finish([this](const auto* edges, std::uint32_t n) { write(edges, n); }); }, buckets_);
}

Delay Draft::delay_at(std::uint32_t i) const {
  return narrow_ ? static_cast<Delay>(lowest_delay_ + narrow_[i]) : wide_ ? wide_[i] : lowest_delay_;
}

void Draft::sort_rows() {
  RowSorter sorter(*table_, static_cast<std::size_t>(highest_delay_ - lowest_delay_) + 1);
  for (std::size_t row = 0; row < table_->n_rows(); ++row) {
    const std::uint32_t begin = table_->row_begin[row], end = table_->row_begin[row + 1];
    if (narrow_) sorter.sort(narrow_, begin, end, lowest_delay_);
    if (wide_) sorter.sort(wide_, begin, end, lowest_delay_);
  }
}

/// Runs cost 4 bytes each and a loop start, words 2 bytes a synapse: runs win from about three synapses per run.
Layout Draft::best_layout() const {
  const double range = highest_delay_ - lowest_delay_ + 1.0;
  const double row = static_cast<double>(table_->n_synapses()) / static_cast<double>(std::max<std::size_t>(1, table_->n_rows()));
  return row / std::min(range, row) >= 3.0 || range == 1.0 ? Layout::runs : Layout::words;
}

/// Calls row(r) before each row and at the end, run(Run) for each run of equal delays.
template <class DelayAt, class Row, class AddRun>
static void walk_runs(const EdgeTable& t, DelayAt&& delay_at, Row&& row, AddRun&& run) {
  for (std::size_t r = 0; r < t.n_rows(); ++r) {
    row(r);
    for (std::uint32_t i = t.row_begin[r]; i < t.row_begin[r + 1];) {
      const Delay d = delay_at(i);
      std::uint32_t j = i + 1;
      while (j < t.row_begin[r + 1] && j - i < 0xffff && delay_at(j) == d) ++j;
      run(Run{d, static_cast<std::uint16_t>(j - i)});
      i = j;
    }
  }
  row(t.n_rows());
}

template <class DelayAt>
void Draft::encode_runs(DelayAt&& delay_at) {
  EdgeTable& t = *table_;
  t.run_begin = Buffer<std::uint32_t>(t.n_rows() + 1);
  std::uint32_t n = 0;
  walk_runs(t, delay_at, [&](std::size_t r) { t.run_begin[r] = n; }, [&](Run) { ++n; });
  t.runs = Buffer<Run>(n);
  Run* out = t.runs.data();
  walk_runs(t, delay_at, [](std::size_t) {}, [&](Run run) { *out++ = run; });
}

void Draft::encode_runs() {
  if (narrow_) return encode_runs([this](std::uint32_t i) { return static_cast<Delay>(lowest_delay_ + narrow_[i]); });
  if (wide_) return encode_runs([this](std::uint32_t i) { return wide_[i]; });
  encode_runs([this](std::uint32_t) { return lowest_delay_; });
}

void Draft::encode_words() {
  if (wide_) {
    table_->delay = std::move(wide_delay_);
    return;
  }
  table_->delay = Buffer<Delay>(table_->n_synapses());
  for (std::uint32_t i = 0; i < table_->n_synapses(); ++i) table_->delay[i] = delay_at(i);
}

std::unique_ptr<EdgeTable> Draft::finish(std::optional<Layout> wanted) {
  empty_buckets();
  slots_ = {};
  if (table_->n_synapses() == 0) return nullptr;
  sort_rows();
  table_->layout = wanted.value_or(best_layout());
  table_->layout == Layout::runs ? encode_runs() : encode_words();
  narrow_delay_ = {};
  wide_delay_ = {};
  return std::move(table_);
}

}  // namespace npl::connect
