// SPDX-License-Identifier: Apache-2.0
#include "sim/table_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "connect/draft.hpp"
#include "connect/table_groups.hpp"
#include "tables/sizes.hpp"

namespace npl::sim {
namespace {

using tables::Layout;
using Parts = std::vector<const Outline::Edges*>;

Gid end_of(const connect::Range& r) { return r.first + (r.count - 1) * r.stride + 1; }

/// Share of the edges of a projection that go to a table.
double share_of(const Outline::Edges& e, int table) {
  if (e.negative_table < 0 || e.negative_table == e.table) return e.table == table ? 1.0 : 0.0;
  return e.table == table ? 1.0 - e.negative : e.negative_table == table ? e.negative : 0.0;
}

Parts parts_of(const Outline& outline, int table) {
  Parts parts;
  for (const auto& e : outline.edges)
    if (share_of(e, table) > 0 && e.spread.edges > 0) parts.push_back(&e);
  return parts;
}

/// Lowest and highest delay of some projections [steps].
std::pair<Delay, Delay> delays_of(const Parts& parts) {
  std::pair range{parts[0]->lowest_delay, parts[0]->highest_delay};
  for (const Outline::Edges* e : parts) range = {std::min(range.first, e->lowest_delay), std::max(range.second, e->highest_delay)};
  return range;
}

/// Expected number of runs of equal delay in one slice: one per source and delay with at least one edge.
double runs_of(const Parts& parts, int table, double slices, double scale) {
  const auto [lowest, highest] = delays_of(parts);
  Stretches stretches(parts);
  double runs = 0;
  for (int delay = lowest; delay <= highest; ++delay) {
    stretches.clear();
    for (const Outline::Edges* e : parts) {
      if (delay < e->lowest_delay || delay > e->highest_delay) continue;
      const double keep = share_of(*e, table) * e->delays[static_cast<std::size_t>(delay - e->lowest_delay)];
      const connect::Spread s = e->spread.scaled(scale);
      if (keep > 0) stretches.add(*e, e->copies * s.log_none(s.targets / slices, keep));
    }
    runs += stretches.reached() * scale;
  }
  return runs;
}

}  // namespace

Stretches::Stretches(const std::vector<const Outline::Edges*>& edges) {
  for (const auto* e : edges)
    for (const connect::Range& r : e->sources) ends_.push_back(r.first), ends_.push_back(end_of(r));
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  stretches_.resize(ends_.empty() ? 0 : ends_.size() - 1);
}

template <class F>
void Stretches::for_stretches(const connect::Range& r, F&& f) {
  auto at = static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), r.first) - ends_.begin());
  for (const Gid end = end_of(r); at < stretches_.size() && ends_[at] < end; ++at) f(stretches_[at]);
}

void Stretches::clear() {
  for (Stretch& s : stretches_) s.clear();
}

void Stretches::add(const Outline::Edges& edges, double log_none) {
  if (log_none == 0) return;
  for (const connect::Range& r : edges.sources)
    for_stretches(r, [&](Stretch& s) {
      const Gid phase = r.first % r.stride;
      const auto at = std::find_if(s.begin(), s.end(), [&](const Class& c) { return c.stride == r.stride && c.phase == phase; });
      at == s.end() ? s.push_back({r.stride, phase, log_none}) : static_cast<void>(at->log_none += log_none);
    });
}

/// Classes with the same stride are disjoint; classes with different strides are assumed to be independent.
double Stretches::share_reached(const Stretch& stretch) {
  double none = 1;
  for (auto first = stretch.begin(); first != stretch.end(); ++first) {
    const auto same = [&](const Class& c) { return c.stride == first->stride; };
    if (std::find_if(stretch.begin(), first, same) != first) continue;
    double share = 0;
    for (const Class& c : stretch)
      if (same(c)) share += -math::expm1(c.log_none) / static_cast<double>(c.stride);
    none *= 1 - share;
  }
  return 1 - none;
}

double Stretches::reached() const {
  double sum = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& s = stretches_[i];
    if (s.size() == 1)  // exact, also for stretches that are no multiple of the stride and for very small probabilities
      sum += -math::expm1(s[0].log_none) * std::ceil(width(i) / static_cast<double>(s[0].stride));
    else if (!s.empty())
      sum += share_reached(s) * width(i);
  }
  return sum;
}

