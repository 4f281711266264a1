// SPDX-License-Identifier: Apache-2.0
/// Builds a table of synapses of other tables, which keep their state and their spikes in flight: for edits, and for checkpoints that are
/// loaded on another number of ranks or threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pathways/pathway.hpp"
#include "tables/listed.hpp"

namespace npl::pathways {

/// Synapses of one source share a row when its presynaptic state and its spikes in flight are the same. Rows come one after the other in
/// the table, so synapses between the same two nodes stay in order where each is in the row of the one before or in a later one.
class RowBuilder {
 public:
  /// Index of the row that is to have the next synapse. @param flying spikes in flight, in order of emission
  /// @param first only this row and later ones will do
  std::uint32_t row(Gid source, const tables::Origin& state, const std::vector<Flight>& flying, std::uint32_t first = 0) {
    std::vector<std::uint32_t>& known = of_source_[source];
    for (const std::uint32_t r : known)
      if (r >= first && tables::same_history(states_[r], state) && std::ranges::equal(flying_[r], flying, same_spike)) return r;
    known.push_back(static_cast<std::uint32_t>(states_.size()));
    states_.push_back(state), flying_.push_back(flying), first_.push_back(static_cast<std::uint32_t>(list_.size()));
    return known.back();
  }
  /// The same for the next synapse between two nodes, which is in no row before that of the last one. @param target local index
  std::uint32_t row(Gid source, std::uint16_t target, const tables::Origin& state, const std::vector<Flight>& flying) {
    const auto last = last_.find({source, target});
    const std::uint32_t found = row(source, state, flying, last == last_.end() ? 0 : last->second);
    if (found != of_source_[source].front()) last_[{source, target}] = found;
    return found;
  }
  /// Adds synapse i of a table. @param row from row() @param target local index
  tables::ListedSynapse& add(std::uint32_t row, Gid source, const tables::EdgeTable& from, std::uint32_t i, Delay delay,
                             std::uint16_t target) {
    list_.push_back({source, row, delay, target, from.weight(i), {&from, i}});
    return list_.back();
  }
  const std::vector<tables::ListedSynapse>& list() const { return list_; }
  /// The tables that synapses were added from must still be there.
  tables::Listed table(const tables::TableSpec& spec, std::optional<tables::Layout> layout) const {
    return tables::table_of(spec, list_, states_, layout);
  }
  /// Calls f(spike) for the spikes in flight to rows of the table. @param made table() @param position its positions
  template <class F>
  void for_flying(const tables::EdgeTable& made, const std::vector<std::uint32_t>& position, F&& f) const {
    for (std::size_t r = 0; r < flying_.size(); ++r)
      for (Flight spike : flying_[r]) spike.at = made.row_of(position[first_[r]]), f(spike);
  }

 private:
  std::vector<tables::ListedSynapse> list_;
  std::vector<tables::Origin> states_;       ///< [rows]
  std::vector<std::vector<Flight>> flying_;  ///< [rows]
  std::vector<std::uint32_t> first_;         ///< [rows] a synapse: index in the list
  std::unordered_map<Gid, std::vector<std::uint32_t>> of_source_;
  std::map<std::pair<Gid, std::uint16_t>, std::uint32_t> last_;  ///< by source and target, where it is not the first row of the source
};

}  // namespace npl::pathways
