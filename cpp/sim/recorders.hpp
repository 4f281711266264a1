// SPDX-License-Identifier: Apache-2.0
/// Recorders of spikes, state variables, transmitted weights and numbers per bin of time.
/// Recorders of each kind are numbered in order of creation; every rank creates the same ones in the same order. A recorder is active from
/// the next build on. Reading with gather = true is collective and returns the data of all ranks on every rank (memory: all recorded values
/// on every rank). With gather = false it returns the data of this rank and is not collective. Both throw BadParameter for recorders that
/// do not exist; the collective form throws RankError when ranks differ.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/handles.hpp"
#include "sim/populations.hpp"

namespace npl::sim {

/// Samples of state variables.
struct Samples {
  std::vector<Step> stamps;
  std::vector<double> values;       ///< [stamps][nodes][names], in the units of the fields
  std::vector<std::int64_t> nodes;  ///< positions of the nodes in the list of the recorder
};

/// Transmitted weights as columns in canonical order: (stamp, source, target, order, delay, table, position).
struct SentWeights : Handles {
  std::vector<Step> stamp;  ///< of the spikes [steps]
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;  ///< [steps]
  std::vector<std::int32_t> receptor, label;
  std::vector<std::int32_t> order;  ///< of the projections: what comes between target and delay in the canonical order
};

/// What a recorder of numbers per bin has counted in bins that have ended.
struct Counted {
  Step first;                        ///< the first bin: it begins at first * width [steps]
  std::vector<std::int64_t> values;  ///< [bins]
};

/// As the target of recorded devices: each one's own train is recorded.
inline constexpr Gid itself = -1;

class Recorders : Part {
 public:
  Recorders(Context& context, Populations& populations) : Part(context), populations_(populations) {}

  /// Records spikes with stamps in (start, stop] [steps]. Returns the recorder's number. Not collective.
  /// Throws BadParameter for nodes that do not exist, IllegalConnection for devices that emit no spikes.
  /// @param target device that stands for one more target of the recorded devices: what it gets from now on is recorded. Trains of
  /// several recorders with the same target are independent. IllegalConnection for neurons, as nodes or as target.
  int record_spikes(const connect::NodeSet& nodes, Step start, Step stop, Gid target = itself);
  /// Recorded spikes by (step, gid); off-grid spikes in order of time, with their sub-step offsets before the end of the step [ms].
  /// @param after only those with stamps > after [steps]: what was recorded before is not looked at
  Emitted spikes(int recorder, bool gather, Step after = record::from_the_start) const;
  /// [nodes of all ranks] numbers of recorded spikes with stamps > after, in the order of the set of nodes.
  std::vector<std::int64_t> spike_counts(int recorder, bool gather, Step after) const;
  /// Number of recorded spikes.
  std::int64_t spike_count(int recorder, bool gather) const;
  /// Deletes the recorded spikes of this rank. Not collective.
  void clear_spikes(int recorder);

  /// Samples state variables at the end of steps. Returns the recorder's number. Not collective.
  /// Throws BadParameter, or UnknownName for names that the model of a node does not have.
  /// @param target as of record_spikes()
  int record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling, Gid target = itself);
  /// Samples since the recorder was cleared.
  Samples samples(int recorder, bool gather) const;
  std::pair<std::size_t, std::size_t> sample_shape(int recorder) const;  ///< nodes of all ranks, names
  void clear_samples(int recorder);

  /// A weight recorder, for `ConnectCall::recorder`: records synapses made with it between these nodes; null: all. Not collective.
  int record_weights(const connect::NodeSet* sources, const connect::NodeSet* targets);
  /// Changes the nodes of a weight recorder from now on. Not collective.
  void choose_weights(int recorder, const connect::NodeSet* sources, const connect::NodeSet* targets);
  /// Transmitted weights since the recorder was cleared, of spikes that have reached their targets.
  /// @param labels of the projections, by TableSpec::order
  SentWeights sent_weights(int recorder, const std::vector<int>& labels, bool gather) const;
  /// Number of recorded weights.
  std::int64_t weight_count(int recorder, bool gather) const;
  void clear_weights(int recorder);
  /// Throws BadParameter unless the number is -1 (none) or that of a weight recorder.
  void check_weight_recorder(int recorder) const;
  /// Marks the recorded rows and targets in the tables of a slice. Any thread.
  void choose_in(Slice& slice) const;

  /// Counts per bin of time, summed over nodes. Bin k has the spikes (or what the kind counts) with stamps in (k, k + 1] * width; the first
  /// one is that which begins now or next. Returns the recorder's number. Not collective.
  /// Throws UnknownName for a kind that is not in Components::binned_kinds(), BadParameter, and as record_spikes.
  int record_binned(const connect::NodeSet& nodes, const std::string& kind, Step width);
  /// The bins that have ended, since the recorder was cleared, of all ranks. Collective.
  Counted binned(int recorder) const;
  /// Forgets the bins that have ended; the one that has not keeps what was counted in it. Not collective; the same on all ranks.
  void clear_binned(int recorder);

