// SPDX-License-Identifier: Apache-2.0
/// A pathway: a synapse table with its event queue, which delivers the spikes of the sources to the synapses. One file per kind of pathway;
/// virtual calls only per table and step.
/// Delivery is deferred: a spike puts its row into the calendar, and each run of equal delay is processed in the step in which it is due,
/// instead of being scattered into a ring of future input slots at once. So one input slot per neuron suffices and stays in cache, and
/// plasticity is causal for any delay.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/fixed.hpp"
#include "base/members.hpp"
#include "base/precise_event.hpp"
#include "base/row_spike.hpp"
#include "pathways/queueing.hpp"
#include "pathways/weight_log.hpp"
#include "synapses/rule.hpp"
#include "tables/merge.hpp"

namespace npl::pathways {

/// Destination of the synaptic events of one step.
struct Inputs {
  Fixed* sums;                        ///< [nodes] input of the table's receptor
  double to_fixed;                    ///< fixed-point units per unit of weight
  double* largest;                    ///< in/out: raised to the largest plastic |weight| delivered
  std::vector<PreciseEvent>* events;  ///< appended to: events of targets that take off-grid spikes
};

/// A spike on its way to a row, or to one synapse of it.
struct Flight {
  std::uint32_t at = 0;             ///< row, or position of the synapse in the table
  Step sent = 0;                    ///< a synapse with delay d is due in step sent + d [steps]
  synapses::PreValues before = {};  ///< (plastic) presynaptic state before the spike
  double offset = 0.0;              ///< sub-step offset on arrival [ms]
  bool early = false;               ///< (off-grid) it was emitted a step later than `sent`: its delay ends within a step
  double emission = 0.0;            ///< (off-grid) sub-step offset at emission [ms]
  Step due = 0;                     ///< (of one synapse) [steps]

  Step emitted() const { return sent + early; }  ///< step
  Step stamp() const { return emitted() + 1; }
};

/// True for spikes of one source that do the same to synapses of the same state and delay, so that these may share a row.
inline bool same_spike(const Flight& a, const Flight& b) {
  return a.emitted() == b.emitted() && a.before == b.before && a.offset == b.offset && a.emission == b.emission;
}

/// Removal and addition of synapses in one transaction.
struct Edits {
  std::vector<char> out = {};                     ///< [synapses] nonzero: remove; empty: none
  std::unique_ptr<tables::EdgeTable> added = {};  ///< synapses to add, with the same spec; null: none
  std::vector<Flight> requeued = {};              ///< in-flight spikes of rows of `added`, in order of steps
  tables::SourceOrder order = {};
  std::optional<tables::Layout> layout = {};
};

/// New positions of synapses after edits.
struct Moved {
  tables::Places stayed;  ///< of the synapses of the table before
  tables::Places added;   ///< of the added synapses
};

/// The slice of a pathway.
struct Surroundings {
  const Residents& nodes;
  const synapses::PostTrace* post = nullptr;          ///< postsynaptic trace of the rule's tau_minus; null: not used
  const synapses::PostTrace* post_triplet = nullptr;  ///< postsynaptic trace of its second time constant; null: not used
  std::uint64_t seed = 1;
  const synapses::TargetHistories* histories = nullptr;                        ///< of the targets; null: not used
  const synapses::Volume* volume = nullptr;                                    ///< third factor of the rule; null: none
  const synapses::ExactTrace *exact_post = nullptr, *exact_triplet = nullptr;  ///< the same of targets that spike between grid points
  bool sources_on_grid = false;  ///< rules of such targets take spikes of sources at the ends of their steps

