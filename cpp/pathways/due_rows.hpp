// SPDX-License-Identifier: Apache-2.0
/// Short plastic rows that are due in one step, for spikes of one stamp: their rule updates the synapses of all of them in one call.
#pragma once
#include <algorithm>
#include <array>

#include "pathways/entries.hpp"

namespace npl::pathways {

class DueRows {
 public:
  std::uint32_t size() const { return n_rows_; }
  const PlasticEntry& operator[](std::uint32_t k) const { return rows_[k]; }
  const PlasticEntry* begin() const { return rows_.data(); }
  const PlasticEntry* end() const { return rows_.data() + n_rows_; }

  /// True when a row may be updated together with the rows so far. The second spike of a source in a step waits for the first: it learns
  /// from the weights that the first has left.
  bool fits(const PlasticEntry& e) const {
    if (n_rows_ == 0) return true;
    return e.stamp == rows_[0].stamp && e.before.last != e.stamp && std::max(e.at.length, rows_[0].at.length) <= short_row &&
           n_synapses_ + e.at.length <= capacity;
  }
  void add(const PlasticEntry& e) { rows_[n_rows_++] = e, n_synapses_ += e.at.length; }
  void clear() { n_rows_ = n_synapses_ = 0; }

  /// Updates all rows. @param run of the first row
  void process(tables::EdgeTable& table, synapses::PlasticRun run) const {
    table.spec->weights == tables::Weights::f64 ? process_as(table, table.weight64.data(), run)
                                                : process_as(table, table.weight32.data(), run);
  }

 private:
  static constexpr std::uint32_t capacity = 64, short_row = 16;  ///< synapses

  /// Copies of their synapses lie side by side.
  template <class W>
  void process_as(const tables::EdgeTable& table, W* weight, synapses::PlasticRun run) const {
    std::array<std::uint16_t, capacity> target;
    std::array<W, capacity> weights;
    std::array<synapses::PreTrace, capacity> before;
    std::uint32_t n = 0;
    for (const PlasticEntry& e : *this)
      for (std::uint32_t i = e.at.position; i < e.at.position + e.at.length; ++i, ++n)
        target[n] = table.target[i], weights[n] = weight[i], before[n] = e.before;
    run.n = n, run.target = target.data(), run.weight = weights.data(), run.each = before.data();
    table.spec->plasticity->as<synapses::RowRule>().process(run);
    const W* from = weights.data();
    for (const PlasticEntry& e : *this) std::copy_n(from, e.at.length, weight + e.at.position), from += e.at.length;
  }

  std::array<PlasticEntry, capacity> rows_;
  std::uint32_t n_rows_ = 0, n_synapses_ = 0;
};

}  // namespace npl::pathways
