// SPDX-License-Identifier: Apache-2.0
/// What an edit of connections has done to their handles.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sim/handles.hpp"
#include "tables/merge.hpp"

namespace npl::sim {

class Edited {
 public:
  /// Table and position of a synapse.
  using Place = std::pair<std::int32_t, std::uint32_t>;
  /// Where the synapses of one table are now.
  struct Table {
    std::int32_t number = -1;                          ///< of the table in its slice; -1: it is gone
    std::optional<tables::Places> places = {};         ///< of the synapses that are in it; none: they have not moved
    std::unordered_map<std::uint32_t, Place> gone_to;  ///< by position before: synapses that have moved to another table, or within it
  };

  bool moved = false;        ///< handles of before are not valid any more; the same on all ranks
  std::int64_t in_row = -1;  ///< new position of the only synapse of this rank that has moved, within its row; -1: more has changed
  Handles now = {};          ///< (moved) new handles of the edited connections, in the order of the call; empty after removal

  /// New handles of connections of this rank, edited or not, from their handles before. Table and position -1: removed.
  Handles of(Handles before) const;

  Table& table(std::int64_t slice, std::size_t number) { return tables_[{slice, static_cast<std::int32_t>(number)}]; }
  /// The tables of a slice have other numbers. @param numbers [tables] new ones
  void renumber(std::int64_t slice, const std::vector<std::int32_t>& numbers);
  bool empty() const { return tables_.empty(); }  ///< nothing of this rank has moved

 private:
  std::map<std::pair<std::int64_t, std::int32_t>, Table> tables_;  ///< of this rank that may have changed, by slice and number before
};

}  // namespace npl::sim
