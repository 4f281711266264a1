// SPDX-License-Identifier: Apache-2.0
/// Columns of a merged table: copies stretches of two tables, for all declared columns.
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "tables/columns.hpp"

namespace npl::tables {

/// Contiguous synapses, or contiguous rows, of one of the two tables.
struct Stretch {
  std::uint8_t side;
  std::uint32_t begin, length;
};

/// Gives `to` all columns per synapse or per row that C declares, as the stretches say. Delays are not copied: a merged table encodes its
/// own.
/// @param spec of all three tables
template <class C>
void merge_columns(C& to, const std::array<const C*, 2>& from, const TableSpec& spec, Per per, std::span<const Stretch> stretches) {
  std::size_t items = 0;
  for (const Stretch& s : stretches) items += s.length;
  visit_columns(to, [&](const auto& column, auto& values) {
    const std::size_t width = column.width(spec, Layout::single);  // no column of delays
    if (column.per != per || width == 0) return;
    values = std::remove_reference_t<decltype(values)>(items * width);
    auto* at = values.data();
    for (const Stretch& s : stretches) at = std::copy_n((from[s.side]->*column.values).data() + s.begin * width, s.length * width, at);
  });
}

}  // namespace npl::tables
