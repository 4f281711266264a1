// SPDX-License-Identifier: Apache-2.0
#include "deliver/erasing.hpp"

#include <algorithm>
#include <span>

namespace npl::deliver {
namespace {

template <class T>
Buffer<T> buffer_of(const std::vector<T>& values) {
  Buffer<T> b(values.size());
  std::copy(values.begin(), values.end(), b.begin());
  return b;
}

/// What stays of a column with `width` values per item; nothing of an empty one.
template <class T>
Buffer<T> kept(const Buffer<T>& column, const std::vector<std::uint32_t>& place, std::size_t n, std::size_t width = 1) {
  if (column.empty() || n == 0) return {};
  Buffer<T> b(n * width);
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] != gone) std::copy_n(&column[i * width], width, &b[place[i] * width]);
  return b;
}

/// New places of the items that are not out.
std::vector<std::uint32_t> places(const std::vector<char>& out, std::uint32_t& n) {
  std::vector<std::uint32_t> place(out.size(), gone);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!out[i]) place[i] = n++;
  return place;
}

bool all_out(const std::vector<char>& out, std::uint32_t from, std::uint32_t until) {
  return std::all_of(out.begin() + from, out.begin() + until, [](char c) { return c != 0; });
}

/// The sources of the rows that stay, in the order and encoding of before.
SourceIndex sources_of(const EdgeTable& table, const std::vector<std::uint32_t>& row_place, std::size_t rows) {
  std::vector<Gid> gids(rows);
  table.sources.for_each([&](std::uint32_t row, Gid gid) {
    if (row_place[row] != gone) gids[row_place[row]] = gid;
  });
  if (!table.sources.by_rank()) return SourceIndex(std::span<const Gid>(gids));
  SourceList::Writer writer;
  for (Gid gid : gids) writer.add(table.sources.order().key(gid));
  return {std::move(writer).finish(), table.sources.order()};
}

void copy_runs(const EdgeTable& from, EdgeTable& to, const std::vector<char>& out, const std::vector<std::uint32_t>& row_place) {
  std::vector<std::uint32_t> begin;
  std::vector<Run> runs;
  for (std::size_t row = 0; row < from.n_rows(); ++row) {
    if (row_place[row] == gone) continue;
    begin.push_back(static_cast<std::uint32_t>(runs.size()));
    std::uint32_t i = from.rows[row].begin;
    for (std::uint32_t r = from.run_begin[row]; r < from.run_begin[row + 1]; i += from.runs[r++].length) {
      const auto n = static_cast<std::uint16_t>(std::count(out.begin() + i, out.begin() + i + from.runs[r].length, 0));
      if (n) runs.push_back({from.runs[r].delay, n});
    }
  }
  begin.push_back(static_cast<std::uint32_t>(runs.size()));
  to.run_begin = buffer_of(begin), to.runs = buffer_of(runs);
}

}  // namespace

Remainder without(const EdgeTable& table, const std::vector<char>& out) {
  std::uint32_t n = 0, rows = 0;
  Remainder left{nullptr, places(out, n)};
  std::vector<char> row_out(table.n_rows());
  std::vector<std::uint32_t> begin;
  for (std::size_t row = 0, at = 0; row < table.n_rows(); ++row) {
    const auto [from, until] = table.rows[row];
    row_out[row] = all_out(out, from, until);
    if (!row_out[row]) begin.push_back(static_cast<std::uint32_t>(at));
    at += static_cast<std::size_t>(std::count(out.begin() + from, out.begin() + until, 0));
  }
  begin.push_back(n);
  const std::vector<std::uint32_t> row_place = places(row_out, rows);
  left.table = std::make_unique<EdgeTable>();
  EdgeTable& t = *left.table;
  t.spec = table.spec, t.layout = table.layout, t.one_delay = table.one_delay, t.values_per_row = table.values_per_row;
  t.sources = sources_of(table, row_place, rows);
  t.rows = RowOffsets(buffer_of(begin));
  if (t.layout == Layout::runs) copy_runs(table, t, out, row_place);
  t.target = kept(table.target, left.place, n);
  t.delay = kept(table.delay, left.place, n);
  t.weight32 = kept(table.weight32, left.place, n);
  t.weight64 = kept(table.weight64, left.place, n);
  t.pre_last = kept(table.pre_last, row_place, rows);
  t.pre_values = kept(table.pre_values, row_place, rows, static_cast<std::size_t>(t.values_per_row));
  t.values_per_synapse = table.values_per_synapse;
  t.row_source = kept(table.row_source, row_place, rows);
  t.synapse_values = kept(table.synapse_values, left.place, n, static_cast<std::size_t>(t.values_per_synapse));
  t.nth = kept(table.nth, left.place, n);
  return left;
}

}  // namespace npl::deliver
