// SPDX-License-Identifier: Apache-2.0
#include "connect/draft.hpp"

#include <algorithm>
#include <cstring>

#include "connect/sort_pile.hpp"

namespace npl::connect {
namespace {

using tables::EdgeTable;
using tables::Layout;

/// Stable counting sort of one row by delay, applied to all its columns. Reuses its buffers from row to row.
class RowSorter {
 public:
  RowSorter(EdgeTable& table, std::size_t bins) : table_(table), starts_(bins + 1) {}

  template <class D>
  void sort(D* delay, tables::RowOffsets::Range row, Delay lowest) {
    const std::uint32_t begin = row.begin, end = row.end, n = end - begin;
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

/// Converts row starts marked by bits to an array of offsets [rows + 1].
Buffer<std::uint32_t> offsets_of(const Buffer<std::uint64_t>& marks, std::size_t rows, std::uint32_t synapses) {
  Buffer<std::uint32_t> begin(rows + 1);
  std::size_t row = 0;
  for (std::uint32_t i = 0; i < synapses; ++i)
    if (marks[i / 64] >> (i % 64) & 1) begin[row++] = i;
  begin[rows] = synapses;
  return begin;
}

}  // namespace

Draft::Draft(const tables::TableSpec& spec, const DraftShape& shape, bool sorted, SlabPool* pool)
    : shape_(shape),
      sorted_(sorted),
      table_(std::make_unique<EdgeTable>()),
      delays_(shape.lowest_delay, shape.highest_delay),
      edges_(std::in_place_index<0>, 0, 0) {
  table_->spec = &spec;
  if (spec.weights == tables::Weights::uniform) make_store<NoWeight>(pool);
  if (spec.weights == tables::Weights::f32) make_store<float>(pool);
  if (spec.weights == tables::Weights::f64) make_store<double>(pool);
}

template <class W>
void Draft::make_store(SlabPool* pool) {
  const auto span = static_cast<std::uint64_t>(shape_.highest - shape_.lowest + 1);
  if (!sorted_) {
    slots_ = Buffer<std::uint32_t>(span);
    edges_.emplace<Buckets<W>>(span, shape_.edges);
    return;
  }
  const tables::SourceOrder& o = shape_.order;
  if (!o.by_rank()) lowest_key_ = o.key(shape_.lowest);
  edges_.emplace<Piles<W>>(o.by_rank() ? static_cast<std::uint64_t>(o.stride * o.per_rank) : span, shape_.edges, pool);
}

void Draft::allocate(std::uint64_t n) {
  if (n > 0xffffffffull)
    throw BadParameter("synapses of one slice", static_cast<double>(n), "at most 2^32 - 1; use more threads or a smaller block_size");
  EdgeTable& t = *table_;
  t.target = Buffer<std::uint16_t>(n);
  if (weights() == tables::Weights::f32) t.weight32 = Buffer<float>(n);
  if (weights() == tables::Weights::f64) t.weight64 = Buffer<double>(n);
  delays_.allocate(n);
  target_ = t.target.data();
  weight32_ = t.weight32.data();
  weight64_ = t.weight64.data();
}

void Draft::place() {
  Buffer<Gid> gids(static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [](std::uint32_t n) { return n > 0; })));
  std::uint64_t total = 0, rows = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    total += slots_[i];
    if (slots_[i]) gids[rows++] = shape_.lowest + static_cast<Gid>(i);
  }
  allocate(total);
  table_->sources = tables::SourceIndex(std::span<const Gid>(gids.data(), rows));
  Buffer<std::uint32_t> begin(gids.size() + 1);
  std::uint32_t at = 0;
  for (std::size_t row = 0; row < gids.size(); ++row) {
    std::uint32_t& slot = slots_[static_cast<std::size_t>(gids[row] - shape_.lowest)];
    begin[row] = at;
    at += slot;
    slot = begin[row];
  }
  begin[gids.size()] = at;
  table_->rows = tables::RowOffsets(std::move(begin));
}

template <class W>
void Draft::finish_edges(Buckets<W>& buckets, bool) {
  buckets.finish([this](const Edge<W>* edges, std::uint32_t n) { write(edges, n); });
  slots_ = {};
  RowSorter sorter(*table_, static_cast<std::size_t>(shape_.highest_delay - shape_.lowest_delay) + 1);
  for (std::size_t row = 0; row < table_->n_rows(); ++row) {
    if (delays_.narrow()) sorter.sort(delays_.narrow(), table_->rows[row], shape_.lowest_delay);
    if (delays_.wide()) sorter.sort(delays_.wide(), table_->rows[row], shape_.lowest_delay);
  }
}

template <class W>
void Draft::finish_edges(Piles<W>& piles, bool last_use) {
  allocate(piles.n_edges());
  Buffer<std::uint64_t> marks(table_->n_synapses() / 64 + 1);
  tables::SourceList::Writer sources;
  PileSorter sorter(piles.slot_bits(), delays_.varies());
  std::vector<Edge<W>> edges;
  std::uint32_t at = 0;
  for (std::size_t pile = 0; pile < piles.size(); ++pile) {
    piles.take(pile, edges, last_use);
    std::uint64_t last = std::uint64_t{1} << 32;  // no slot
    for (std::uint32_t i : sorter.order(edges)) {
      const Edge<W>& e = edges[i];
      if (e.slot != last) {
        marks[at / 64] |= std::uint64_t{1} << (at % 64);
        sources.add(lowest_key_ + piles.base(pile) + e.slot);
        last = e.slot;
      }
      put(at++, e);
    }
  }
  piles = Piles<W>(0, 0);
  set_rows(std::move(marks), std::move(sources).finish());
}

void Draft::set_rows(Buffer<std::uint64_t> marks, tables::SourceList keys) {
  EdgeTable& t = *table_;
  const auto n = static_cast<std::uint32_t>(t.n_synapses());
  const std::size_t rows = keys.size();
  t.rows = n <= tables::RowOffsets::longest_marked * rows ? tables::RowOffsets(std::move(marks), n)
                                                          : tables::RowOffsets(offsets_of(marks, rows, n));
  t.sources = tables::SourceIndex(std::move(keys), shape_.order);
}

std::unique_ptr<EdgeTable> Draft::finish(std::optional<Layout> wanted, bool last) {
  std::visit([&](auto& edges) { finish_edges(edges, last); }, edges_);
  if (table_->n_synapses() == 0) return nullptr;
  std::move(delays_).encode(*table_, wanted);
  table_->complete();
  return std::move(table_);
}

}  // namespace npl::connect