namespace {

template <class Key>
double bucket_bytes(const TableSize& t, tables::Weights weights, const connect::KeyFormat& format, bool varied) {
  const std::size_t edge = varied                              ? sizeof(connect::PackedEdge<connect::Keyed<float>, Key>)
                           : weights == tables::Weights::f64   ? sizeof(connect::PackedEdge<double, Key>)
                           : weights == tables::Weights::f32   ? sizeof(connect::PackedEdge<float, Key>)
                           : weights == tables::Weights::coded ? sizeof(connect::PackedEdge<tables::Code, Key>)
                                                               : sizeof(connect::PackedEdge<connect::NoWeight, Key>);
  const auto [capacity, rows_log2, buckets] = connect::BucketShape::of(t.span, t.synapses, format.row_bits<Key>(), edge);
  return static_cast<double>(edge) * std::min(t.synapses, capacity * static_cast<double>(buckets));
}

/// Bytes of a draft: counters per possible source and buckets of edges, or piles of edges; and the delays.
double draft_bytes(const TableSize& t, tables::Weights weights, Delay lowest, Delay highest, bool varied) {
  if (t.sorted && varied) return (weights == tables::Weights::f64 ? 24 : 20) * t.synapses * 1.03;
  if (t.sorted) return (weights == tables::Weights::f64 ? 16 : weights == tables::Weights::uniform ? 8 : 12) * t.synapses * 1.03;
  const auto format = connect::KeyFormat::of(lowest, highest);
  const double buckets = format.short_keys() ? bucket_bytes<std::uint32_t>(t, weights, format, varied)
                                             : bucket_bytes<std::uint64_t>(t, weights, format, varied);
  return 4 * t.span + buckets + (highest == lowest ? 0 : highest - lowest < 256 ? 1 : 2) * t.synapses;
}

}  // namespace

TableSize table_size(const Outline& outline, int table, double ranks, double slices, double scale) {
  const Parts parts = parts_of(outline, table);
  TableSize size;
  if (parts.empty()) return size;
  Stretches stretches(parts);
  const auto [lowest, highest] = delays_of(parts);
  double drawn = 0;
  for (const Outline::Edges* e : parts) {
    const connect::Spread s = e->spread.scaled(scale);
    const double keep = share_of(*e, table);
    size.synapses += e->copies * s.edges * keep / slices;
    drawn += e->copies * s.edges / slices;
    stretches.add(*e, e->copies * s.log_none(s.targets / slices, keep));
  }
  double nodes = 0;
  for (const auto& p : outline.nodes) nodes += p.n;
  const tables::TableSpec& spec = outline.tables[static_cast<std::size_t>(table)];
  size.rows = stretches.reached() * scale;
  size.span = stretches.span() * scale;
  const bool by_rank = outline.by_rank && ranks > 1;
  size.sorted = connect::DraftShape::sparse(size.span, drawn, by_rank);
  const double keys = by_rank && size.sorted ? scale * nodes - (scale * nodes - size.span) / ranks : size.span;  // range of the list
  const Layout layout = tables::DelayColumn::best_layout(size.synapses, size.rows, lowest, highest);
  if (layout == Layout::runs) size.runs = runs_of(parts, table, slices, scale);
  size.payload = size.synapses * tables::expected_bytes(spec, layout, tables::Per::synapse);
  size.sources = tables::SourceList::expected_bytes(size.rows, keys);
  size.index = size.rows * tables::expected_bytes(spec, layout, tables::Per::row) + tables::run_bytes(layout, size.rows, size.runs) +
               tables::offset_bytes(size.sorted, size.rows, size.synapses) + size.sources;
  size.draft = draft_bytes(size, spec.weights, lowest, highest, !spec.varied.empty());
  size.slots = size.sorted ? 0 : sizeof(std::uint32_t) * size.span;
  size.writer = size.sorted ? size.rows * tables::mean_varint(size.rows / keys) + (highest == lowest ? 0 : size.synapses) : 0;
  return size;
}

/// Tables are filled and finished one after the other, those together that a projection fills together.
double slice_construction(const Outline& outline, const std::vector<TableSize>& tables) {
  connect::TableGroups groups(tables.size());
  std::vector<double> synapses;
  double all = 0, now = 0, most = 0;
  for (const auto& e : outline.edges)
    if (e.negative_table >= 0) groups.join(e.table, e.negative_table);
  for (const TableSize& t : tables) synapses.push_back(t.synapses), all += t.payload + t.index, now += t.slots;
  for (const auto& group : groups.in_order(synapses)) {
    const auto each = [&](auto&& f) {
      for (const int t : group) f(tables[static_cast<std::size_t>(t)]);
    };
    each([&](const TableSize& t) { now += t.draft - t.slots + (t.sorted ? 0 : t.payload + t.index); });
    each([&](const TableSize& t) {
      most = std::max(most, now);
      now += (t.sorted ? t.payload + t.index : 0) - t.draft;
      most = std::max(most, now + t.writer);
    });
  }
  return std::max(most - all, 0.0);
}

double sources_reached(const Outline& outline, double parts, double scale) {
  Parts all;
  for (const auto& e : outline.edges)
    if (e.spread.edges > 0) all.push_back(&e);
  Stretches stretches(all);
  for (const Outline::Edges* e : all) {
    const connect::Spread s = e->spread.scaled(scale);
    stretches.add(*e, e->copies * s.log_none(s.targets / parts));
  }
  return stretches.reached() * scale;
}

}  // namespace npl::sim
