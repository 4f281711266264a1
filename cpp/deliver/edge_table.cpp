// SPDX-License-Identifier: Apache-2.0
#include "deliver/edge_table.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "synapses/single.hpp"

namespace npl::deliver {
namespace {

/// Numbers that synapses have so far, and the next one, by delay and target; some may have gone.
using Counted = std::map<std::pair<Delay, std::uint16_t>, std::uint16_t>;

void count(const EdgeTable& table, std::uint32_t row, Counted& n) {
  table.for_row(row, [&](std::uint32_t i, Delay delay) {
    std::uint16_t& next = n[{delay, table.target[i]}];
    next = std::max(next, static_cast<std::uint16_t>(table.nth[i] + 1));
  });
}

}  // namespace

Delay EdgeTable::longest_delay() const {
  Delay longest = layout == Layout::single ? one_delay : Delay{1};
  for (const Run& r : runs) longest = std::max(longest, r.delay);
  for (Delay d : delay) longest = std::max(longest, d);
  return longest;
}

std::uint32_t EdgeTable::row_of(std::uint32_t synapse) const {
  std::uint32_t row = 0;
  for (auto end = static_cast<std::uint32_t>(n_rows()); end - row > 1;) {
    const std::uint32_t middle = row + (end - row) / 2;
    (rows[middle].begin <= synapse ? row : end) = middle;
  }
  return row;
}

double EdgeTable::state(std::string_view name, std::uint32_t synapse) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!spec->plasticity) return none;
  const double* row = &pre_values[std::size_t{row_of(synapse)} * static_cast<std::size_t>(values_per_row)];
  const double* own = values_per_synapse ? &synapse_values[std::size_t{synapse} * static_cast<std::size_t>(values_per_synapse)] : nullptr;
  return spec->plasticity->state(name, row, own).value_or(none);
}

void EdgeTable::name_synapses() {
  row_source = Buffer<Gid>(n_rows());
  sources.for_each([&](std::uint32_t row, Gid gid) { row_source[row] = gid; });
  const synapses::SinglePlasticity* rule = spec->plasticity->single();
  values_per_synapse = rule ? rule->synapse_values() : 0;
  synapse_values = Buffer<double>(n_synapses() * static_cast<std::size_t>(values_per_synapse));
  if (!rule || !rule->draws()) return;
  nth = Buffer<std::uint16_t>(n_synapses());
  for (std::uint32_t row = 0; row < n_rows(); ++row) {
    Counted n;
    for_row(row, [&](std::uint32_t i, Delay d) { nth[i] = n[{d, target[i]}]++; });
  }
}

void EdgeTable::count_on(const std::vector<const EdgeTable*>& earlier) {
  if (nth.empty() || earlier.empty()) return;
  std::map<Gid, std::uint32_t> rows_of;
  for (std::uint32_t row = 0; row < n_rows(); ++row) rows_of[row_source[row]] = row;
  std::map<std::uint32_t, Counted> before;  // by row of this table
  for (const EdgeTable* table : earlier)
    for (std::uint32_t row = 0; row < table->n_rows(); ++row)
      if (const auto mine = rows_of.find(table->row_source[row]); mine != rows_of.end()) count(*table, row, before[mine->second]);
  for (const auto& [row, next] : before)
    for_row(row, [&](std::uint32_t i, Delay d) {
      if (const auto at = next.find({d, target[i]}); at != next.end()) nth[i] = static_cast<std::uint16_t>(nth[i] + at->second);
    });
}

}  // namespace npl::deliver