  /// Registers new recorders with the slices.
  void attach();
  /// Numbers of recorders that have been attached, and to set them again when the tracks of the last ones have been dropped.
  struct Attached {
    std::size_t spikes = 0, state = 0, binned = 0;
  };
  Attached attached() const { return attached_; }
  void set_attached(const Attached& n) noexcept { attached_ = n; }

  // --- checkpoints (keep_records.cpp): the recorders; what they hold on this rank
  void visit(checkpoint::Archive& a);
  void save(checkpoint::Columns& to) const;
  /// Loads what the nodes of this rank have recorded. Call after attach().
  void load(std::span<const checkpoint::Shard> from);

  /// Output of a device of this rank: computed when it is read, since it is a function of device, target and step.
  struct DeviceOutput {
    std::size_t node;  ///< position in the list of the recorder
    const devices::Device* device;
    std::unique_ptr<devices::OwnTrain> own;  ///< null: the rate is sampled
    Step next;                               ///< stamp of the next sample, or step of the next spikes, that has not been computed
    std::vector<double> values = {};         ///< samples before it
    Emitted spikes = {};                     ///< spikes before it
  };

  // For the memory model.
  struct SpikeRecorder {
    connect::NodeSet nodes;
    Step start, stop;
    Gid target = itself;
    std::vector<DeviceOutput> devices = {};  ///< with a target
    std::int64_t size() const { return nodes.size(); }
    Gid gid(std::int64_t k) const { return nodes[k]; }
    bool has(Gid gid) const { return nodes.position(gid) >= 0; }
  };
  struct StateRecorder {
    std::vector<Gid> gids;
    std::vector<std::string> names;
    record::Sampling sampling;
    Step since;  ///< samples have stamps > since
    Gid target = itself;
    std::vector<DeviceOutput> devices = {};
    std::int64_t size() const { return static_cast<std::int64_t>(gids.size()); }
    Gid gid(std::int64_t k) const { return gids[static_cast<std::size_t>(k)]; }
    bool has(Gid gid) const { return std::find(gids.begin(), gids.end(), gid) != gids.end(); }
  };
  struct WeightRecorder {
    std::optional<connect::NodeSet> sources, targets;
  };
  struct BinnedRecorder {
    std::string kind;
    connect::NodeSet nodes;
    Step width, first;   ///< as in Bins
    std::size_t number;  ///< among those of its kind
  };
  const std::vector<SpikeRecorder>& of_spikes() const { return spike_recorders_; }
  const std::vector<StateRecorder>& of_state() const { return state_recorders_; }
  const std::vector<WeightRecorder>& of_weights() const { return weight_recorders_; }
  const std::vector<BinnedRecorder>& of_bins() const { return binned_recorders_; }

 private:
  void check_emit(const connect::NodeSet& nodes) const;
  std::vector<const record::SpikeTrack*> tracks_of(std::size_t recorder) const;
  Emitted own_spikes(std::size_t recorder, Step after) const;
  void check_target(Gid target, Gid node) const;
  void attach_binned(const BinnedRecorder& r);
  std::vector<std::int64_t> own_bins(const BinnedRecorder& r) const;
  void visit_binned(checkpoint::Archive& a);
  void save_bins(checkpoint::Archive& a) const;
  void load_bins(const checkpoint::Shard& from);
  void load_spikes(const checkpoint::Shard& from);
  void load_samples(const checkpoint::Shard& from);
  template <class Recorder>
  void visit_devices(checkpoint::Archive& a, const char* name, std::vector<Recorder>& recorders);
  void visit_device(checkpoint::Archive& a, DeviceOutput& d, Gid gid, Gid target);
  void visit_devices(checkpoint::Archive& a);
  template <class Recorder>
  std::vector<DeviceOutput> devices_of(const Recorder& r, const std::vector<Recorder>& earlier) const;
  void add_devices(SpikeRecorder& r, Step after, Emitted& to) const;
  void copy_devices(StateRecorder& r, Samples& out, std::span<const std::size_t> place) const;
  void attach_state(const StateRecorder& r);
  std::vector<std::int64_t> own_nodes(const StateRecorder& r) const;

  Populations& populations_;
  mutable std::vector<SpikeRecorder> spike_recorders_;  ///< reading computes the output of devices
  mutable std::vector<StateRecorder> state_recorders_;  ///< the same
  std::vector<WeightRecorder> weight_recorders_;
  std::vector<BinnedRecorder> binned_recorders_;
  Attached attached_;
};

}  // namespace npl::sim