  /// The postsynaptic trace and the second one at times of a kind.
  template <class Time>
  std::pair<const synapses::TraceOf<Time>*, const synapses::TraceOf<Time>*> posts() const {
    if constexpr (std::is_same_v<Time, Step>)
      return {post, post_triplet};
    else
      return {exact_post, exact_triplet};
  }
};

/// When states are looked at: spikes with stamps up to `spikes` have arrived, however long the delays, and time has gone on to `time`
/// [steps]; earlier steps than `now` have been delivered.
struct StateTime {
  Step now, spikes, time;
};

/// Used by one thread, the one of its slice. No member is collective.
class Pathway {
 public:
  Pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) : slice_(slice), table_(std::move(table)) {}
  virtual ~Pathway() = default;
  /// Of no other pathway of this process: an edit makes a new one. Its rows stay where they are.
  std::uint64_t id() const { return id_; }
  const tables::EdgeTable& table() const { return *table_; }
  tables::EdgeTable& table() { return *table_; }

  /// False when nothing is due in this step: the table can be skipped, as most of thousands are. To be asked just before deliver().
  bool due(Step step) {
    if (step > busy_until_) return false;
    const bool may_be = due_ & bit_of(step);
    due_ &= ~bit_of(step) | always_;
    return may_be;
  }
  /// Queues spikes for the rows of their sources. The first run of a row is due in step + delay, which must not have been delivered yet.
  virtual void schedule(const Emitted& emitted) = 0;
  /// Queues spikes addressed by row. @param offsets [spikes] sub-step offsets [ms]; empty: all on the grid
  virtual void schedule(std::span<const RowSpike> spikes, std::span<const double> offsets) = 0;
  /// Delivers everything that is due in a step; returns the number of synaptic events. Call once per step, in order.
  virtual std::uint64_t deliver(Step step, const Inputs& inputs) = 0;

  /// Stamp before which no row needs postsynaptic spikes of this trace any more, given that future spikes have stamps > `now` [steps].
  /// @param trace null: what they need of the histories of their targets
  virtual Step oldest_needed(const synapses::PostTrace* trace, Step now) const = 0;
  virtual Step oldest_needed(const synapses::ExactTrace*, Step) const { return INT32_MAX; }
  /// Time up to which no row needs the spikes of its transmitter any more, given that future spikes have stamps > `now` [steps].
  virtual Step oldest_heard(Step now) const { return now; }
  /// Lets synapses whose source has not spiked lately, nor has a spike on its way to them, learn from the steps up to `now`, of
  /// which targets will not keep the record.
  virtual void catch_up(Step now) { static_cast<void>(now); }
  /// Lets one synapse learn from the steps up to `now` before its delay changes, or its rule (`settles`).
  virtual void learn(std::uint32_t synapse, Step now, bool settles) {
    static_cast<void>(synapse), static_cast<void>(now), static_cast<void>(settles);
  }
  /// In-flight spikes of the synapses marked in `of` [synapses], in order of time. @param now earlier steps have been delivered
  virtual std::vector<Flight> in_flight(const std::vector<char>& of, Step now) const = 0;
  /// (plastic) Processes an in-flight spike of one synapse at once, before it is due; everything that the update depends on must be known.
  virtual void bring(const Flight& spike, const Inputs& inputs) = 0;
  /// Queues an in-flight spike of another row for this row, whose presynaptic state already includes the spike.
  virtual void requeue(Flight spike, Step now) = 0;
  /// All rows with a spike on its way, those of one row in order of time. @param now earlier steps have been delivered
  virtual std::vector<Flight> queued(Step now) const = 0;
  /// Queues a spike of a checkpoint for the synapses of a row that are due from `now` on. Presynaptic state stays.
  virtual void restore(const Flight& spike, Step now) = 0;
  /// Seed of the random numbers of its synapses.
  std::uint64_t seed() const { return slice_.seed; }
  /// The pathway that is to take the place of this one, which stays as it is, when synapses are removed and added. In-flight spikes stay
  /// queued for the synapses that remain. @param now earlier steps have been delivered @param places set: new positions
  virtual std::unique_ptr<Pathway> edited(Edits edits, Step now, Moved& places) const = 0;
  /// Gives one synapse another delay in place; returns its new position (see EdgeTable::move_to_delay). None: nothing was done, as more
  /// than its row would have to change. @param now earlier steps have been delivered
  virtual std::optional<std::uint32_t> set_delay(std::uint32_t synapse, Delay delay, Step now) = 0;
  /// True when delays of single synapses have been set again and again: they will be where each synapse has its own.
  bool wants_delays() const { return declined_ >= few_declined; }
  /// The same with all synapses and in-flight spikes of another pathway of the same spec. @param how order and layout
  virtual std::unique_ptr<Pathway> united(const Pathway& other, const Edits& how, Step now) const = 0;
  /// Call after weights in the table were set: spikes in flight will transmit the new ones.
  virtual void refresh() {}
  /// State variables of synapses by name; nan: the rule has none of this name. A rule with a third factor tells them at a time.
  /// @param synapses positions in the table @param out [synapses]
  virtual void states(std::string_view name, std::span<const std::uint32_t> synapses, StateTime, double* out) const {
    for (std::size_t k = 0; k < synapses.size(); ++k) out[k] = table_->state(name, synapses[k]);
  }
  /// Recorded weights; null: not recorded.
  virtual WeightLog* log() { return nullptr; }
  const WeightLog* log() const { return const_cast<Pathway*>(this)->log(); }
  /// Bytes of the calendar.
  virtual std::size_t bytes() const = 0;

