// SPDX-License-Identifier: Apache-2.0
/// Synapses taken out of a table that is in use: the table is made anew without them, as rows and columns are as long as what they hold.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "deliver/edge_table.hpp"
#include "synapses/single.hpp"

namespace npl::deliver {

inline constexpr std::uint32_t gone = 0xffffffffu;

/// What a row in flight still has to bring to one of its synapses.
struct Owed {
  Step due, stamp;
  std::uint32_t synapse;
  synapses::PreValues before;  ///< of plastic rows; value[0] of rows by time: offset of the spike when it was emitted [ms]
  double offset = 0.0;         ///< of rows by time, when it is due [ms]
};

/// A table without some of its synapses, and where those that stay went. Rows without synapses are gone.
struct Remainder {
  std::unique_ptr<EdgeTable> table;
  std::vector<std::uint32_t> place;  ///< [synapses of before] the new position, or `gone`
};

/// @param out [synapses] which are to go. The order of the others stays. Time and memory: O(synapses of the table).
Remainder without(const EdgeTable& table, const std::vector<char>& out);

}  // namespace npl::deliver
