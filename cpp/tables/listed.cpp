// SPDX-License-Identifier: Apache-2.0
#include "tables/listed.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "tables/delay_column.hpp"

namespace npl::tables {
namespace {

bool same_row(const ListedSynapse& a, const ListedSynapse& b) { return a.source == b.source && a.row == b.row; }

void set_delays(EdgeTable& t, std::span<const ListedSynapse> list, const std::vector<std::uint32_t>& order, std::optional<Layout> layout) {
  const auto [low, high] = std::minmax_element(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.delay < b.delay; });
  DelayColumn delays = list.empty() ? DelayColumn(1, 1) : DelayColumn(low->delay, high->delay);
  delays.allocate(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) delays.put(i, list[order[i]].delay);
  std::move(delays).encode(t, layout);
}

void copy_history(const Origin& from, EdgeTable& to, std::size_t at, Per per) {
  if (!from.table) return;
  const Columns& columns = *from.table;
  for_history(columns, *from.table->spec, static_cast<Columns&>(to), *to.spec, per,
              [&](std::size_t width, const auto& source, auto& target) {
                std::copy_n(source.begin() + from.at * width, width, target.begin() + at * width);
              });
}

}  // namespace

bool same_history(const Origin& a, const Origin& b) {
  if (!a.table || !b.table) return a.table == b.table;
  bool same = true;
  const Columns &x = *a.table, &y = *b.table;
  for_history(x, *a.table->spec, y, *b.table->spec, Per::row, [&](std::size_t width, const auto& of_a, const auto& of_b) {
    same = same && std::memcmp(&of_a[a.at * width], &of_b[b.at * width], width * sizeof of_a[0]) == 0;
  });
  return same;
}

Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const Origin> rows, std::optional<Layout> layout) {
  std::vector<std::uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) { return std::tie(list[i].source, list[i].row, list[i].delay); };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<std::uint32_t> begin;
  std::vector<Gid> gids;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || !same_row(list[order[i]], list[order[i - 1]]))
      begin.push_back(static_cast<std::uint32_t>(i)), gids.push_back(list[order[i]].source);
  begin.push_back(static_cast<std::uint32_t>(order.size()));

  Listed made{std::make_unique<EdgeTable>(), std::vector<std::uint32_t>(list.size())};
  EdgeTable& t = *made.table;
  t.spec = &spec;
  t.sources = SourceIndex(std::span<const Gid>(gids));
  t.rows = RowOffsets::choose(begin, false);
  t.target = Buffer<std::uint16_t>(list.size());
  set_delays(t, list, order, layout);
  for (std::size_t i = 0; i < order.size(); ++i)
    t.target[i] = list[order[i]].target, made.position[order[i]] = static_cast<std::uint32_t>(i);
  t.complete();
  for (std::size_t i = 0; i < order.size(); ++i) {
    t.set_weight(i, list[order[i]].weight);
    copy_history(list[order[i]].history, t, i, Per::synapse);
  }
  for (std::size_t row = 0; row < gids.size(); ++row) copy_history(rows[list[order[begin[row]]].row], t, row, Per::row);
  return made;
}

}  // namespace npl::tables