 protected:
  /// An empty pathway of this kind.
  virtual std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const = 0;
  /// A row whose source spiked in this step has been queued.
  void busy(Step emitted) {
    busy_until_ = std::max(busy_until_, emitted + longest_);
    due_ |= one_delay_ ? bit_of(emitted + longest_) : ~std::uint64_t{0};
  }
  /// The table has been replaced: something may be due in any step. @param by_step each delivery is of what is due in its step alone
  void mark_all(bool by_step) {
    due_ = ~std::uint64_t{0};
    one_delay_ = table_->layout == tables::Layout::single && by_step && longest_ == table_->longest_delay() && longest_ < most_marked;
    always_ = one_delay_ ? 0 : due_;
  }

  Surroundings slice_;
  std::unique_ptr<tables::EdgeTable> table_;
  Delay longest_ = table_->longest_delay();  ///< [steps]
  Step busy_until_ = -1;
  int declined_ = 0;  ///< calls of set_delay() that found no delay per synapse

 private:
  static constexpr int few_declined = 4;
  static constexpr Delay most_marked = 62;
  static std::uint64_t bit_of(Step step) { return std::uint64_t{1} << (static_cast<std::uint64_t>(step) % 64); }
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  const std::uint64_t id_ = next_id();
  bool one_delay_ = false;  ///< of all synapses, below 62 steps: then the steps are known in which something is due
  std::uint64_t due_ = ~std::uint64_t{0}, always_ = due_;  ///< bit s % 64: something may be due in step s; these are never cleared
};

/// Puts the pathway after edits in the place of the one before. If there is no memory for it, nothing has changed.
template <class Pointer>
Moved apply(Pointer& pathway, Edits edits, Step now) {
  Moved places;
  pathway = pathway->edited(std::move(edits), now, places);
  return places;
}

/// Makes the pathway of a table according to its spec: static, plastic, of a rule of single synapses, or off-grid; records weights if the
/// spec has a recorder.
std::unique_ptr<Pathway> make_pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
/// Bytes of a calendar entry, for the memory model.
std::size_t entry_bytes(const tables::TableSpec& spec);

/// Factories, one per file of this folder.
/// @param fixed how spikes are queued; none: the fastest way for the table, chosen anew after edits
std::unique_ptr<Pathway> make_static(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice,
                                     std::optional<Queueing> fixed = {});
std::unique_ptr<Pathway> make_plastic(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_rule_pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_continuous(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);
std::unique_ptr<Pathway> make_off_grid(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice);

}  // namespace npl::pathways
