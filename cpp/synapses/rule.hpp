// SPDX-License-Identifier: Apache-2.0
/// Rules with state per synapse or random numbers, at one kind of times: steps, or moments between grid points. Their synapses are updated
/// one by one. A random number is a function of (seed; table, source, target, delay, number among equal synapses; stamp, repeat, index), so
/// it does not depend on threads or ranks (law 1).
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <type_traits>

#include "base/members.hpp"
#include "rng/philox.hpp"
#include "synapses/exact_trace.hpp"
#include "synapses/model.hpp"
#include "synapses/post_trace.hpp"
#include "synapses/stored_weights.hpp"
#include "synapses/target_history.hpp"

namespace npl::synapses {

/// Presynaptic state at a spike, shared by all synapses of the source row.
struct PreValues {
  static constexpr std::size_t most = 2;
  Step last = 0;                     ///< stamp of the previous spike [steps]; 0 or less: none (tables::EdgeTable::begin)
  std::array<double, most> value{};  ///< defined by the rule
  std::uint32_t repeat = 0;          ///< index of this spike among spikes of the source with the same stamp
  double offset = 0.0;               ///< of the previous spike: before the end of its step [ms]; 0 where times are steps
  friend bool operator==(const PreValues&, const PreValues&) = default;
};

/// Postsynaptic traces at times of a kind.
template <class Time>
using TraceOf = std::conditional_t<std::is_same_v<Time, Step>, PostTrace, ExactTrace>;

/// Input of a rule: one synapse at one spike of its source. @tparam Time Step or Moment
template <class Time>
struct EventAt {
  Gid source = 0, target = 0;  ///< of rules that draw random numbers
  Local local = 0;             ///< index of the target in the slice
  Time stamp = {};             ///< of the presynaptic spike
  Step delay = 0;              ///< of the dendrite, less that of the axon [steps]
  std::uint16_t nth = 0;       ///< index among the synapses of the table with the same source, target and delay
  const PreValues* before = nullptr;
  const TraceOf<Time>*post = nullptr, *post_triplet = nullptr;
  rng::Key key = {};                           ///< of the table
  const TargetHistories* histories = nullptr;  ///< of rules that read one
  const Volume* volume = nullptr;              ///< third factor; null: the rule hears none

  /// Random key of this synapse, for uniform().
  rng::Key own_key() const {
    const rng::Words w = rng::draw(key, static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target));
    return {w[0], w[1]};
  }
  /// Random number `index` of this synapse and spike, in (0, 1).
  double uniform(const rng::Key& own, std::uint32_t index) const {
    const std::uint64_t which = (std::uint64_t{nth} << 48) | (std::uint64_t{static_cast<Delay>(delay)} << 32) | index;
    static_assert(sizeof nth == 2 && sizeof(Delay) == 2 && sizeof index == 4 &&
                  sizeof before->repeat == 4);  // no bit is used twice; stamps are kept as int32
    const std::uint64_t when = (std::uint64_t{before->repeat} << 32) | static_cast<std::uint32_t>(stamp_of(stamp));
    const rng::Words w = rng::draw(own, when, which);
    return rng::uniform52(w[0], w[1]);
  }
  /// Last spike of the source before this one; see happened().
  Time last() const { return time_of<Time>(std::max<Step>(before->last, 0), before->offset); }
  /// Last postsynaptic spike before `until`; see happened().
  Time last_post(const Time& until) const {
    const auto& h = post->history(local);
    const std::size_t i = h.first_from(until);
    return i > 0 ? Time{h.at(i - 1)} : Time{};
  }
  /// Calls f(time) for the postsynaptic spikes in (after, until], in order; not for those that came before the synapse was made.
  template <class F>
  void for_post_spikes(const Time& after, const Time& until, F&& f) const {
    const auto& h = post->history(local);
    const Time from = before->last < 0 ? std::max(after, Time{-before->last - delay}) : after;
    for (std::size_t i = h.first_after(from); i < h.size() && h.at(i) <= until; ++i) f(Time{h.at(i)});
  }
};

