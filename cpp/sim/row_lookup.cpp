// SPDX-License-Identifier: Apache-2.0
#include "sim/row_lookup.hpp"

#include <algorithm>
#include <cmath>

namespace npl::sim {
namespace {

constexpr std::size_t most_counted = std::size_t{1} << 22;  ///< rows whose sources are counted exactly

/// Calls f(gid) for a sample of about 2^-shift of the sources of a table, the same sources in every table: windows of the order by rank if
/// all tables have this order, so that only these are read.
template <class F>
void sample_sources(const tables::SourceIndex& sources, unsigned shift, bool by_rank, F&& f) {
  const auto chosen = [&](std::uint64_t x) { return shift == 0 || x * 0x9E3779B97F4A7C15u >> (64 - shift) == 0; };
  if (!by_rank || shift == 0)
    return sources.for_each([&](std::uint32_t, Gid gid) {
      if (chosen(static_cast<std::uint64_t>(gid))) f(gid);
    });
  const tables::SourceOrder& order = sources.order();
  const auto keys = static_cast<std::uint64_t>(order.stride * order.per_rank), window = std::max(keys >> 20, std::uint64_t{1} << 12);
  for (std::uint64_t w = 0; w <= keys / window; ++w)
    if (chosen(w)) sources.keys().for_range(w * window, (w + 1) * window, [&](std::size_t, std::uint64_t key) { f(order.gid(key)); });
}

/// Number of distinct sources of the rows.
double count_sources(const Slices& slices) {
  std::size_t rows = 0;
  bool by_rank = true;
  for_tables(slices, [&](const tables::EdgeTable& table) { rows += table.n_rows(), by_rank = by_rank && table.sources.by_rank(); });
  const unsigned shift = rows <= most_counted ? 0 : 6;
  std::vector<Gid> some;
  for_tables(slices,
             [&](const tables::EdgeTable& table) { sample_sources(table.sources, shift, by_rank, [&](Gid gid) { some.push_back(gid); }); });
  std::sort(some.begin(), some.end());
  return std::ldexp(static_cast<double>(std::unique(some.begin(), some.end()) - some.begin()), static_cast<int>(shift));
}

/// Sources of all tables, ascending.
std::vector<Gid> all_sources(const Slices& slices) {
  std::vector<Gid> gids;
  for_tables(slices, [&](const tables::EdgeTable& table) {
    const auto known = static_cast<std::ptrdiff_t>(gids.size());
    table.sources.for_each([&](std::uint32_t, Gid gid) { gids.push_back(gid); });
    if (table.sources.by_rank()) std::sort(gids.begin() + known, gids.end());
    std::inplace_merge(gids.begin(), gids.begin() + known, gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
  });
  return gids;
}

}  // namespace

exchange::Audience audience_of(const Slices& slices) {
  exchange::Audience audience;
  audience.sources = count_sources(slices);
  for_tables(slices, [&](const tables::EdgeTable& table) {
    const auto rows = static_cast<double>(table.n_rows());
    audience.rows += rows;
    audience.lookup += tables::SourceIndex::expected_bytes(rows, audience.sources, table.sources.by_rank());
  });
  return audience;
}

RowLookup::RowLookup(const Slices& slices, const Owners& owners, bool dense, std::vector<RowsByOwner>& parts) : dense_(dense) {
  dense ? list_sources(slices, owners, parts) : list_rows(slices, owners, parts);
}

void RowLookup::list_rows(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts) {
  for_tables(slices, [&](const tables::EdgeTable& table) {
    order_.emplace_back();
    parts.emplace_back(table.sources, table.n_rows(), owners, order_.back());
  });
}

/// Numbers the sources by (owner, gid) and makes the index of every table from these numbers.
void RowLookup::list_sources(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts) {
  const std::vector<Gid> gids = all_sources(slices);
  Buffer<std::uint32_t> order;
  parts.emplace_back(tables::SourceIndex(gids), gids.size(), owners, order);
  const auto by_owner = [&](std::size_t i) { return order.empty() ? i : order[i]; };
  std::vector<Gid> number(gids.size());  // of the source with the i-th lowest gid
  for (std::size_t i = 0; i < gids.size(); ++i) number[by_owner(i)] = static_cast<Gid>(i);
  for_tables(slices, [&](const tables::EdgeTable& table) {
    std::vector<tables::SourceIndex::Pair> pairs;
    std::size_t i = 0;  // rows are sorted by number or by gid
    table.sources.for_each([&](std::uint32_t row, Gid gid) {
      while (gids[table.sources.by_rank() ? by_owner(i) : i] != gid) ++i;
      pairs.emplace_back(row, table.sources.by_rank() ? static_cast<Gid>(i) : number[i]);
    });
    rows_.emplace_back(std::move(pairs));
  });
}

std::size_t RowLookup::bytes() const {
  std::size_t total = 0;
  for (const auto& index : rows_) total += index.bytes();
  for (const auto& order : order_) total += order.bytes();
  return total;
}

}  // namespace npl::sim
