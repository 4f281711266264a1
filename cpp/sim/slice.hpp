// SPDX-License-Identifier: Apache-2.0
/// The unit of ownership: nodes as a distribution dealt them, their synapses, devices' parts and recordings. One thread updates a slice;
/// slices meet only when spikes are exchanged. Results do not depend on how many there are (law 1).
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/timers.hpp"
#include "devices/device.hpp"
#include "nodes/group.hpp"
#include "pathways/pathway.hpp"
#include "record/spike_recorder.hpp"
#include "record/state_recorder.hpp"
#include "sim/sourced_spikes.hpp"

namespace npl::sim {

enum class RunPhase { deliver, devices, update, record, schedule, wait, collocate, exchange, count_ };

/// Fixed-point scale per receptor, equal on all slices.
using Scales = std::array<FixedScale, max_receptors>;
using Largest = std::array<double, max_receptors>;

/// A device's part and where it adds.
struct AttachedPart {
  std::unique_ptr<devices::Part> part;
  int receptor;
  bool current;
  std::uint64_t link;         ///< number of the link
  Step lag;                   ///< from sending to acting
  Step until = INT64_MAX;     ///< acts in steps before
};

/// Input on its way from a removed synapse.
struct Late {
  Step due;
  Local target;
  int receptor;
  bool counts;  ///< the target counts spikes
  double value;
  bool off_grid;  ///< the target takes spikes between grid points
  double offset;  ///< before the end of the step then [ms]
};

/// What one interval of one slice leaves for the others; two of them, used in turn, so that one barrier per interval is enough.
struct Outbox : SourcedSpikes {
  Largest largest{};  ///< largest plastic |weight| met so far
};

/// A neuron whose state is not finite or left all sane values.
struct Diverged {
  Step stamp;         ///< end of the step after which it was seen; states are looked at after fixed steps, the same for any layout
  Gid gid;
  std::string model, state;
  double value;       ///< of the state variable, in its unit
  /// The first in time, then the lowest gid.
  bool before(const Diverged& other) const { return stamp != other.stamp ? stamp < other.stamp : gid < other.gid; }
};

class Slice {
 public:
  Slice(SliceId id, double dt_ms, std::uint64_t seed);

