// SPDX-License-Identifier: Apache-2.0
/// Plasticity rules with state per synapse or random numbers. Their synapses are updated one by one. A random number is a function of
/// (seed; table, source, target, delay, number among equal synapses; stamp, repeat, index), so it does not depend on threads or ranks (law
/// 1).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/simd.hpp"
#include "rng/philox.hpp"
#include "synapses/exact_trace.hpp"
#include "synapses/model.hpp"
#include "synapses/volume.hpp"

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

/// Input of a rule: one synapse at one spike of its source. @tparam Time of spikes: Step, or Moment for times between grid points
template <class Time, class Trace>
struct EventAt {
  Gid source, target;  ///< of rules that draw random numbers
  Local local;         ///< index of the target in the slice
  Time stamp;          ///< of the presynaptic spike
  Step delay;          ///< of the dendrite, less that of the axon [steps]
  std::uint16_t nth;   ///< index among the synapses of the table with the same source, target and delay
  const PreValues* before;
  const Trace *post, *post_triplet;
  rng::Key key;                      ///< of the table
  const TargetHistories* histories;  ///< of rules that read one
  const Volume* volume = nullptr;    ///< third factor; null: the rule hears none

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
    const std::uint64_t when = (std::uint64_t{before->repeat} << 32) | static_cast<std::uint32_t>(step_of(stamp));
    const rng::Words w = rng::draw(own, when, which);
    return rng::uniform52(w[0], w[1]);
  }
  /// Last spike of the source before this one; see happened().
  Time last() const {
    if constexpr (std::is_same_v<Time, Step>)
      return std::max<Step>(before->last, 0);
    else
      return {std::max<Step>(before->last, 0), before->offset};
  }
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

 private:
  static Step step_of(Step stamp) { return stamp; }
  static Step step_of(const Moment& m) { return m.stamp; }
};
using SingleEvent = EventAt<Step, PostTrace>;
using ExactEvent = EventAt<Moment, ExactTrace>;

/// Due part of a row of such synapses; see PlasticRun.
struct SingleRun {
  PlasticRun plastic;  ///< targets, weights, sums; its PreTrace is not used
  const PreValues* before;
  const PostTrace* post_triplet;
  Gid source;
  const Gid* gid;            ///< [n] gids of the targets; null: the rule draws no random numbers
  const std::uint16_t* nth;  ///< [n] see SingleEvent; null: the rule draws no random numbers
  double* values;            ///< [n x synapse_values] state, in/out
  const double* varied;      ///< [n x their number] parameters that differ from synapse to synapse; null: none
  double* sent;              ///< [n] out: transmitted weight; nan: no transmission
  rng::Key key;
  const TargetHistories* histories;  ///< null: the rule reads none
  const Volume* volume = nullptr;
  const double* row = nullptr;  ///< [row_values] present state of the source row, which later spikes may have changed
  Step row_last = 0;            ///< stamp of the last of them
  bool settles = false;         ///< all that has ended by now is taken up in the weights: the rule is about to change
  bool brought = false;         ///< the spike has not arrived yet: nothing is known of later steps
};

class ExactPlasticity;

/// Interface of these rules, beside Plasticity.
class SinglePlasticity : public Plasticity {
 public:
  /// Number of state values per synapse; all start at 0.
  virtual int synapse_values() const = 0;
  /// True: the rule draws random numbers.
  virtual bool draws() const { return false; }
  /// True: the rule reads SingleRun::histories.
  virtual bool reads_history() const { return false; }
  /// True: the rule makes use of PlasticRun::arrived.
  virtual bool asks_arrivals() const { return false; }
  /// Time constant of a second postsynaptic trace [ms]; 0: none.
  virtual double tau_minus_triplet() const { return 0.0; }
  /// Third factor of the rule.
  virtual Hearing hears() const { return {}; }
  /// (rules with a third factor) Brings one synapse up to date. @param spikes its source spikes at event.stamp; else it is only a time, and
  /// event.before is of the last spike before @param values [synapse_values] in/out
  virtual void advance(const SingleEvent& event, bool spikes, double& weight, double* values) const {
    static_cast<void>(event), static_cast<void>(spikes), static_cast<void>(weight), static_cast<void>(values);
  }
  /// This rule as an ExactPlasticity when it is one of neurons that spike between grid points (exact.hpp), else null.
  virtual const ExactPlasticity* exact() const { return nullptr; }
  /// True: synapses that have heard nothing for long must learn from what their targets have recorded before it is dropped.
  virtual bool catches_up() const { return false; }
  /// Brings the synapses of a run up to time stamp + delay without a spike; `before` is of the last one.
  virtual void catch_up(const SingleRun& run) const { static_cast<void>(run); }
  /// Plasticity::spike for these rules.
  virtual PreValues source_spike(Step stamp, std::int32_t& last, double* values) const = 0;
  /// Whether synapses whose last spike arrives at `arrived` may be brought up to time `now` when their rule changes.
  virtual bool settles(Step arrived, Step now, Step delay) const {
    return static_cast<void>(arrived), static_cast<void>(now), static_cast<void>(delay), false;
  }
  /// Updates the synapses of a run one by one and adds the transmitted weights to its sums.
  virtual void process_each(const SingleRun& run) const = 0;
  const SinglePlasticity* single() const final { return this; }

