// SPDX-License-Identifier: Apache-2.0
/// Rows of a table that is made of synapses of other tables, by edits and by loading.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pathways/pathway.hpp"
#include "tables/listed.hpp"

namespace npl::sim {

/// Synapses of one source share a row when its presynaptic state and its spikes in flight are the same.
/// @tparam Spike pathways::InFlight or pathways::QueuedRow
template <class Spike>
class JoinedRows {
 public:
  /// Index of the row. @param flying spikes in flight, in order of emission
  std::uint32_t row(Gid source, const tables::Origin& state, const std::vector<Spike>& flying) {
    std::vector<std::uint32_t>& known = of_source_[source];
    for (const std::uint32_t r : known)
      if (tables::same_history(states_[r], state) && same_spikes(flying_[r], flying)) return r;
    known.push_back(static_cast<std::uint32_t>(states_.size()));
    states_.push_back(state), flying_.push_back(flying);
    return known.back();
  }
  const std::vector<tables::Origin>& states() const { return states_; }  ///< [rows]
  const std::vector<Spike>& flying(std::uint32_t row) const { return flying_[row]; }

 private:
  static bool same_spikes(const std::vector<Spike>& a, const std::vector<Spike>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Spike& x, const Spike& y) { return pathways::same_spike(x, y); });
  }

  std::vector<tables::Origin> states_;
  std::vector<std::vector<Spike>> flying_;
  std::unordered_map<Gid, std::vector<std::uint32_t>> of_source_;
};

}  // namespace npl::sim
