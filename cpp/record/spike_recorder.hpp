// SPDX-License-Identifier: Apache-2.0
/// Spikes of chosen nodes, kept in memory by the slice that emitted them; merged in canonical order (time, gid) when asked for.
#pragma once
#include <span>
#include <vector>

#include "base/members.hpp"

namespace npl::record {

/// One slice's share of a spike recorder.
class SpikeTrack {
 public:
  SpikeTrack(Step start, Step stop) : start_(start), stop_(stop) {}
  /// @param nodes of the slice, which has this one
  void add_node(Local node, Local nodes);
  /// Keeps those spikes of the slice that are recorded and whose stamp lies in (start, stop].
  void take(std::span<const Spike> spikes, const Residents& nodes);
  const std::vector<Spike>& spikes() const { return spikes_; }
  void clear() { spikes_ = {}; }
  std::size_t bytes() const { return spikes_.capacity() * sizeof(Spike) + recorded_.capacity(); }

 private:
  Step start_, stop_;
  std::vector<std::uint8_t> recorded_;  ///< by local index
  std::vector<Spike> spikes_;
};

/// By time, then gid.
inline bool canonical(const Spike& a, const Spike& b) { return a.step != b.step ? a.step < b.step : a.gid < b.gid; }

/// All spikes of the tracks sorted by (step, gid).
std::vector<Spike> merged(std::span<const SpikeTrack* const> tracks);

}  // namespace npl::record
