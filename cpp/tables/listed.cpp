// SPDX-License-Identifier: Apache-2.0
#include "tables/listed.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tables/delay_column.hpp"

namespace npl::tables {
namespace {

bool same_row(const ListedSynapse& a, const ListedSynapse& b) { return a.source == b.source && a.state == b.state; }

void set_delays(EdgeTable& t, std::span<const ListedSynapse> list, const std::vector<std::uint32_t>& order, std::optional<Layout> layout) {
  const auto [low, high] = std::minmax_element(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.delay < b.delay; });
  DelayColumn delays(low->delay, high->delay);
  delays.allocate(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) delays.put(i, list[order[i]].delay);
  std::move(delays).encode(t, layout);
}

}  // namespace

Listed table_of(const TableSpec& spec, std::span<const ListedSynapse> list, std::span<const RowState> states,
                std::optional<Layout> layout) {
  std::vector<std::uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) { return std::tie(list[i].source, list[i].state, list[i].delay); };
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
  const std::size_t width = Columns::values_per_synapse(spec);
  for (std::size_t i = 0; i < order.size(); ++i) {
    t.set_weight(i, list[order[i]].weight);
    std::copy_n(list[order[i]].values.begin(), width, t.synapse_values.begin() + i * width);
  }
  for (std::uint32_t row = 0; spec.plasticity && row < gids.size(); ++row) {
    const RowState& state = states[list[order[begin[row]]].state];
    t.pre_last[row] = state.last;
    std::copy(state.values.begin(), state.values.end(), t.source_values(row));
  }
  return made;
}

}  // namespace npl::tables
