// SPDX-License-Identifier: Apache-2.0
#include "tables/edge_table.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "tables/hash.hpp"

namespace npl::tables {
namespace {

/// Next index `nth` of synapses of one source, by (delay, target). Removed synapses leave gaps.
using Counted = std::map<std::pair<Delay, std::uint16_t>, std::uint32_t>;

/// Random numbers of a synapse are told from those of its equals by its number, which has 16 bits. Throws BadParameter.
std::uint16_t checked_number(const EdgeTable& table, std::uint32_t number) {
  constexpr std::uint32_t most = std::uint32_t{1} << 16;
  if (number >= most)
    throw BadParameter("synapses of " + table.spec->synapse->name + " with the same source, target and delay", number + 1.0,
                       "at most 65536, each of which draws its own random numbers");
  return static_cast<std::uint16_t>(number);
}

void count(const EdgeTable& table, std::uint32_t row, const std::vector<char>& out, Counted& n) {
  table.for_row(row, [&](std::uint32_t i, Delay delay) {
    if (!out.empty() && out[i]) return;
    std::uint32_t& next = n[{delay, table.target[i]}];
    next = std::max(next, table.nth[i] + std::uint32_t{1});
  });
}

}  // namespace

void EdgeTable::move(std::uint32_t synapse, std::uint32_t to) noexcept {
  const std::uint32_t first = std::min(synapse, to), middle = synapse < to ? synapse + 1 : synapse, last = std::max(synapse, to) + 1;
  const std::size_t n = n_synapses();
  visit_columns(static_cast<Columns&>(*this), [&](const auto& column, auto& values) {
    if (column.per != Per::synapse || values.empty()) return;
    auto* const at = values.data();
    const std::size_t width = values.size() / n;
    std::rotate(at + first * width, at + middle * width, at + last * width);
  });
}

std::uint32_t EdgeTable::move_to_delay(std::uint32_t synapse, Delay to) noexcept {
  const auto [begin, end] = rows[row_of(synapse)];
  const bool later = to >= delay[synapse];
  const Delay* const delays = delay.data();
  const Delay *const from = delays + (later ? synapse + 1 : begin), *const until = delays + (later ? end : synapse);
  const auto place = static_cast<std::uint32_t>(std::upper_bound(from, until, to) - delays);
  const std::uint32_t found = later ? place - 1 : place;
  move(synapse, found);
  delay[found] = to;
  return found;
}

Delay EdgeTable::longest_delay() const {
  Delay longest = layout == Layout::single ? one_delay : Delay{1};
  for (const Run& r : runs) longest = std::max(longest, r.delay);
  for (Delay d : delay) longest = std::max(longest, d);
  return longest;
}

std::uint32_t EdgeTable::row_of(std::uint32_t synapse) const {
  if (n_rows() == n_synapses()) return synapse;
  std::uint32_t row = 0;
  for (auto end = static_cast<std::uint32_t>(n_rows()); end - row > 1;) {
    const std::uint32_t middle = row + (end - row) / 2;
    (rows[middle].begin <= synapse ? row : end) = middle;
  }
  return row;
}

Delay EdgeTable::delay_of(std::uint32_t row, std::uint32_t synapse) const {
  if (layout == Layout::single) return one_delay;
  if (layout == Layout::words) return delay[synapse];
  std::uint32_t run = run_begin[row];
  for (std::uint32_t last = rows[row].begin + runs[run].length; last <= synapse;) last += runs[++run].length;
  return runs[run].delay;
}

void EdgeTable::begin(Step now) {
  if (spec->plasticity && spec->plasticity->meets_all()) std::fill(pre_last.begin(), pre_last.end(), -static_cast<std::int32_t>(now));
}

double EdgeTable::state(std::string_view name, std::uint32_t synapse) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!spec->plasticity) return none;
  const double* row = &pre_values[std::size_t{row_of(synapse)} * values_per_row(*spec)];
  const double* own = synapse_values.empty() ? nullptr : &synapse_values[std::size_t{synapse} * values_per_synapse(*spec)];
  return spec->plasticity->state(name, row, own, varied(synapse)).value_or(none);
}

std::vector<double> EdgeTable::parameters_of(std::size_t i) const {
  std::vector<double> all = spec->parameters;
  for (std::size_t j = 0; j < spec->varied.size(); ++j) all[static_cast<std::size_t>(spec->varied[j])] = varied(i)[j];
  return all;
}

void EdgeTable::widen(const TableSpec& wider) {
  Buffer<float> single(wider.weights == Weights::f32 ? n_synapses() : 0);
  Buffer<double> twice(wider.weights == Weights::f64 ? n_synapses() : 0);
  for (std::size_t i = 0; i < single.size(); ++i) single[i] = static_cast<float>(weight(i));
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = weight(i);
  weight32 = std::move(single), weight64 = std::move(twice), code = {};
  spec = &wider;
}

void EdgeTable::narrow(const TableSpec& before, Buffer<Code> codes) noexcept {
  weight32 = {}, weight64 = {};
  code = std::move(codes);
  spec = &before;
}

void EdgeTable::complete() {
  allocate_columns(static_cast<Columns&>(*this), *spec, layout, Per::row, n_rows());
  allocate_columns(static_cast<Columns&>(*this), *spec, layout, Per::synapse, n_synapses());
  if (!row_source.empty()) sources.for_each([&](std::uint32_t row, Gid gid) { row_source[row] = gid; });
  Counted n;  // of a source, whose rows are neighbours
  for (std::uint32_t row = 0; !nth.empty() && row < n_rows(); ++row) {
    if (!sources.continues(row)) n.clear();
    for_row(row, [&](std::uint32_t i, Delay d) { nth[i] = checked_number(*this, n[{d, target[i]}]++); });
  }
}

void EdgeTable::count_on(const EdgeTable& earlier, const std::vector<char>& out) {
  if (nth.empty()) return;
  std::map<Gid, Counted> before;
  for (std::uint32_t row = 0; row < earlier.n_rows(); ++row)
    if (sources.row(earlier.row_source[row]) != SourceIndex::none) count(earlier, row, out, before[earlier.row_source[row]]);
  for (std::uint32_t row = 0; row < n_rows(); ++row) {
    const auto known = before.find(row_source[row]);
    if (known == before.end()) continue;
    for_row(row, [&](std::uint32_t i, Delay d) {
      if (const auto at = known->second.find({d, target[i]}); at != known->second.end())
        nth[i] = checked_number(*this, nth[i] + at->second);
    });
  }
}

std::uint64_t hash_of(const EdgeTable& table) {
  const TableSpec& spec = *table.spec;
  Hash hash;
  hash.add(std::string_view(spec.synapse->name)).add(spec.receptor).add(spec.uniform).add(spec.weights).add(spec.input).add(table.layout);
  for (const double parameter : spec.parameters) hash.add(parameter);
  for (const int k : spec.varied) hash.add(k);
  hash.add(table.payload_bytes()).add(table.index_bytes());
  table.sources.for_each([&](std::uint32_t row, Gid gid) {
    hash.add(row).add(gid);
    table.for_row(row, [&](std::uint32_t, Delay delay) { hash.add(delay); });
  });
  hash_columns(hash, static_cast<const Columns&>(table));
  return hash.value();
}

}  // namespace npl::tables