  SliceId id() const { return id_; }
  const Residents& nodes() const { return nodes_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  // --- building
  /// Adds this slice's members of a population; model null: devices.
  void add_population(Gid first, Members members, const nodes::ModelInfo* model);
  void drop_last_population(bool neurons);
  /// Number of the pathway for this spec; pathways().size(): there is none.
  std::size_t pathway_of(const tables::TableSpec& spec) const;
  /// Removes and adds synapses of a pathway; pathways().size(): of a new one, for the synapses that are added. @param now steps before it are done
  pathways::Moved edit(std::size_t pathway, pathways::Edits edits, Step now);
  /// Before synapses are removed: spikes of steps before `sent` that are on their way to them become late input, and change their weights now.
  /// @param out, sent [synapses of the pathway's table] @param now steps before it are done
  /// @return the spikes sent since, which nobody will receive
  std::vector<pathways::InFlight> settle(std::size_t pathway, const std::vector<char>& out, std::span<const Step> sent, Step now);
  /// Pathways whose specs have become one (weights set one by one) become one. @param how order and layout
  void unite_pathways(const pathways::Edits& how, Step now);
  /// Pathways without synapses go, but for those with recorded weights.
  void drop_empty_pathways();
  /// It takes up where parts of the same link left that send no more.
  void add_part(AttachedPart part);
  /// The parts of a link send nothing from step `now` on.
  void end_parts(std::uint64_t link, Step now);
  void add_emitter(const devices::Device* device) { emitters_.push_back(device); }
  /// @param largest |weight| per receptor, for the scales; @param most plastic weights that outgrow these end the run
  void prepare(const Largest& largest, const Largest& most);

  // --- running
  /// Steps [from, until): deliver, devices, update, record. Spikes go to outbox(parity).
  /// @param settled all spikes emitted before this step were scheduled
  void advance(Step from, Step until, int parity, Step settled, PhaseTimer<RunPhase>& timer);
  /// Queues spikes of any slices at the rows of their sources here.
  void schedule(const Emitted& emitted);
  /// Looks for a neuron whose state is not finite or not sane. `advance` does so after every ms, counted from time 0 (after every step where
  /// steps are longer), so that the same neuron is found for any layout. @param stamp end of the last step
  void check_states(Step stamp);
  /// The first one found; it stays until the network is gone.
  const std::optional<Diverged>& diverged() const { return diverged_; }
  /// advance throws TooLarge when the spikes of one part, as they double, need more than these bytes, or than the machine has left; 0: the
  /// machine alone counts.
  void set_emission_limit(double bytes) { emission_limit_ = bytes; }
  const Largest& largest() const { return largest_; }
  /// Adopts a coarser scale if some weight outgrew the present one.
  void rescale(const Largest& largest);
  Outbox& outbox(int parity) { return outbox_[static_cast<std::size_t>(parity)]; }

  std::vector<std::unique_ptr<nodes::Group>>& groups() { return groups_; }
  using Pathways = std::vector<std::unique_ptr<pathways::Pathway>>;
  Pathways& pathways() { return pathways_; }
  const Pathways& pathways() const { return pathways_; }
  std::vector<std::unique_ptr<record::SpikeTrack>>& spike_tracks() { return spike_tracks_; }
  std::vector<std::unique_ptr<record::StateTrack>>& state_tracks() { return state_tracks_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t spikes() const { return n_spikes_; }

  struct Bytes {
    std::size_t neurons = 0, synapses = 0, index = 0, traces = 0, in_flight = 0, devices = 0, recordings = 0, input = 0;
    double total() const {
      return static_cast<double>(neurons + synapses + index + traces + in_flight + devices + recordings + input);
    }
  };
  Bytes bytes() const;

 private:
  synapses::PostTrace* trace(double tau_minus);
  pathways::Surroundings surroundings(const tables::TableSpec& spec);
  void deliver(Step step);
  void deliver_late(Step step);
  void refuse_growth(const pathways::Pathway& pathway, Step step) const;
  void apply_devices(Step step);
  void update(Step step, SourcedSpikes& out);
  void emit(Step from, Step until, SourcedSpikes& out) const;
  void note_post_spikes(const SourcedSpikes& out, std::size_t from);
  void forget_old_traces(Step settled);
  std::size_t check_emitted(const Emitted& out) const;

  SliceId id_;
  Residents nodes_;
  double dt_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<nodes::Group>> groups_;
  Pathways pathways_;  ///< one per spec
  std::vector<Late> late_;  ///< latest first
  std::vector<std::unique_ptr<synapses::PostTrace>> traces_;
  std::vector<AttachedPart> parts_;
  std::vector<const devices::Device*> emitters_;
  std::vector<std::unique_ptr<record::SpikeTrack>> spike_tracks_;
  std::vector<std::unique_ptr<record::StateTrack>> state_tracks_;
  std::array<Buffer<Fixed>, max_receptors> sums_;
  std::vector<PreciseEvent> precise_events_;  ///< of this step, canonical when groups see them
  Buffer<double> current_;
  bool has_current_ = false;
  Scales scales_;
  Largest scaled_for_{};  ///< the weights that scales_ were made for
  Largest most_{};        ///< plastic weights must not outgrow these
  Largest largest_{};     ///< largest plastic |weight| met
  std::array<Outbox, 2> outbox_;
  std::uint64_t events_ = 0, n_spikes_ = 0;
  Step steps_per_check_;  ///< of states
  std::optional<Diverged> diverged_;
  double emission_limit_ = 0;
  std::size_t forget_at_ = std::size_t{1} << 20;  ///< older postsynaptic spikes kept before looking which can go
};

}  // namespace npl::sim
