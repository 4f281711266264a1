// SPDX-License-Identifier: Apache-2.0
/// A slice: a partition of the nodes of a rank with their synapses, parts of devices and recordings; the unit of work of a thread. Slices
/// interact only when spikes are exchanged. Results do not depend on their number (law 1).
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

#include "sim/components.hpp"
#include "sim/run_clock.hpp"
#include "sim/state_checks.hpp"

namespace npl::sim {

/// Populations of neurons that share a group.
struct Joint {
  std::vector<std::size_t> groups;  ///< the groups of these populations before
  std::vector<std::size_t> blocks;  ///< numbers of their blocks in Residents
};

/// Output of one interval of a slice. A slice has two, used alternately, so that one barrier per interval suffices.
struct Outbox : SourcedSpikes {
  Largest largest = Largest(max_receptors);  ///< largest plastic |weight| so far
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

  using Pathways = sim::Pathways;  ///< shared with Kept
  using Groups = sim::Groups;

  // --- building
  /// What edits and builds change. Pathways are replaced by others, so those of before are kept as they are, but for values that are set in
  /// place.
  struct Kept {
    Pathways pathways;
    std::set<const tables::TableSpec*> edited;
    Components::Kept components;
    Largest largest;
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
  Extent extent() const { return {nodes_.blocks().size(), groups_.size(), input_.receptors()}; }
  /// Drops what was added since, also by a call that has failed.
  void shrink(const Extent& to) noexcept;
  /// Gives the neurons of a group another shape of their model; values of what both have stay.
  void reshape(std::size_t group, const nodes::ModelInfo& model);
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
  std::vector<pathways::Flight> settle(std::size_t pathway, const std::vector<char>& out, std::span<const Step> sent, Step now);
  /// Merges pathways whose specs have become equal (after weights were set one by one). @param how order and layout
  void unite_pathways(const pathways::Edits& how, Step now);
  /// Deletes pathways without synapses, except those with recorded weights. Returns the new numbers of all, -1: deleted.
  std::vector<std::int32_t> drop_empty_pathways();
  /// Adds a part of a device; it starts where ended parts of the same link stop.
  void add_part(AttachedPart part) { components_.get<DeviceParts>().add(std::move(part)); }
  /// Ends the parts of a link: no output from step `now` on.
  void end_parts(std::uint64_t link, Step now) { components_.get<DeviceParts>().end_link(link, now); }
  /// What neurons take and send along continuous connections; null: the network has none.
  /// @param rows steps of the parts that are repeated; 0: none are. Before prepare().
  void set_channels(continuous::SlicePart* channels, Step rows) { host_.channels = channels, wave_rows_ = rows; }
  bool sends_values() const { return host_.channels != nullptr; }
  /// A device that emits spikes, of itself or by its own train.
  void add_emitter(const devices::Device* device) { components_.get<Emitters>().add(device, seed_), components_.list(); }
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
  /// At the end of a run; advance() does so at the times of StateChecks. @param stamp end of the last step
  void check_states(Step stamp) { checks_.look(groups_, stamp); }
  /// The first diverged neuron or synapse found; never reset.
  const std::optional<Diverged>& diverged() const { return checks_.found(); }
  /// Releases the neurons that checks have frozen. At the end of a run.
  void release_diverged() { checks_.release(); }
  /// Sets the memory limit of the spikes of one part [bytes], 0: memory of the machine. advance throws TooLarge when their next doubling
  /// would exceed it or the available memory.
  void set_emission_limit(double bytes) { emission_limit_ = bytes; }
  const Largest& largest() const { return input_.largest(); }
  /// Changes to a coarser fixed-point scale if a weight exceeds the range of the current one.
  void rescale(const Largest& largest) { input_.rescale(largest); }
  Outbox& outbox(int parity) { return outbox_[static_cast<std::size_t>(parity)]; }

