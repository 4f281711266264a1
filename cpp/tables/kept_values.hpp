// SPDX-License-Identifier: Apache-2.0
/// Values of some synapses and of their rows, to be put back if a change that sets them in place is not completed.
#pragma once
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

class KeptValues {
 public:
  /// @param synapses positions in the table @param of_rows false: only the values that each synapse has for itself
  KeptValues(EdgeTable& table, std::vector<std::uint32_t> synapses, bool of_rows) : table_(&table), synapses_(std::move(synapses)) {
    if (of_rows) rows_.reserve(synapses_.size());
    for (std::size_t k = 0; of_rows && k < synapses_.size(); ++k) rows_.push_back(table.row_of(synapses_[k]));
    std::size_t bytes = 0;
    for_each([&](std::byte*, std::size_t n) { bytes += n; });
    values_.resize(bytes);
    std::byte* to = values_.data();
    for_each([&](std::byte* at, std::size_t n) { std::memcpy(std::exchange(to, to + n), at, n); });
  }
  /// The table must have the same columns as then.
  void restore() noexcept {
    const std::byte* from = values_.data();
    for_each([&](std::byte* at, std::size_t n) { std::memcpy(at, std::exchange(from, from + n), n); });
  }

 private:
  /// Calls f(begin, bytes) for the values of each synapse and row in each column.
  template <class F>
  void for_each(F&& f) {
    visit_columns(static_cast<Columns&>(*table_), [&](const auto& column, auto& values) {
      if (values.empty()) return;
      const bool by_synapse = column.per == Per::synapse;
      const std::size_t bytes = values.bytes() / (by_synapse ? table_->n_synapses() : table_->n_rows());
      auto* const begin = reinterpret_cast<std::byte*>(values.data());
      for (const std::uint32_t at : by_synapse ? synapses_ : rows_) f(begin + at * bytes, bytes);
    });
  }

  EdgeTable* table_;
  std::vector<std::uint32_t> synapses_, rows_;
  std::vector<std::byte> values_;
};

}  // namespace npl::tables