 private:
  PreTrace spike(Step, std::int32_t&, double*) const final { return {}; }  // not called: callers use source_spike, see single()
  void process(const PlasticRun&) const final {}
};

/// Default members of a Rule. A rule may have its own `synapse_values` that follows from its parameters, then common ones.
struct SingleDefaults {
  static constexpr int row_values = 0, synapse_values = 0;
  static constexpr std::size_t most_parameters = 16;  ///< where they may differ from synapse to synapse
  static constexpr bool random = false, meets_all = false, reads_history = false;
  double tau_minus = 0.0, tau_minus_triplet = 0.0;  ///< [ms] 0: no such trace
  Hearing hears{};
  static void check(const double*) {}  ///< relations between parameters; throws BadParameter
  static double largest_weight() { return 0.0; }
  static WeightBounds weight_bounds() { return {}; }
  static std::array<double, PreValues::most> source(double, bool, double*) { return {}; }
  static std::optional<double> state(std::string_view, const double*, const double*) { return std::nullopt; }
};

/// Returned by Rule::send for a spike that is not transmitted.
inline constexpr double nothing_sent = std::numeric_limits<double>::quiet_NaN();

/// Updates the synapses of a run and adds what they transmit to its sums. @param send(k, event, weight): Rule::send of synapse k
template <class Send>
NPL_INLINE void send_each(const SingleRun& r, Send&& send) {
  const PlasticRun& p = r.plastic;
  for (std::uint32_t k = 0; k < p.n; ++k) {
    const SingleEvent event{r.source,       r.gid ? r.gid[k] : Gid{0},
                            p.target[k],    p.stamp,
                            p.delay,        r.nth ? r.nth[k] : std::uint16_t{0},
                            r.before,       p.post,
                            r.post_triplet, r.key,
                            r.histories,    r.volume};
    double w = p.weight[k];
    const double sent = r.sent[k] = send(k, event, w);
    p.weight.set(k, w);
    *p.largest = std::max(*p.largest, std::fabs(w));
    if (!std::isnan(sent)) p.sums[p.target[k]] += p.counts ? 1 : round_to_fixed(sent * p.to_fixed);
  }
}

/// A SinglePlasticity from a Rule.
/// @tparam Rule the members of SingleDefaults, and
/// - `source(double ms, bool first, double* kept)`: updates the row state at a spike `ms` after the previous one (the first spike: after
///   time 0) and returns PreValues::value;
/// - `send(const SingleEvent&, double& weight, double* values)`: updates the synapse and returns the transmitted weight or `nothing_sent`.
template <class Rule>
class SingleModel final : public SinglePlasticity {
 public:
  SingleModel(const double* parameters, double dt_ms) : rule_(parameters, dt_ms), dt_(dt_ms) {}

  int row_values() const override { return std::max(1, Rule::row_values); }
  int synapse_values() const override { return rule_.synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return rule_.meets_all; }
  bool reads_history() const override { return Rule::reads_history; }
  double tau_minus() const override { return rule_.tau_minus; }
  double tau_minus_triplet() const override { return rule_.tau_minus_triplet; }
  Hearing hears() const override { return rule_.hears; }
  void advance(const SingleEvent& event, bool spikes, double& weight, double* values) const override {
    if constexpr (requires { rule_.advance(event, weight, values); })
      spikes ? static_cast<void>(rule_.send(event, weight, values)) : rule_.advance(event, weight, values);
  }
  double largest_weight() const override { return rule_.largest_weight(); }
  WeightBounds weight_bounds() const override { return rule_.weight_bounds(); }
  PreValues source_spike(Step stamp, std::int32_t& last, double* kept) const override {
    PreValues before{last, rule_.source(static_cast<double>(stamp - std::max(last, 0)) * dt_, last <= 0, kept)};
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own, const double*) const override {
    return rule_.state(name, row, own);
  }
  void process_each(const SingleRun& run) const override {
    send_each(run, [&](std::uint32_t k, const SingleEvent& event, double& weight) {
      return rule_.send(event, weight, run.values + std::size_t{k} * static_cast<std::size_t>(rule_.synapse_values));
    });
  }

 private:
  Rule rule_;
  double dt_;
};

/// SynapseInfo::prepare for such a Rule. Throws BadParameter.
template <class Rule>
std::unique_ptr<Plasticity> make_single(const double* parameters, double dt_ms) {
  Rule::check(parameters);
  return std::make_unique<SingleModel<Rule>>(parameters, dt_ms);
}

}  // namespace npl::synapses
