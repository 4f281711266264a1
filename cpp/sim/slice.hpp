// SPDX-License-Identifier: Apache-2.0
/// A slice: a partition of the nodes of a rank with their synapses, parts of devices and recordings; the unit of work of a thread. Slices
/// interact only when spikes are exchanged. Results do not depend on their number (law 1).
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "continuous/channels.hpp"
#include "devices/device.hpp"
#include "devices/own_train.hpp"
#include "growth/cell.hpp"
#include "nodes/group.hpp"
#include "pathways/source_rows.hpp"
#include "record/spike_recorder.hpp"
#include "record/state_recorder.hpp"
#include "sim/run_clock.hpp"
#include "sim/sourced_spikes.hpp"

namespace npl::sim {

/// Fixed-point scale per receptor of the network (at least max_receptors), equal on all slices.
using Scales = std::vector<FixedScale>;
using Largest = std::vector<double>;

/// Populations of neurons that share a group.
struct Joint {
  std::vector<std::size_t> groups;  ///< the groups of these populations before
  std::vector<std::size_t> blocks;  ///< numbers of their blocks in Residents
};

/// Part of a device in a slice, and the input to which it adds.
struct AttachedPart {
  std::unique_ptr<devices::Part> part;
  int receptor;
  bool current;
  std::uint64_t link;  ///< number of the device link
  Step lag;            ///< from emission to effect [steps]
  Gid device = 0;
  std::uint64_t turn = 0;      ///< links and their devices in the order in which they were attached; the same on all ranks
  Step until = INT64_MAX;      ///< no effect from this step on
  devices::Stretch stretch{};  ///< of the part
  bool sends = false;          ///< (with a stretch) something may arrive in this step
};

/// In-flight spike of a removed synapse.
struct Late {
  Step due;
  Local target;
  int receptor;
  bool counts;    ///< the target counts spikes
  double value;   ///< weight
  bool off_grid;  ///< the target takes off-grid spikes
  double offset;  ///< (off_grid) sub-step offset before the end of the step [ms]
};

/// Output of one interval of a slice. A slice has two, used alternately, so that one barrier per interval suffices.
struct Outbox : SourcedSpikes {
  Largest largest = Largest(max_receptors);  ///< largest plastic |weight| so far
};

/// A neuron whose state is not finite or out of range, or a synapse whose weight is too large: the run must end.
struct Diverged {
  Step stamp;  ///< end of the step of detection [steps]; states are checked at fixed steps, the same for any layout
  Gid gid;     ///< of the neuron, or of the target of the synapse
  std::string model, state;
  double value;                    ///< of the state variable, in its unit; or the weight
  bool overflow = false;           ///< the sum of the neuron's inputs has overflown; value: the receptor
  std::optional<Gid> source = {};  ///< of the synapse; none: a neuron
  /// Rank among those of one time: synapses, which may be the cause of what happens to neurons, then neurons; by gid.
  std::int64_t order() const { return source ? gid : gid | (std::int64_t{1} << 62); }
  bool before(const Diverged& other) const {
    return std::tuple(stamp, order(), source) < std::tuple(other.stamp, other.order(), other.source);
  }
};

/// Steps of which a slice of n nodes collects the input before its neurons take them: as many as fit the L1 cache; one in large slices,
/// where a step costs more than its call.
inline Step steps_at_once(Local n) {
  constexpr Local most_nodes = 256;
  constexpr Step most_steps = 32, most_cells = 2048;
  return n > most_nodes ? 1 : std::clamp<Step>(most_cells / std::max<Step>(1, n), 1, most_steps);
}

/// Used by one thread at a time; no member is collective.
class Slice {
 public:
  /// @param sources_on_grid see Settings
  Slice(SliceId id, double dt_ms, std::uint64_t seed, bool sources_on_grid = false);