  // --- checkpoints
  /// Takes a table of a checkpoint. @param seed of the random numbers of its synapses
  pathways::Pathway& adopt(std::unique_ptr<tables::EdgeTable> table, std::uint64_t seed);
  void adopt(std::vector<Late> late) { components_.get<LateInput>().replace(std::move(late)), components_.list(); }
  void adopt(AttachedPart part) { components_.get<DeviceParts>().adopt(std::move(part)); }
  const std::vector<Late>& late() const { return components_.get<LateInput>().all(); }
  const std::vector<std::unique_ptr<synapses::PostTrace>>& traces() const { return components_.get<PostTraces>().on_grid(); }
  /// Of neurons that spike between grid points.
  const std::vector<std::unique_ptr<synapses::ExactTrace>>& exact_traces() const { return components_.get<PostTraces>().exact(); }
  /// Of all groups that keep one.
  std::deque<synapses::TargetHistory>& histories() { return components_.get<GroupHistories>().all(); }
  /// Third factors of all synapses of the network.
  const std::vector<std::unique_ptr<synapses::Volume>>& volumes() const { return components_.get<ThirdFactors>().all(); }
  synapses::Volume* volume(const synapses::Hearing& of);
  /// Cells whose calcium follows the spikes of neurons of this slice. @param by_local null: not followed @param kinds of their elements
  void follow_calcium(std::vector<growth::Cell*> by_local, const std::vector<growth::Kind>* kinds);
  /// See PostTraces.
  void keep_traces(const synapses::Plasticity& rule);
  void carry_traces(double tau, const std::map<Local, double>& from, Undo& undo);
  /// A transmitter has spiked.
  void hear(Gid transmitter, Step step) { components_.get<ThirdFactors>().hear(transmitter, step); }
  const std::vector<AttachedPart>& parts() const { return components_.get<DeviceParts>().all(); }
  std::vector<Emitter>& emitters() { return components_.get<Emitters>().all(); }
  /// Synapses of these specs are no longer those that were drawn.
  /// @return false: this was known
  bool note_edited(const tables::TableSpec* spec) { return edited_.insert(spec).second; }
  void forget_edited(const tables::TableSpec* spec) noexcept { edited_.erase(spec); }
  const std::set<const tables::TableSpec*>& edited() const { return edited_; }
  /// Weights that the scales were made for, and the largest plastic ones.
  const Largest& scaled_for() const { return input_.scaled_for(); }
  void adopt(const Largest& scaled_for, const Largest& largest);
  /// Adds to the counts of synaptic events and spikes.
  void count(std::uint64_t events, std::uint64_t spikes) { events_ += events, n_spikes_ += spikes; }

  Groups& groups() { return groups_; }
  Pathways& pathways() { return pathways_; }
  const Pathways& pathways() const { return pathways_; }
  std::vector<std::unique_ptr<record::SpikeTrack>>& spike_tracks() { return components_.get<SpikeTracks>().all(); }
  Step longest_part() const { return components_.get<SpikeTracks>().longest_part(); }
  std::vector<std::unique_ptr<record::StateTrack>>& state_tracks() { return components_.get<StateTracks>().all(); }
  /// What counts for recorders of a kind of Components::binned_kinds().
  Binned& binned(std::string_view kind) { return *components_.binned(kind); }
  std::uint64_t events() const { return events_; }
  std::uint64_t spikes() const { return n_spikes_; }

  using Bytes = SliceBytes;
  Bytes bytes() const;

 private:
  pathways::Surroundings surroundings(const tables::TableSpec& spec);
  bool takes_steps_one_by_one() const;
  void hold(std::size_t receptors);
  SliceInput::Room room() const;
  void collect_input(Step from, Step until, RunClock& clock);
  void deliver(Step step, std::size_t row);
  void check_sums(const nodes::Group& g, std::size_t begin, std::size_t n, Step step, std::size_t row);
  void note_growth(const pathways::Pathway& pathway, Step step);
  nodes::GroupInput input_of(const nodes::Group& g, Step from, std::size_t row);
  void update(Step from, Step until, std::size_t row, SourcedSpikes& out, RunClock& clock);
  void iterate(std::size_t group, Step from, Step until);
  void update_in_pieces(std::size_t group, const nodes::GroupInput& in, RunClock& clock);
  void sample(Step stamp, RunClock& clock);
  std::size_t check_emitted(const Emitted& out) const;
  void sort_by_source(SourcedSpikes& out);

  SliceId id_;
  std::uint64_t seed_;
  bool sources_on_grid_;
  Residents nodes_;
  Groups groups_;
  Pathways pathways_;  ///< one per spec
  pathways::SourceRows source_rows_;
  std::set<const tables::TableSpec*> edited_;
  SliceInput input_;
  Step rows_ = 1;       ///< steps whose input there is room for
  Step wave_rows_ = 0;  ///< steps of a part that is repeated
  Host host_;
  Components components_;
  StateChecks checks_;
  /// Of a group and an iteration of it: states and input before, spikes.
  struct Iteration {
    std::vector<double> states;
    std::vector<Fixed> sums;
    SourcedSpikes dropped;
  } iteration_;
  std::array<Outbox, 2> outbox_;
  SourcedSpikes spare_;  ///< see SourcedSpikes::sort_by_source()
  std::uint64_t events_ = 0, n_spikes_ = 0;
  double emission_limit_ = 0;
};

}  // namespace npl::sim
