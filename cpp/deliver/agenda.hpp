// SPDX-License-Identifier: Apache-2.0
/// Deferred delivery: a spike is not scattered at once into a ring of future slots; its row waits in a calendar and the run that is due
/// is processed in its step. One slot per neuron then holds all input, so it stays in cache, and plasticity is causal for any delay.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/fixed.hpp"
#include "base/precise_event.hpp"
#include "deliver/one_by_one.hpp"
#include "deliver/runs.hpp"

namespace npl::deliver {

/// What a plastic row carries besides: the presynaptic side at its spike.
struct PendingPlastic {
  Pending at;
  Step stamp;
  synapses::PreTrace before;
};

/// What a row of a table carries where the time inside a step matters.
struct PendingPrecise {
  Pending at;
  double offset;  ///< of the spike [ms]
};

/// The calendar of one table.
class Agenda {
 public:
  Agenda() = default;
  /// @param longest_delay of the table [steps]
  Agenda(const EdgeTable& table, Delay longest_delay);

  /// Before the first spike, for a table whose synapses are processed one by one.
  void take(std::unique_ptr<OneByOne> single) { single_ = std::move(single); }
  OneByOne* single() const { return single_.get(); }

  /// The source of `row` spiked in `step`; its first run is due in step + delay, which must not have been delivered yet.
  void schedule(EdgeTable& table, std::uint32_t row, Step step);
  /// Adds everything due in `step` to sums[target]; returns the number of synaptic events.
  /// @param post of the table's tau_minus, null when static; @param largest raised to the largest plastic |weight| met
  std::uint64_t deliver(EdgeTable& table, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest);

  /// The same for a table by time; the spike came `offset` ms before the end of its step.
  void schedule_precise(const EdgeTable& table, std::uint32_t row, Step step, double offset);
  /// Appends everything due in `step`; returns the number of synaptic events.
  std::uint64_t deliver_precise(const EdgeTable& table, Step step, std::vector<PreciseEvent>& events);

  /// Stamp before which no row of the (plastic) table, in flight or at rest, will ask for postsynaptic spikes; the spikes that were
  /// scheduled have stamps <= now, those to come later ones.
  Step oldest_needed(const EdgeTable& table, Step now) const;
  /// A spike of the row's source in `step` that its synapses have not heard of, though the row has: it goes on as it would have in another table.
  /// @param before (plastic) the presynaptic side at the spike; (by time) value[0] is its offset [ms]
  void resume(const EdgeTable& table, std::uint32_t row, Step step, const synapses::PreValues& before);
  /// Everything on its way to the synapses that are `out` [synapses], by time; steps before `now` were delivered.
  std::vector<Owed> owed(const EdgeTable& table, const std::vector<char>& out, Step now) const;
  /// Rows in flight go on in what is left of the table.
  void move(const EdgeTable& table, const Remainder& left, Step now);
  std::size_t bytes() const;

 private:
  template <class Entry>
  using Slots = std::vector<std::vector<Entry>>;

  template <class Entry>
  void put(Slots<Entry>& slots, Step due, const Entry& entry) { slots[static_cast<std::size_t>(due) & mask_].push_back(entry); }
  template <Layout L, class Deliver>
  std::uint64_t deliver_static(EdgeTable& table, Step step, Deliver&& deliver);
  std::uint64_t deliver_plastic(EdgeTable& table, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest);

  std::size_t mask_ = 0;
  Slots<Pending> slots_;
  Slots<PendingPrecise> precise_;
  Slots<PendingPlastic> plastic_;
  std::unique_ptr<OneByOne> single_;
};

}  // namespace npl::deliver
