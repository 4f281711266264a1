// SPDX-License-Identifier: Apache-2.0
/// Spikes of chosen nodes, kept in memory by the slice that emitted them; merged in canonical order (time, gid) when asked for.
#pragma once
#include <span>
#include <vector>

#include "base/members.hpp"
#include "base/precise_event.hpp"

namespace npl::record {

/// One slice's share of a spike recorder.
class SpikeTrack {
 public:
  SpikeTrack(Step start, Step stop) : start_(start), stop_(stop) {}
  /// @param nodes of the slice, which has this one
  void add_node(Local node, Local nodes);
  /// Keeps those spikes of the slice that are recorded and whose stamp lies in (start, stop].
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

/// By time, then gid.
inline bool canonical(const Spike& a, const Spike& b) { return a.step != b.step ? a.step < b.step : a.gid < b.gid; }

/// All spikes of the tracks sorted by (step, gid); with offsets by (step, offset from large to small, gid), which is the order of time.
Emitted merged(std::span<const SpikeTrack* const> tracks);
void sort(Emitted& spikes);

}  // namespace npl::record
