// SPDX-License-Identifier: Apache-2.0
/// Builds a table of synapses of other tables, which keep their state and their spikes in flight: for edits, and for checkpoints that are
/// loaded on another number of ranks or threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pathways/pathway.hpp"
#include "tables/listed.hpp"

namespace npl::pathways {

/// Synapses of one source share a row when its presynaptic state and its spikes in flight are the same.
/// @tparam Spike InFlight or QueuedRow
template <class Spike>
class RowBuilder {
 public:
  /// Index of the row that is to have the next synapse. @param flying spikes in flight, in order of emission
  std::uint32_t row(Gid source, const tables::Origin& state, const std::vector<Spike>& flying) {
    std::vector<std::uint32_t>& known = of_source_[source];
    for (const std::uint32_t r : known)
      if (tables::same_history(states_[r], state) && same_spikes(flying_[r], flying)) return r;
    known.push_back(static_cast<std::uint32_t>(states_.size()));
    states_.push_back(state), flying_.push_back(flying), first_.push_back(static_cast<std::uint32_t>(list_.size()));
    return known.back();
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
  /// Calls f(row, spike) for the spikes in flight. @param made table() @param position its positions
  template <class F>
  void for_flying(const tables::EdgeTable& made, const std::vector<std::uint32_t>& position, F&& f) const {
    for (std::size_t r = 0; r < flying_.size(); ++r)
      for (const Spike& spike : flying_[r]) f(made.row_of(position[first_[r]]), spike);
  }

 private:
  static bool same_spikes(const std::vector<Spike>& a, const std::vector<Spike>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Spike& x, const Spike& y) { return same_spike(x, y); });
  }

  std::vector<tables::ListedSynapse> list_;
  std::vector<tables::Origin> states_;      ///< [rows]
  std::vector<std::vector<Spike>> flying_;  ///< [rows]
  std::vector<std::uint32_t> first_;        ///< [rows] a synapse: index in the list
  std::unordered_map<Gid, std::vector<std::uint32_t>> of_source_;
};

}  // namespace npl::pathways
