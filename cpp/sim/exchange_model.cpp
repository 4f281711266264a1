// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "exchange/arrivals.hpp"
#include "exchange/regime.hpp"
#include "tables/sizes.hpp"

namespace npl::sim {
namespace {

double bits(double values) { return values < 1 ? 0 : std::ilogb(values) + 1; }

/// Bytes of an AddressBook: counts per sender and part.
double book_bytes(double senders, double parts, double addresses) {
  if (senders < 1) return 0;
  const double each = tables::mean_varint_below(2 * addresses / parts), stretches = std::ceil(senders / 64);
  return senders * parts * each + 8 * stretches + 4 * stretches * parts + 8 * parts;
}

/// Bytes of a Routing entry: destination and address, as varint differences.
double entry_bytes(double sources, double routes, double partners) {
  const double addresses = routes / std::max(partners, 1.0), density = routes / std::max(sources * partners, 1.0);
  return routes * (tables::mean_varint(density) + tables::mean_varint_below(addresses));
}

double nodes_of(const Outline& o, double scale) {
  double n = 0;
  for (const auto& p : o.nodes) n += p.n * scale;
  return n;
}

/// Bytes of the record of a spike, as SpikeCodec chooses them.
double record_bytes(const Machine& m, const Outline& o, const ExchangeSize& x, bool directed) {
  if (o.precise()) return 16;
  const double interval = o.min_delay ? o.min_delay : 1, part = m.halves ? std::ceil(interval / 2) : interval;
  const double lag = bits(std::max(part - 1, 0.0)), nodes = nodes_of(o, m.scale);
  if (!directed) return bits(nodes / m.ranks) + lag <= 16 ? 2 : bits(nodes) + lag <= 32 ? 4 : 8;
  const double most = bits(exchange::largest_of(x.routes / std::max(x.partners, 1.0), m.ranks * std::max(x.partners, 1.0))) + lag;
  return most <= 16 ? 2 : most <= 32 ? 4 : 8;
}

}  // namespace

namespace {

/// Sizes of the tables of this rank.
struct Held {
  exchange::Audience audience;
  double parts = 0;     ///< number of tables
  double unsorted = 0;  ///< rows of tables that are not in the order (owner, gid)
  double longest = 0;   ///< rows of the longest table
};

Held held_of(const Outline& o, const Machine& m, double slices, const std::vector<TableSize>& slice) {
  Held held;
  const double sources = sources_reached(o, m.ranks, m.scale);
  held.audience.sources = sources;
  held.parts = slices * static_cast<double>(slice.size());
  for (const TableSize& t : slice) {
    held.audience.rows += slices * t.rows;
    const double within =
        std::min(sources, t.span);  // numbers from its first source to its last one; by rank, all but a rank's at the ends
    const double numbers = o.by_rank ? sources - (sources - within) / m.ranks : within;
    held.audience.lookup += slices * tables::SourceIndex::expected_bytes(t.rows, numbers, !o.by_rank || t.sorted);
    held.longest = std::max(held.longest, t.rows);
    if (o.by_rank && !t.sorted) held.unsorted += slices * t.rows;
  }
  return held;
}

/// Bytes of routes, address book, and tables from addresses to rows.
double table_bytes(const Held& held, const ExchangeSize& x, double mine) {
  const double book = book_bytes(x.partners, x.dense ? 1 : held.parts, x.routes / std::max(x.partners, 1.0));
  return 8 * (mine + 2) + entry_bytes(mine, x.routes, x.partners) + book + (x.dense ? held.audience.lookup : 4 * held.unsorted);
}

/// Additional bytes while routes are made, including heap fragmentation by growing lists.
double construction_bytes(const Held& held, const ExchangeSize& x, const Machine& m, double mine) {
  constexpr double holes = 1.4, round = 16 << 20;
  const double sources = held.audience.sources;
  const double lists =
      x.dense ? 8 * grown(sources + held.longest) + 16 * (grown(sources) + grown(held.longest)) + 8 * sources : 16 * held.unsorted;
  const double letters = 1.3 * x.routes, under_way = std::min(letters, round) + 170 * x.partners;
  return std::max(holes * lists, letters + under_way + (4 + 16 * m.threads) * mine + (x.dense ? 16 * grown(sources) : holes * lists));
}

}  // namespace

ExchangeSize exchange_size(const Outline& o, const Machine& m, double slices, const std::vector<TableSize>& slice) {
  const exchange::StrategyInfo& strategy = exchange::find_strategy(m.strategy);
  const exchange::Regime regime = exchange::find_regime(m.regime);
  ExchangeSize size;
  if (m.ranks <= 1) return size;
  const bool directed = strategy.is.directed;
  const double nodes = nodes_of(o, m.scale), mine = nodes / m.ranks, others = (m.ranks - 1) / m.ranks;
  const Held held = held_of(o, m, slices, slice);
  size.dense = regime == exchange::Regime::automatic ? exchange::dense_pays(held.audience) : regime == exchange::Regime::dense;
  const double interval = o.resolution * (o.min_delay ? o.min_delay : 1), spikes = mine * m.rate * 1e-3 * interval;
  size.routes = directed ? others * (size.dense ? held.audience.sources : held.audience.rows) : 0;
  size.words = directed ? spikes * size.routes / std::max(mine, 1.0) : spikes;
  size.partners = directed ? (m.ranks - 1) * -math::expm1(-size.routes / (m.ranks - 1)) : m.ranks - 1;
  const double record = record_bytes(m, o, size, directed);
  if (directed) {
    size.tables = table_bytes(held, size, mine);
    size.construction = construction_bytes(held, size, m, mine);
  } else if (record == 2) {
    size.tables = 8 * nodes;  // gids of all nodes
  }
  const double heard = directed ? size.words : spikes * m.ranks;
  const double waiting = (directed ? sizeof(RowSpike) : sizeof(Spike)) + (o.precise() ? sizeof(double) : 0);
  size.buffers = 2 * size.words * record + heard * (record + waiting) + 24 * size.partners +
                 strategy.is.bytes({m.ranks, size.partners, size.words, record, spikes});
  return size;
}

}  // namespace npl::sim
