// SPDX-License-Identifier: Apache-2.0
/// The columns of a table, each declared once. Bytes, prediction of bytes, hash, merge and look-up by name are loops over the declarations
/// (below, in merge_columns.hpp and hash.hpp), so a new column is one line in `Columns::declared`. Checkpoints and copies to a device will
/// be further loops.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/buffer.hpp"
#include "tables/table_spec.hpp"

namespace npl::tables {

enum class Per : std::uint8_t { synapse, row };  ///< a row: synapses of one source with the same presynaptic state

/// Number of values per synapse or row in a table of this spec and layout; 0: the table does not have the column.
using Width = unsigned (*)(const TableSpec&, Layout);

/// Declares one column: a member of `Table`, `width` values of T per item.
template <class Table, class T>
struct Column {
  using Value = T;
  const char* name;
  Per per;
  Buffer<T> Table::* values;
  Width width;
  bool history = false;  ///< what is a synapse's or row's own (what spikes have made of it): it goes along to another table
};

/// The payload of a table: one plain array per column. "(condition)": tables that have the column.
struct Columns {
  Buffer<std::uint16_t> target;   ///< local index of the target in the slice
  Buffer<Delay> delay;            ///< [steps] (layout words)
  Buffer<float> weight32;         ///< (Weights::f32)
  Buffer<double> weight64;        ///< (Weights::f64)
  Buffer<Code> code;              ///< (Weights::coded) index of the weight in the book
  Buffer<double> synapse_values;  ///< (rules with state per synapse) state of the synapse
  Buffer<double> parameters;      ///< (TableSpec::varied) parameters that differ from synapse to synapse
  Buffer<std::uint16_t> nth;      ///< (rules that draw random numbers) index among the synapses with the same source, target and delay
  Buffer<std::int32_t> pre_last;  ///< (plastic) stamp of the last spike of the source [steps]; 0 or less: none, see EdgeTable::begin
  Buffer<double> pre_values;      ///< (plastic) presynaptic state of the rule
  Buffer<Gid> row_source;         ///< (recorded, or rules with state per synapse) gid of the source

  static constexpr auto declared() {
    using S = const TableSpec&;
    return std::tuple{
        Column<Columns, std::uint16_t>{"target", Per::synapse, &Columns::target, [](S, Layout) { return 1u; }},
        Column<Columns, Delay>{"delay", Per::synapse, &Columns::delay, [](S, Layout l) { return unsigned{l == Layout::words}; }},
        Column<Columns, float>{"weight32", Per::synapse, &Columns::weight32,
                               [](S s, Layout) { return unsigned{s.weights == Weights::f32}; }},
        Column<Columns, double>{"weight64", Per::synapse, &Columns::weight64,
                                [](S s, Layout) { return unsigned{s.weights == Weights::f64}; }},
        Column<Columns, Code>{"code", Per::synapse, &Columns::code, [](S s, Layout) { return unsigned{s.weights == Weights::coded}; }},
        Column<Columns, double>{"synapse_values", Per::synapse, &Columns::synapse_values, [](S s, Layout) { return values_per_synapse(s); },
                                true},
        Column<Columns, double>{"parameters", Per::synapse, &Columns::parameters,
                                [](S s, Layout) { return static_cast<unsigned>(s.varied.size()); }, true},
        Column<Columns, std::uint16_t>{"nth", Per::synapse, &Columns::nth,
                                       [](S s, Layout) { return unsigned{s.plasticity && s.plasticity->draws()}; }},
        Column<Columns, std::int32_t>{"pre_last", Per::row, &Columns::pre_last,
                                      [](S s, Layout) { return unsigned{s.plasticity != nullptr}; }, true},
        Column<Columns, double>{"pre_values", Per::row, &Columns::pre_values, [](S s, Layout) { return values_per_row(s); }, true},
        Column<Columns, Gid>{"row_source", Per::row, &Columns::row_source,
                             [](S s, Layout) { return unsigned{s.recorder >= 0 || s.updates_synapses()}; }},
    };
  }

  static unsigned values_per_synapse(const TableSpec& s) {
    return s.plasticity ? static_cast<unsigned>(s.plasticity->synapse_values()) : 0;
  }
  static unsigned values_per_row(const TableSpec& s) { return s.plasticity ? static_cast<unsigned>(s.plasticity->row_values()) : 0; }
};

/// Calls f(declaration) for every column of C.
template <class C, class F>
constexpr void for_declared(F&& f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, C::declared());
}

/// Calls f(declaration, buffer) for every column of a table.
template <class C, class F>
void visit_columns(C& table, F&& f) {
  for_declared<std::remove_const_t<C>>([&](const auto& column) { f(column, table.*column.values); });
}

/// Allocated bytes of all columns per synapse, or of all columns per row.
template <class C>
std::size_t column_bytes(const C& table, Per per) {
  std::size_t bytes = 0;
  visit_columns(table, [&](const auto& column, const auto& values) { bytes += column.per == per ? values.bytes() : 0; });
  return bytes;
}

/// Predicted bytes per synapse or row in a table of this spec and layout.
template <class C = Columns>
double expected_bytes(const TableSpec& spec, Layout layout, Per per) {
  double bytes = 0;
  for_declared<C>([&](const auto& column) {
    using T = typename std::remove_cvref_t<decltype(column)>::Value;
    if (column.per == per) bytes += sizeof(T) * column.width(spec, layout);
  });
  return bytes;
}

/// Allocates every column for `items` synapses or rows, filled with 0; keeps columns that already have this length.
template <class C>
void allocate_columns(C& table, const TableSpec& spec, Layout layout, Per per, std::size_t items) {
  visit_columns(table, [&](const auto& column, auto& values) {
    const std::size_t n = items * column.width(spec, layout);
    if (column.per == per && values.size() != n) values = std::remove_reference_t<decltype(values)>(n);
  });
}

/// Calls f(width, of_a, of_b) for the columns of history that both tables have, of one synapse or row each.
template <class A, class B, class F>
void for_history(A& a, const TableSpec& spec_of_a, B& b, const TableSpec& spec_of_b, Per per, F&& f) {
  for_declared<std::remove_const_t<A>>([&](const auto& column) {
    const std::size_t width = column.width(spec_of_a, Layout::single);
    if (column.history && column.per == per && width > 0 && width == column.width(spec_of_b, Layout::single))
      f(width, a.*column.values, b.*column.values);
  });
}

/// Values of one synapse or row in the column of this name, as doubles; no value when the table does not have the column.
template <class C>
std::optional<std::vector<double>> find_values(const C& table, const TableSpec& spec, Layout layout, std::string_view name,
                                               std::size_t item) {
  std::optional<std::vector<double>> found;
  visit_columns(table, [&](const auto& column, const auto& values) {
    const std::size_t width = column.width(spec, layout);
    if (column.name != name || width == 0) return;
    found.emplace();
    for (std::size_t k = 0; k < width; ++k) found->push_back(static_cast<double>(values[item * width + k]));
  });
  return found;
}

}  // namespace npl::tables
