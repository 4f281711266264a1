// SPDX-License-Identifier: Apache-2.0
/// How the spikes of a table's sources reach its synapses: a table with its event queue. One file per kind of pathway; virtual calls per
/// table and step only.
/// Delivery is deferred: a spike is not scattered at once into a ring of future slots; its row waits in the calendar and the run that is due
/// is processed in its step. One slot per neuron then holds all input, so it stays in cache, and plasticity is causal for any delay.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/fixed.hpp"
#include "base/members.hpp"
#include "base/precise_event.hpp"
#include "base/row_spike.hpp"
#include "pathways/weight_log.hpp"
#include "synapses/single.hpp"
#include "tables/merge.hpp"

namespace npl::pathways {

/// Where the events of one step go.
struct Inputs {
  Fixed* sums;                        ///< [nodes] of the table's receptor
  double to_fixed;                    ///< scale of the sums
  double* largest;                    ///< raised to the largest plastic |weight| met
  std::vector<PreciseEvent>* events;  ///< for targets that take spikes between grid points
};

/// A spike on its way to one synapse.
struct InFlight {
  Step due, stamp;
  std::uint32_t synapse;
  synapses::PreValues before;  ///< (plastic) the source before the spike; (offsets kept) value[0]: offset when it was emitted [ms]
  double offset = 0.0;         ///< (offsets kept) when it is due [ms]
};

/// An in-flight spike that a new row takes over from the synapses that it replaces.
struct Requeued {
  std::uint32_t row;
  Step step;          ///< in which the spike was emitted
  synapses::PreValues before;
};

/// Removal and addition of synapses, in one go.
struct Edits {
  std::vector<char> out = {};                      ///< [synapses] to remove; empty: none
  std::unique_ptr<tables::EdgeTable> added = {};   ///< synapses of the same spec; null: none
  std::vector<Requeued> requeued = {};             ///< in order of steps
  tables::SourceOrder order = {};
  std::optional<tables::Layout> layout = {};
};

/// Where the synapses of a table are after edits.
struct Moved {
  tables::Places stayed;  ///< those that were there before
  tables::Places added;
};

/// What pathways know of their slice.
struct Surroundings {
  const Residents& nodes;
  const synapses::PostTrace* post = nullptr;          ///< of the rule's tau_minus; null: the rule asks for none
  const synapses::PostTrace* post_triplet = nullptr;  ///< of its second time constant
  std::uint64_t seed = 1;
};

class Pathway {
 public:
  Pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) : slice_(slice), table_(std::move(table)) {}
  virtual ~Pathway() = default;
  const tables::EdgeTable& table() const { return *table_; }
  tables::EdgeTable& table() { return *table_; }

  /// Is nothing due in this step and later ones? With thousands of tables most of them rest.
  bool rests(Step step) const { return step > busy_until_; }
  /// Spikes on their way to the rows of their sources. The first run of a row is due in step + delay, which must not have been delivered.
  virtual void schedule(const Emitted& emitted) = 0;
  /// The same by rows. @param offsets of the spikes [ms]; empty: all on the grid
  virtual void schedule(std::span<const RowSpike> spikes, std::span<const double> offsets) = 0;
  /// Processes everything that is due in a step; returns the number of synaptic events. Once per step, in order.
  virtual std::uint64_t deliver(Step step, const Inputs& inputs) = 0;

  /// Stamp before which no row will ask this trace for postsynaptic spikes. Spikes to come have later stamps than `now`.
  virtual Step oldest_needed(const synapses::PostTrace* trace, Step now) const = 0;
  /// What is on its way to the synapses marked in `of` [synapses], by time. @param now steps before it are done
  virtual std::vector<InFlight> in_flight(const std::vector<char>& of, Step now) const = 0;
  /// (plastic) Processes one spike for one synapse, before its time: all that its change depends on has happened.
  virtual void bring(const InFlight& spike, const Inputs& inputs) = 0;
  /// Queues a spike that the synapses of a row took over; the row itself has moved on already.
  virtual void requeue(const Requeued& spike) = 0;
  /// Changes the table. In-flight spikes go on to the synapses that stay. @param now steps before it are done
  virtual Moved apply(Edits edits, Step now) = 0;
  /// Takes over the synapses of another pathway of the same spec, which is not used any more. @param how order and layout
  virtual void absorb(Pathway& other, const Edits& how, Step now) = 0;
  /// What was noted of sent weights; null: nobody records them.
  virtual WeightLog* log() { return nullptr; }
  const WeightLog* log() const { return const_cast<Pathway*>(this)->log(); }
  /// Bytes of the calendar.
  virtual std::size_t bytes() const = 0;

 protected:
  void busy(Step emitted) { busy_until_ = std::max(busy_until_, emitted + longest_); }

  Surroundings slice_;
  std::unique_ptr<tables::EdgeTable> table_;
  Delay longest_ = table_->longest_delay();  ///< [steps]
  Step busy_until_ = -1;
};

/// The pathway for a table, by its spec: static, plastic, stateful or off-grid; weights are recorded where the spec names a recorder.
std::unique_ptr<Pathway> make_pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
/// Bytes of a row in flight, for predictions.
std::size_t entry_bytes(const tables::TableSpec& spec);

/// One per file of this folder.
std::unique_ptr<Pathway> make_static(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_plastic(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_stateful(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_off_grid(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);

}  // namespace npl::pathways