/// A spike of the source of a row.
template <class Time>
struct FiredAt {
  std::uint32_t row;
  Time at;
  PreValues before = {};  ///< out: presynaptic state that its synapses need
};
/// Presynaptic state of all rows of a table.
struct RowStates {
  std::int32_t* last;  ///< [rows] stamp of the last spike, or 0 or less (tables::EdgeTable::begin)
  double* values;      ///< [rows x Plasticity::row_values]
};

/// Synapses of one row with one delay, which a spike of their source has reached.
template <class Time>
struct PartAt {
  std::uint32_t first, n;  ///< synapses first .. first + n - 1 of the table
  std::uint32_t row;
  Step delay;  ///< of the dendrite, less that of the axon [steps]
  Time stamp;  ///< of the presynaptic spike
  PreValues before;
  StoredWeights weight;  ///< [n]
};

/// Synapses of a table that are updated in one call, part by part.
template <class Time>
struct RunAt {
  std::span<const PartAt<Time>> parts = {};
  double* sent = nullptr;     ///< [of all parts] out: transmitted weight; nan: no transmission
  double* largest = nullptr;  ///< in/out: raised to the largest |weight| of the run, so that the fixed-point scale can follow
  const TraceOf<Time>*post = nullptr, *post_triplet = nullptr;
  const PostArrivals* arrived = nullptr;       ///< at stamp - delay; null: unknown
  const TargetHistories* histories = nullptr;  ///< null: the rule reads none
  const Volume* volume = nullptr;
  rng::Key key = {};

  const Residents* nodes = nullptr;
  const std::uint16_t* target = nullptr;  ///< columns of the table
  double* values = nullptr;               ///< state of synapses, in/out
  const double* varied = nullptr;         ///< parameters that differ from synapse to synapse; null: none
  const std::uint16_t* nth = nullptr;     ///< see EventAt; null: the rule draws no random numbers
  const Gid* source = nullptr;            ///< of rows
  const std::int32_t* row_last = nullptr;
  const double* row_values = nullptr;  ///< present state of rows, which later spikes may have changed

  bool settles = false;  ///< all that has ended by now is taken up in the weights: the rule is about to change
  bool brought = false;  ///< the spikes have not arrived yet: nothing is known of later steps
};

/// Interface of these rules, beside Plasticity.
template <class Time>
class RuleOver : public Plasticity {
 public:
  Takes takes() const final { return std::is_same_v<Time, Step> ? Takes::steps : Takes::moments; }
  /// Updates the states of rows at spikes of their sources and sets the states that their synapses need. Called at emission, in order of
  /// time.
  virtual void spike(std::span<FiredAt<Time>> fired, const RowStates& rows) const = 0;
  /// Updates the synapses of a run.
  virtual void process(const RunAt<Time>& run) const = 0;
  /// True: the rule makes use of RunAt::arrived.
  virtual bool asks_arrivals() const { return false; }
  /// (rules with a third factor) Brings one synapse up to date. @param spikes its source spikes at event.stamp; else it is only a time, and
  /// event.before is of the last spike before @param values [synapse_values] in/out
  virtual void advance(const EventAt<Time>& event, bool spikes, double& weight, double* values) const {
    static_cast<void>(event), static_cast<void>(spikes), static_cast<void>(weight), static_cast<void>(values);
  }
  /// (rules that catch up) Brings the synapses of a run up to time stamp + delay without a spike; `before` is of the last one.
  virtual void catch_up(const RunAt<Time>& run) const { static_cast<void>(run); }
  /// (rules that catch up) Whether synapses whose last spike arrives at `arrived` may be brought up to time `now` when their rule changes.
  virtual bool settles(Step arrived, Step now, Step delay) const {
    return static_cast<void>(arrived), static_cast<void>(now), static_cast<void>(delay), false;
  }

 protected:
  /// spike() of a rule that has `PreValues source_spike(const Time& at, std::int32_t& last, double* values) const`.
  template <class Rule>
  static void spike_each(const Rule& rule, std::span<FiredAt<Time>> fired, const RowStates& rows) {
    const auto width = static_cast<std::size_t>(rule.row_values());
    for (FiredAt<Time>& f : fired) f.before = rule.source_spike(f.at, rows.last[f.row], rows.values + f.row * width);
  }
};

/// Returned by Rule::send for a spike that is not transmitted.
inline constexpr double nothing_sent = std::numeric_limits<double>::quiet_NaN();

}  // namespace npl::synapses
