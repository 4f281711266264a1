// SPDX-License-Identifier: Apache-2.0
/// Recorded spikes. Each slice stores those of its own nodes; they are merged in order of (time, gid) when they are read.
#pragma once
#include <span>
#include <vector>

#include "base/members.hpp"
#include "base/precise_event.hpp"

namespace npl::record {

/// Share of a spike recorder in one slice.
class SpikeTrack {
 public:
  /// Records stamps in (start, stop] [steps].
  SpikeTrack(Step start, Step stop) : start_(start), stop_(stop) {}
  /// Adds a node by local index. @param nodes number of nodes of the slice
  void add_node(Local node, Local nodes);
  /// Stores those of the emitted spikes that are to be recorded. @param sources [spikes] their places in the slice
  void take(const Emitted& emitted, std::span<const Local> sources);
  const Emitted& kept() const { return kept_; }
  const std::vector<Spike>& spikes() const { return kept_.spikes; }
  void clear() { kept_ = {}; }
  std::size_t bytes() const { return kept_.bytes() + recorded_.capacity(); }

 private:
  Step start_, stop_;
  std::vector<std::uint8_t> recorded_;  ///< by local index
  Emitted kept_;
};

/// Order by step, then gid.
inline bool canonical(const Spike& a, const Spike& b) { return a.step != b.step ? a.step < b.step : a.gid < b.gid; }

/// All spikes of these tracks, sorted.
Emitted merged(std::span<const SpikeTrack* const> tracks);
/// Sorts by (step, gid); off-grid spikes by time and gid: a larger offset means an earlier spike.
void sort(Emitted& spikes);

}  // namespace npl::record
