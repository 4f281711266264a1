// SPDX-License-Identifier: Apache-2.0
/// Recorded spikes. Each slice stores those of its own nodes; they are merged in order of (time, gid) when they are read.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/members.hpp"
#include "base/precise_event.hpp"
#include "record/recorded_spikes.hpp"

namespace npl::record {

inline constexpr Step from_the_start = std::numeric_limits<Step>::min();

/// Share of a spike recorder in one slice.
class SpikeTrack {
 public:
  /// Records stamps in (start, stop] [steps]. @param last the largest gid that is recorded
  SpikeTrack(Step start, Step stop, Gid last = 0) : start_(start), stop_(stop), spikes_(last) {}
  /// Adds a node by local index.
  void add_node(Local node);
  /// Gives back what the last nodes have not needed.
  void fit() { recorded_.shrink_to_fit(); }
  bool records(Local node) const {
    const auto at = static_cast<Local>(node - first_);  // huge below the first
    return at < recorded_.size() && recorded_[at] != 0;
  }
  Local first_node() const { return first_; }                                           ///< no smaller local index is recorded
  Local end_of_nodes() const { return static_cast<Local>(first_ + recorded_.size()); }  ///< nor this or a larger one
  /// Stores a spike of a recorded node. @param timed some spike of its interval has an offset
  void keep(const Spike& spike, double offset, bool timed);
  /// Stores those of the emitted spikes that are to be recorded. @param sources [spikes] their places in the slice
  void take(const Emitted& emitted, std::span<const Local> sources);
  /// Appends those with stamps > after [steps]. @param disorder most steps by which a spike may be stored after a later one
  void copy_since(Step after, Step disorder, Emitted& to) const;
  const RecordedSpikes& spikes() const { return spikes_; }
  /// Offset of each spike [ms]. Spikes beyond the end of this list have the offset 0.
  const std::vector<double>& offsets() const { return offsets_; }
  void clear() { spikes_.clear(), offsets_ = {}, restored_ = 0; }
  /// Adds spikes of a checkpoint.
  void restore(const Emitted& more);
  std::size_t bytes() const { return spikes_.bytes() + offsets_.capacity() * sizeof(double) + recorded_.capacity(); }

 private:
  bool in_window(const Spike& s) const { return (s.step + 1 > start_) & (s.step + 1 <= stop_); }

  Step start_, stop_;
  Local first_ = 0;
  std::vector<std::uint8_t> recorded_;  ///< by local index from the first recorded one on: thousands of recorders may have a node each
  RecordedSpikes spikes_;
  std::vector<double> offsets_;
  std::size_t restored_ = 0;  ///< number of spikes from a checkpoint: they come first, in any order
};

/// The tracks that record each node, so that a spike is shown to no other: models have a recorder per population.
class TrackIndex {
 public:
  using Tracks = std::vector<std::unique_ptr<SpikeTrack>>;
  /// @param nodes number of nodes of the slice
  void make(const Tracks& tracks, Local nodes);
  /// Number of tracks it was made of; 0: it must be made.
  std::size_t tracks() const { return tracks_; }
  void forget() noexcept { tracks_ = 0; }
  /// Hands emitted spikes to their tracks. @param sources [spikes] their places in the slice
  void take(const Tracks& tracks, const Emitted& emitted, std::span<const Local> sources) const;
  std::size_t bytes() const { return sizeof(std::uint32_t) * (begin_.capacity() + of_node_.capacity()); }
  /// Expected bytes. @param recorded sum of the numbers of nodes of the tracks
  static constexpr double expected_bytes(double nodes, double recorded) { return sizeof(std::uint32_t) * (nodes + recorded); }

 private:
  std::size_t tracks_ = 0;
  std::vector<std::uint32_t> begin_;    ///< [nodes + 1] first entry of each node
  std::vector<std::uint32_t> of_node_;  ///< tracks
};

/// Order by step, then gid.
inline bool canonical(const Spike& a, const Spike& b) { return a.step != b.step ? a.step < b.step : a.gid < b.gid; }

/// All spikes of these tracks with stamps > after [steps], sorted. Without offsets if all are 0, whatever the neurons are with which these
/// share slices. @param disorder as of SpikeTrack::copy_since
Emitted merged(std::span<const SpikeTrack* const> tracks, Step after = from_the_start, Step disorder = 0);
/// Sorts by (step, gid); off-grid spikes by time and gid: a larger offset means an earlier spike.
void sort(Emitted& spikes);

}  // namespace npl::record
