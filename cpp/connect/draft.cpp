// SPDX-License-Identifier: Apache-2.0
#include "connect/draft.hpp"

#include <algorithm>

#include "connect/sort_pile.hpp"
#include "connect/sort_row.hpp"

namespace npl::connect {
namespace {

using tables::EdgeTable;
using tables::Layout;

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
    : shape_(shape), sorted_(sorted), table_(std::make_unique<EdgeTable>()), delays_(shape.lowest_delay, shape.highest_delay) {
  table_->spec = &spec;
  if (spec.weights == tables::Weights::uniform) make_store<NoWeight>(pool);
  if (spec.weights == tables::Weights::f32) varied() ? make_store<Keyed<float>>(pool) : make_store<float>(pool);
  if (spec.weights == tables::Weights::f64) varied() ? make_store<Keyed<double>>(pool) : make_store<double>(pool);
  if (spec.weights == tables::Weights::coded) make_store<tables::Code>(pool);
}

template <class W>
void Draft::make_store(SlabPool* pool) {
  const auto span = static_cast<std::uint64_t>(shape_.highest - shape_.lowest + 1);
  Stores<W>& store = edges_.emplace<Stores<W>>();
  if (!sorted_) {
    slots_ = Buffer<std::uint32_t>(span);
    const KeyFormat format = KeyFormat::of(shape_.lowest_delay, shape_.highest_delay);
    if (format.short_keys())
      store.template emplace<Buckets<W, std::uint32_t>>(span, shape_.edges, format);
    else
      store.template emplace<Buckets<W, std::uint64_t>>(span, shape_.edges, format);
    return;
  }
  const tables::SourceOrder& o = shape_.order;
  if (!o.by_rank()) lowest_key_ = o.key(shape_.lowest);
  store.template emplace<Piles<W>>(o.by_rank() ? static_cast<std::uint64_t>(o.stride * o.per_rank) : span, shape_.edges, pool);
}

void Draft::allocate(std::uint64_t n) {
  if (n > 0xffffffffull)
    throw BadParameter("synapses of one slice", static_cast<double>(n), "at most 2^32 - 1; use more threads or a smaller block_size");
  EdgeTable& t = *table_;
  t.target = Buffer<std::uint16_t>(n);
  if (varied()) t.parameters = Buffer<double>(n * t.spec->varied.size());
  if (weights() == tables::Weights::f32) t.weight32 = Buffer<float>(n);
  if (weights() == tables::Weights::f64) t.weight64 = Buffer<double>(n);
  if (weights() == tables::Weights::coded) t.code = Buffer<tables::Code>(n);
  delays_.allocate(n);
  columns_ = {slots_.data(), t.target.data(),  t.weight32.data(), t.weight64.data(),
              t.code.data(), delays_.narrow(), delays_.wide(),    t.parameters.data()};
}

void Draft::place() {
  std::uint64_t total = 0;
  std::size_t rows = 0;
  for (std::uint32_t n : slots_) total += n, rows += n > 0;
  allocate(total);
  table_->sources = tables::SourceIndex(shape_.lowest, slots_);
  Buffer<std::uint32_t> begin(rows + 1);
  std::uint32_t at = 0;
  std::size_t row = 0;
  for (std::uint32_t& slot : slots_) {
    const std::uint32_t n = slot;
    begin[row] = slot = at;
    at += n, row += n > 0;
  }
  begin[rows] = at;
  table_->rows = tables::RowOffsets(std::move(begin));
}

template <class W>
void Draft::add(const EdgeColumns<W>& e) {
  Stores<W>& store = std::get<Stores<W>>(edges_);
  if (auto* buckets = std::get_if<Buckets<W, std::uint32_t>>(&store)) return buckets->add(e, shape_.lowest, columns_);
  if (auto* buckets = std::get_if<Buckets<W, std::uint64_t>>(&store)) return buckets->add(e, shape_.lowest, columns_);
  Piles<W>& piles = std::get<Piles<W>>(store);
  for (std::size_t i = 0; i < e.n; ++i) {
    const std::uint64_t key = shape_.order.key(e.source[i]) - lowest_key_;
    if constexpr (std::is_same_v<W, NoWeight>)
      piles.add(key, static_cast<std::uint16_t>(e.target[i]), e.delay[i], {});
    else
      piles.add(key, static_cast<std::uint16_t>(e.target[i]), e.delay[i], e.weight[i]);
  }
}
template void Draft::add(const EdgeColumns<NoWeight>&);
template void Draft::add(const EdgeColumns<float>&);
template void Draft::add(const EdgeColumns<double>&);
template void Draft::add(const EdgeColumns<tables::Code>&);
template void Draft::add(const EdgeColumns<Keyed<float>>&);
template void Draft::add(const EdgeColumns<Keyed<double>>&);

template <class W>
NPL_INLINE void Draft::put(std::uint32_t at, const Edge<W>& e) {
  columns_.target[at] = e.target;
  delays_.put(at, e.delay);
  columns_.put(at, e.weight);
}

template <class W, class Key>
void Draft::finish_edges(Buckets<W, Key>& buckets, bool) {
  buckets.finish(columns_);
  slots_ = {};
  RowSorter sorter(*table_, static_cast<std::size_t>(shape_.highest_delay - shape_.lowest_delay) + 1,
                   varied() ? table_->parameters.data() : nullptr);
  for (std::size_t row = 0; delays_.varies() && row < table_->n_rows(); ++row) {
    if (delays_.narrow()) sorter.sort(delays_.narrow(), table_->rows[row], std::uint8_t{0});
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
  std::visit([&](auto& stores) { std::visit([&](auto& edges) { finish_edges(edges, last); }, stores); }, edges_);
  if (table_->n_synapses() == 0) return nullptr;
  std::move(delays_).encode(*table_, wanted);
  table_->complete();
  return std::move(table_);
}

}  // namespace npl::connect
