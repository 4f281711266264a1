// SPDX-License-Identifier: Apache-2.0
/// Recorders of spikes, of state variables, of the weights that synapses send, and taps on what stimulators send.
/// Recorders have numbers, by kind, in the order in which they were made; every rank makes the same ones in the same order. A recorder
/// records from the next build on. Reading with gather = true is collective and gives every rank everything (memory: all recorded values,
/// on every rank). With gather = false a rank gets what it recorded itself; the call is not collective. Both throw BadParameter for numbers
/// of recorders that do not exist; the collective form throws RankError when ranks differ.
#pragma once
#include <optional>
#include <utility>

#include "sim/handles.hpp"
#include "sim/populations.hpp"

namespace npl::sim {

/// Samples of state variables.
struct Samples {
  std::vector<Step> stamps;
  std::vector<double> values;       ///< [stamps][nodes][names], in the units of the fields
  std::vector<std::int64_t> nodes;  ///< which of the recorder's nodes: their positions in its list
};

/// Weights that synapses have sent, as columns in canonical order: (stamp, source, target, table, delay, order of generation).
struct SentWeights : Handles {
  std::vector<Step> stamp;  ///< of the spikes
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;  ///< [steps]
  std::vector<std::int32_t> receptor, label;
};

/// What a stimulator sent to a tap.
struct Received {
  Step first;                   ///< stamp of the first value
  std::vector<double> values;   ///< of consecutive steps: numbers of spikes, pA or spikes/s
  std::vector<double> offsets;  ///< of the spikes [ms]; empty: they are on the grid
};

class Recorders : Part {
 public:
  Recorders(Context& context, Populations& populations) : Part(context), populations_(populations) {}

  /// Records spikes with stamps in (start, stop] [steps]. Returns the recorder's number. Not collective.
  /// Throws BadParameter for nodes that do not exist, IllegalConnection for devices that send no spikes.
  int record_spikes(const connect::NodeSet& nodes, Step start, Step stop);
  /// Spikes by (step, gid). With off-grid spikes also their offsets [ms] before the end of the step, and the order is that of time.
  Emitted spikes(int recorder, bool gather) const;
  /// Forgets the spikes so far, on this rank.
  void clear_spikes(int recorder);

  /// Samples state variables; a node's values are those at the end of the sampled steps. Returns the recorder's number. Not collective.
  /// Throws BadParameter, or UnknownName for names that a node's model lacks.
  int record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling);
  Samples samples(int recorder, bool gather) const;
  std::pair<std::size_t, std::size_t> sample_shape(int recorder) const;  ///< nodes of all ranks, names
  void clear_samples(int recorder);

  /// A recorder for `ConnectCall::recorder`: of the synapses that name it, it notes those between these nodes; null: all. Not collective.
  int record_weights(const connect::NodeSet* sources, const connect::NodeSet* targets);
  /// Changes which synapses a recorder of weights notes from now on.
  void choose_weights(int recorder, const connect::NodeSet* sources, const connect::NodeSet* targets);
  /// Since the recorder was cleared, of the spikes that have reached their targets.
  /// @param labels of the projections, by the order of table specs
  SentWeights sent_weights(int recorder, const std::vector<int>& labels, bool gather) const;
  void clear_weights(int recorder);
  /// Throws BadParameter for numbers that are neither -1 (none) nor a recorder of weights.
  void check_weight_recorder(int recorder) const;
  /// Marks in a slice's tables the rows and targets that recorders of weights note. Any thread.
  void choose_in(Slice& slice) const;

  /// A tap on what a stimulator sends to a recorder from now on: spikes, a current, or its rate. A device's output is a function of device,
  /// step and target, and its settings are kept: every rank computes it when it is asked for. Not collective. Returns the tap's number.
  /// @param repeat number of taps of this device and recorder so far: each has a train of its own
  int tap(Gid device, Gid recorder, int repeat, bool rate);
  /// What was sent since the last call, up to now. Not collective.
  Received received(int tap);

  /// Gives slices the recorders that were made since the last call.
  void attach();

  // For the memory model.
  struct SpikeRecorder {
    connect::NodeSet nodes;
    Step start, stop;
  };
  struct StateRecorder {
    std::vector<Gid> gids;
    std::vector<std::string> names;
    record::Sampling sampling;
    Step since;  ///< samples have stamps > since
  };
  struct WeightRecorder {
    std::optional<connect::NodeSet> sources, targets;
  };
  const std::vector<SpikeRecorder>& of_spikes() const { return spike_recorders_; }
  const std::vector<StateRecorder>& of_state() const { return state_recorders_; }
  const std::vector<WeightRecorder>& of_weights() const { return weight_recorders_; }

 private:
  struct Tap {
    const devices::Device* device;
    std::unique_ptr<devices::Part> part;  ///< null: of the rate
    Step next;                            ///< stamp of the next value
  };
  void attach_state(const StateRecorder& r);
  std::vector<std::int64_t> own_nodes(const StateRecorder& r) const;

  Populations& populations_;
  std::vector<SpikeRecorder> spike_recorders_;
  std::vector<StateRecorder> state_recorders_;
  std::vector<WeightRecorder> weight_recorders_;
  std::size_t spike_recorders_attached_ = 0, state_recorders_attached_ = 0;
  std::vector<Tap> taps_;
};

}  // namespace npl::sim
