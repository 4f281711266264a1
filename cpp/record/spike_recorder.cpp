// SPDX-License-Identifier: Apache-2.0
#include "record/spike_recorder.hpp"

#include <algorithm>

namespace npl::record {

void SpikeTrack::add_node(Local node, Local nodes) {
  if (recorded_.size() < nodes) recorded_.resize(nodes);
  recorded_[node] = 1;
}

void SpikeTrack::take(std::span<const Spike> spikes, const Residents& nodes) {
  if (recorded_.empty()) return;
  for (const Spike& s : spikes) {
    const Local local = nodes.local(s.gid);
    if (local < recorded_.size() && recorded_[local] && s.step + 1 > start_ && s.step + 1 <= stop_) spikes_.push_back(s);
  }
}

std::vector<Spike> merged(std::span<const SpikeTrack* const> tracks) {
  std::vector<Spike> all;
  std::size_t n = 0;
  for (const SpikeTrack* t : tracks) n += t->spikes().size();
  all.reserve(n);
  for (const SpikeTrack* t : tracks) all.insert(all.end(), t->spikes().begin(), t->spikes().end());
  std::sort(all.begin(), all.end(), canonical);
  return all;
}

}  // namespace npl::record
