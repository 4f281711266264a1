// SPDX-License-Identifier: Apache-2.0
/// Stable counting sort of one row by delay, applied to all its columns. Reuses its memory from row to row.
#pragma once
#include <cstdint>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::connect {

class RowSorter {
 public:
  /// @param bins number of possible delays
  /// @param key column that is sorted as well; null: none
  RowSorter(tables::EdgeTable& table, std::size_t bins, double* key = nullptr)
      : table_(table), key_(key), bins_(bins), starts_(counters * bins) {}

  /// @param delay column of delays; @param base smallest possible value in it
  template <class D>
  void sort(D* delay, tables::RowOffsets::Range row, D base);

 private:
  static constexpr std::size_t counters = 4;  ///< of each delay: equal delays next to each other would wait for one another
  template <class D>
  void count(const D* delay, std::uint32_t n, D base);
  /// Writes the delays of a sorted row. @param starts end of each bin
  template <class D>
  void write_delays(D* delay, D base) const;
  template <class D, class W>
  void move(const D* delay, std::uint32_t n, D base, std::uint16_t* target, W* weight, double* key);

  tables::EdgeTable& table_;
  double* key_;
  std::size_t bins_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> target_;
  std::vector<char> weight_;
  std::vector<double> keys_;
};

}  // namespace npl::connect