  SliceId id() const { return id_; }
  const Residents& nodes() const { return nodes_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  using Pathways = pathways::SourceRows::Pathways;  ///< shared with Kept

  // --- building
  /// What edits and builds change. Pathways are replaced by others, so those of before are kept as they are, but for values that are set in
  /// place.
  struct Kept {
    Pathways pathways;
    std::set<const tables::TableSpec*> edited;
    std::vector<Late> late;
    Largest largest;
    std::size_t parts, spike_tracks, state_tracks;  ///< numbers: more are added at the end
  };
  Kept keep() const;
  void restore(Kept& kept) noexcept;
  /// Adds the members of a population in this slice. @param model null: devices
  void add_population(Gid first, Members members, const nodes::ModelInfo* model);
  void drop_last_population(bool neurons);
  /// (a new slice) Takes populations, recorders, kept traces, third factors and scales of another slice, but none of its nodes: as if it
  /// had been there from the beginning.
  void resemble(const Slice& other);
  /// Numbers of what add_population() adds to.
  struct Extent {
    std::size_t blocks, groups, receptors;
  };
  Extent extent() const { return {nodes_.blocks().size(), groups_.size(), scales_.size()}; }
  /// Drops what was added since, also by a call that has failed.
  void shrink(const Extent& to) noexcept;
  /// Gives the neurons of a group another shape of their model; values of what both have stay.
  void reshape(std::size_t group, const nodes::ModelInfo& model);
  using Groups = std::vector<std::unique_ptr<nodes::Group>>;
  /// New groups for joints of several populations; null for others. Changes nothing.
  Groups joined(std::span<const Joint> joints) const;
  /// Replaces the groups of the last populations, whose local indices nothing uses yet. Allocates nothing.
  /// @param joints all groups of these populations, in their new order @param fresh joined() of them
  /// @param blocks numbers of the blocks of these populations, in their new order
  void regroup(std::span<const Joint> joints, Groups fresh, std::span<const std::size_t> blocks) noexcept;
  /// Index of the pathway for this spec; pathways().size(): none.
  std::size_t pathway_of(const tables::TableSpec& spec) const;
  /// Removes and adds synapses of a pathway; pathways().size(): of a new one, for the synapses that are added. @param now steps before it
  /// are done
  pathways::Moved edit(std::size_t pathway, pathways::Edits edits, Step now);
  /// Before synapses are removed: spikes of steps before `sent` that are on their way to them become late input, and change their weights
  /// now.
  /// @param out, sent [synapses of the pathway's table] @param now steps before it are done
  /// @return the spikes emitted since, which are not delivered
  std::vector<pathways::InFlight> settle(std::size_t pathway, const std::vector<char>& out, std::span<const Step> sent, Step now);
  /// Merges pathways whose specs have become equal (after weights were set one by one). @param how order and layout
  void unite_pathways(const pathways::Edits& how, Step now);
  /// Deletes pathways without synapses, except those with recorded weights.
  void drop_empty_pathways();
  /// Adds a part of a device; it starts where ended parts of the same link stop.
  void add_part(AttachedPart part);
  /// Ends the parts of a link: no output from step `now` on.
  void end_parts(std::uint64_t link, Step now);
  /// What neurons take and send along continuous connections; null: the network has none.
  /// @param rows steps of the parts that are repeated; 0: none are. Before prepare().
  void set_channels(continuous::SlicePart* channels, Step rows) { channels_ = channels, wave_rows_ = rows; }
  bool sends_values() const { return channels_ != nullptr; }
  /// A device that emits spikes, of itself or by its own train.
  void add_emitter(const devices::Device* device);
  /// @param largest |weight| per receptor, for the scales; @param most plastic weights that outgrow these end the run
  /// @param max_delay of the network [steps]
  void prepare(const Largest& largest, const Largest& most, Delay max_delay);

  // --- running
  /// Simulates steps [from, until): deliver, devices, update, record. Writes spikes to outbox(parity): of each source in order of time. In
  /// a small slice the input of several steps is collected before the neurons take them.
  /// @param settled all spikes emitted before this step have been scheduled
  void advance(Step from, Step until, int parity, Step settled, RunClock& clock);
  /// (parts are repeated) Collects the input of a part; before its iterations and advance().
  void gather(Step from, Step until, RunClock& clock) { collect_input(from, until, clock); }
  /// (parts are repeated) One iteration: simulates the groups whose values go along connections without delay, and puts them back.
  void iterate(Step from, Step until);
  /// Queues spikes of any slice for the rows of their sources in this slice.
  void schedule(const Emitted& emitted);
  /// Searches for neurons whose state is not finite or out of range. `advance` does so after every ms since time 0 (after every step if
  /// steps are longer), so that the same neurons are found for any layout. They are frozen: the run goes on until all ranks can end it.
  /// @param stamp end of the last step
  void check_states(Step stamp);
  /// The first diverged neuron or synapse found; never reset.
  const std::optional<Diverged>& diverged() const { return diverged_; }
  /// Releases the neurons that check_states() has frozen. At the end of a run.
  void release_diverged();
  /// Sets the memory limit of the spikes of one part [bytes], 0: memory of the machine. advance throws TooLarge when their next doubling
  /// would exceed it or the available memory.
  void set_emission_limit(double bytes) { emission_limit_ = bytes; }
  const Largest& largest() const { return largest_; }
  /// Changes to a coarser fixed-point scale if a weight exceeds the range of the current one.
  void rescale(const Largest& largest);
  Outbox& outbox(int parity) { return outbox_[static_cast<std::size_t>(parity)]; }

  // --- checkpoints
  /// Takes a table of a checkpoint. @param seed of the random numbers of its synapses
  pathways::Pathway& adopt(std::unique_ptr<tables::EdgeTable> table, std::uint64_t seed);
  void adopt(std::vector<Late> late);
  void adopt(AttachedPart part);
  const std::vector<Late>& late() const { return late_; }
  const std::vector<std::unique_ptr<synapses::PostTrace>>& traces() const { return traces_; }
  /// Of neurons that spike between grid points.
  const std::vector<std::unique_ptr<synapses::ExactTrace>>& exact_traces() const { return exact_traces_; }
  /// Of all groups that keep one.
  std::deque<synapses::TargetHistory>& histories();
  /// Third factors of all synapses of the network, whether this slice has such synapses or not: then all slices have heard the same.
  const std::vector<std::unique_ptr<synapses::Volume>>& volumes() const { return volumes_; }
  synapses::Volume* volume(const synapses::Hearing& of);
  /// Cells whose calcium follows the spikes of neurons of this slice. @param by_local null: not followed @param kinds of their elements
  void follow_calcium(std::vector<growth::Cell*> by_local, const std::vector<growth::Kind>* kinds) {
    calcium_ = std::move(by_local), kinds_ = kinds;
  }
  /// Keeps the postsynaptic traces that synapses of this rule will read, from now on.
  void keep_traces(const synapses::Plasticity& rule);
  /// Keeps traces of a time constant from now on, if those of another are kept [ms].
  void keep_traces(double tau, double where);
  /// The postsynaptic trace of a node goes on with another time constant [ms], from its values at the spikes so far.
  void carry_trace(Local node, double from, double to);
  /// A transmitter has spiked.
  void hear(Gid transmitter, Step step);
  const std::vector<AttachedPart>& parts() const { return parts_; }
  struct Emitter {
    const devices::Device* device;
    Step silent_until = 0;  ///< it emits nothing before
    devices::EmitterMemory memory{};
    std::unique_ptr<devices::OwnTrain> own{};  ///< of a device whose other connections need no tables
  };
  std::vector<Emitter>& emitters() { return emitters_; }
  /// Synapses of these specs are no longer those that were drawn.
  /// @return false: this was known
  bool note_edited(const tables::TableSpec* spec) { return edited_.insert(spec).second; }
  void forget_edited(const tables::TableSpec* spec) noexcept { edited_.erase(spec); }
  const std::set<const tables::TableSpec*>& edited() const { return edited_; }
  /// Weights that the scales were made for, and the largest plastic ones.
  const Largest& scaled_for() const { return scaled_for_; }
  void adopt(const Largest& scaled_for, const Largest& largest);
  /// Adds to the counts of synaptic events and spikes.
  void count(std::uint64_t events, std::uint64_t spikes) { events_ += events, n_spikes_ += spikes; }

  Groups& groups() { return groups_; }
  Pathways& pathways() { return pathways_; }
  const Pathways& pathways() const { return pathways_; }
  std::vector<std::unique_ptr<record::SpikeTrack>>& spike_tracks() { return spike_tracks_; }
  std::vector<std::unique_ptr<record::StateTrack>>& state_tracks() { return state_tracks_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t spikes() const { return n_spikes_; }

  struct Bytes {
    std::size_t neurons = 0, synapses = 0, index = 0, traces = 0, in_flight = 0, devices = 0, recordings = 0, input = 0;
    double total() const { return static_cast<double>(neurons + synapses + index + traces + in_flight + devices + recordings + input); }
  };
  Bytes bytes() const;

 private:
  pathways::Surroundings surroundings(const tables::TableSpec& spec);
  bool takes_steps_one_by_one() const;
  void hold(std::size_t receptors);
  void make_sums(std::size_t receptor, std::size_t cells);
  void make_port_currents(std::size_t cells);
  template <class F>
  std::pair<Local, Local> span_of(F&& has) const;
  Step end_of_stretch(Step step, Step until) const;
  void collect_input(Step from, Step until, RunClock& clock);
  double deliver(Step step, std::size_t row);
  double deliver_late(Step step, std::size_t row);
  void check_sums(const nodes::Group& g, std::size_t begin, std::size_t n, Step step, std::size_t row);
  void note_growth(const pathways::Pathway& pathway, Step step);
  void note(Diverged found);
  double apply_devices(Step step, std::size_t row, bool at_once);
  devices::PartInput input_of(const AttachedPart& part, std::size_t row);
  void list_feeds();
  nodes::GroupInput input_of(const nodes::Group& g, Step from, std::size_t row);
  void update(Step from, Step until, std::size_t row, SourcedSpikes& out, RunClock& clock);
  void iterate(std::size_t group, Step from, Step until);
  void update(nodes::Group& g, const nodes::GroupInput& in, const std::vector<AttachedPart*>& feeds, RunClock& clock);
  bool is_loaded() const;
  void emit(Step from, Step until, SourcedSpikes& out);
  void note_emitted(const devices::Device& d, Step from, Step until, std::size_t before, SourcedSpikes& out) const;
  nodes::Group& group_of(const synapses::TargetHistory& history);
  void prepare_histories(Delay max_delay);
  void record_early(Step step);
  void record_histories(Step stamp);
  void forget_old_histories(Step settled);
  void note_post_spikes(const SourcedSpikes& out, std::size_t from);
  void note_calcium(const SourcedSpikes& out, std::size_t from);
  void forget_old_traces(Step settled);
  void forget_heard(Step settled);
  std::size_t check_emitted(const Emitted& out) const;

  SliceId id_;
  Residents nodes_;
  double dt_;
  std::uint64_t seed_;
  Groups groups_;
  Pathways pathways_;  ///< one per spec
  pathways::SourceRows source_rows_;
  std::set<const tables::TableSpec*> edited_;
  std::vector<Late> late_;  ///< latest first
  std::vector<std::unique_ptr<synapses::PostTrace>> traces_;
  std::vector<std::unique_ptr<synapses::ExactTrace>> exact_traces_;
  bool sources_on_grid_;
  synapses::TargetHistories histories_;
  Step looked_back_ = 0;                 ///< steps that a synapse with the largest delay looks back
  std::vector<double> contributed_;      ///< [nodes of a history] of this step
  std::vector<std::vector<Step>> wait_;  ///< [histories][nodes] delays
  std::size_t forget_histories_at_ = std::size_t{1} << 16;
  std::vector<std::unique_ptr<synapses::Volume>> volumes_;
  std::vector<growth::Cell*> calcium_;  ///< by local index; empty: none
  const std::vector<growth::Kind>* kinds_ = nullptr;
  continuous::SlicePart* channels_ = nullptr;
  Step wave_rows_ = 0;            ///< steps of a part that is repeated
  std::vector<double> kept_;      ///< states of a group before an iteration
  std::vector<Fixed> kept_sums_;  ///< its input
  std::vector<Spike> dropped_;    ///< spikes of an iteration
  std::vector<AttachedPart> parts_;
  std::vector<Step> wakes_;                        ///< [parts] first step in which the part may do something again
  std::vector<std::vector<AttachedPart*>> feeds_;  ///< [groups] parts with a stretch that have targets in the group; empty: not listed yet
  std::vector<Emitter> emitters_;
  Step silent_until_ = 0;  ///< the first of them
  std::vector<std::unique_ptr<record::SpikeTrack>> spike_tracks_;
  record::TrackIndex track_index_;  ///< of several tracks
  std::vector<std::unique_ptr<record::StateTrack>> state_tracks_;
  Step rows_ = 1;  ///< steps whose input there is room for
  /// Input of one receptor or port: [rows x nodes]; of those that few groups have, [nodes] from the first of those groups on.
  template <class T>
  struct Input {
    Buffer<T> cells;
    Local first = 0;
    /// That of node 0, which need not be there.
    T* data() { return cells.data() - first; }
    void hold(std::size_t n) {
      first = 0;
      if (cells.size() < n) cells.resize(n);
    }
    void cover(Local begin, Local end) {
      first = std::min(begin, end);
      if (cells.size() < end - first) cells = Buffer<T>(end - first);
    }
  };
  std::vector<Input<Fixed>> sums_ = std::vector<Input<Fixed>>(max_receptors);  ///< [receptors]
  std::vector<Input<double>> port_currents_;                                   ///< [ports] from 1 on, where some part sends one
  std::vector<const double*> currents_of_group_;                               ///< the same
  std::vector<Fixed*> sums_of_group_ = std::vector<Fixed*>(max_receptors);     ///< [receptors] what an update reads
  double load_ = 0.0;  ///< events in the sums, of all nodes and in units of the largest weight
  std::vector<double> scales_of_group_ = std::vector<double>(max_receptors);
  std::vector<PreciseEvent> precise_events_;  ///< off-grid events of this step, in canonical order before groups use them
  Buffer<double> current_;                    ///< [rows x nodes]
  bool has_current_ = false;
  Scales scales_ = Scales(max_receptors);
  Largest scaled_for_ = Largest(max_receptors);  ///< the weights that scales_ were made for
  Largest most_ = Largest(max_receptors);        ///< plastic weights must not outgrow these
  Largest largest_ = Largest(max_receptors);     ///< largest plastic |weight| met
  std::array<Outbox, 2> outbox_;
  std::uint64_t events_ = 0, n_spikes_ = 0;
  Step steps_per_check_;  ///< interval of check_states
  std::optional<Diverged> diverged_;
  std::vector<std::pair<nodes::Group*, std::size_t>> stopped_;  ///< neurons frozen by check_states()
  double emission_limit_ = 0;
  std::size_t forget_heard_at_ = std::size_t{1} << 16;  ///< the same of spikes of transmitters
  std::size_t forget_at_ = std::size_t{1} << 20;        ///< number of postsynaptic spikes kept that triggers PostTrace::forget
};

}  // namespace npl::sim
