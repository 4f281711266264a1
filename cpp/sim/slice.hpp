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
#include "deliver/agenda.hpp"
#include "devices/device.hpp"
#include "nodes/group.hpp"
#include "record/spike_recorder.hpp"
#include "record/state_recorder.hpp"

namespace npl::sim {

enum class RunPhase { deliver, devices, update, record, schedule, wait, collocate, exchange, count_ };

/// Fixed-point scale per receptor, equal on all slices.
using Scales = std::array<FixedScale, max_receptors>;
using Largest = std::array<double, max_receptors>;

/// A table with its calendar and the post-synaptic trace it reads.
struct Deliverer {
  std::unique_ptr<deliver::EdgeTable> table;
  deliver::Agenda agenda;
  synapses::PostTrace* post = nullptr;
  Delay longest = 1;      ///< delay of the table
  Step busy_until = -1;   ///< nothing is due in later steps: with thousands of tables most of them rest

  void busy(Step sent) { busy_until = std::max(busy_until, sent + longest); }
};

/// A device's part and where it adds.
struct AttachedPart {
  std::unique_ptr<devices::Part> part;
  int receptor;
  bool current;
  std::uint64_t link;         ///< number of the link
  Step lag;                   ///< from sending to acting
  Step until = INT64_MAX;     ///< acts in steps before
};

/// Input that is on its way from a synapse which is no longer there.
struct Late {
  Step due;
  Local target;
  int receptor;
  bool counts;  ///< the target counts spikes
  double value;
  bool precise;   ///< the target takes spikes between grid points
  double offset;  ///< before the end of the step then [ms]
};

/// What one interval of one slice leaves for the others; two of them, used in turn, so that one barrier per interval is enough.
struct Outbox : Emitted {
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
  void add_table(std::unique_ptr<deliver::EdgeTable> table);
  /// Before synapses leave a table: what was sent to them before the step `sent` still arrives, and changes their weights now.
  /// @param out [synapses of the table] @param now steps before it are done
  /// @return what was sent since
  std::vector<deliver::Owed> settle(std::size_t table, const std::vector<char>& out, Step sent, Step now);
  /// Takes synapses out of a table.
  void erase(std::size_t table, const std::vector<char>& out, Step now);
  void drop_empty_tables();  ///< but for those with recorded weights
  /// It takes up where parts of the same link left that send no more.
  void add_part(AttachedPart part);
  /// The parts of a link send nothing from step `now` on.
  void end_parts(std::uint64_t link, Step now);
  void add_emitter(const devices::Device* device) { emitters_.push_back(device); }
  /// @param largest |weight| per receptor, for the scales
  void prepare(const Largest& largest);

  // --- running
  /// Steps [from, until): deliver, devices, update, record. Spikes go to outbox(parity).
  /// @param settled all spikes emitted before this step were scheduled
  void advance(Step from, Step until, int parity, Step settled, PhaseTimer<RunPhase>& timer);
  /// Spikes of all slices for the tables of this one.
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
  std::vector<Deliverer>& deliverers() { return deliverers_; }
  const std::vector<Deliverer>& deliverers() const { return deliverers_; }
  std::vector<std::unique_ptr<record::SpikeTrack>>& spike_tracks() { return spike_tracks_; }
  std::vector<std::unique_ptr<record::StateTrack>>& state_tracks() { return state_tracks_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t spikes() const { return n_spikes_; }

  struct Bytes {
    std::size_t neurons = 0, synapses = 0, index = 0, traces = 0, in_flight = 0, devices = 0, recordings = 0, input = 0;
  };
  Bytes bytes() const;

 private:
  synapses::PostTrace* trace(double tau_minus);
  std::unique_ptr<deliver::OneByOne> one_by_one(deliver::EdgeTable& table);
  void deliver(Step step);
  void deliver_by_time(Deliverer& d, Step step);
  void deliver_late(Step step);
  void apply_devices(Step step);
  void update(Step step, Emitted& out);
  void emit(Step from, Step until, Emitted& out) const;
  void note_post_spikes(const std::vector<Spike>& spikes, std::size_t from);
  void forget_old_traces(Step settled);
  std::size_t check_emitted(const Emitted& out) const;

  SliceId id_;
  Residents nodes_;
  double dt_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<nodes::Group>> groups_;
  std::vector<Deliverer> deliverers_;
  std::vector<Late> late_;  ///< what is due first comes last
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
  Largest largest_{};     ///< largest plastic |weight| met
  std::array<Outbox, 2> outbox_;
  std::uint64_t events_ = 0, n_spikes_ = 0;
  Step steps_per_check_;  ///< of states
  std::optional<Diverged> diverged_;
  double emission_limit_ = 0;
  std::size_t forget_at_ = std::size_t{1} << 20;  ///< older postsynaptic spikes kept before looking which can go
};

}  // namespace npl::sim
