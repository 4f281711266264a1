// SPDX-License-Identifier: Apache-2.0
/// Rules whose synapses have state of their own, or draw random numbers. They are processed one by one; tables of all other models know
/// nothing of it. A random number is a function of (seed; table, source, target, delay, number among equals; stamp, repeat, index): law 1.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rng/philox.hpp"
#include "synapses/model.hpp"

namespace npl::synapses {

/// What the synapses of one row need to know of their source at a spike.
struct PreValues {
  static constexpr std::size_t most = 2;
  Step last = 0;                         ///< stamp of the spike before (0: none yet)
  std::array<double, most> value{};      ///< as the rule wants them
  std::uint32_t repeat = 0;              ///< number of this spike among those of the source with the same stamp
};

/// One synapse at one spike of its source.
struct SingleEvent {
  Gid source, target;
  Local local;          ///< the target in the slice
  Step stamp;           ///< of the presynaptic spike
  Delay delay;          ///< dendritic [steps]
  std::uint16_t nth;    ///< among synapses of the table with the same source, target and delay
  const PreValues* before;
  const PostTrace *post, *post_triplet;
  rng::Key key;         ///< of the table

  /// Key of the random numbers of this synapse: `draw` them at (stamp, repeat, index).
  rng::Key own_key() const {
    const rng::Words w = rng::draw(key, static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target));
    return {w[0], w[1]};
  }
  /// Random number `index` of this synapse and spike, in (0, 1).
  double uniform(const rng::Key& own, std::uint32_t index) const {
    const std::uint64_t which = (std::uint64_t{nth} << 48) | (std::uint64_t{delay} << 32) | index;
    static_assert(sizeof nth == 2 && sizeof delay == 2 && sizeof index == 4 && sizeof before->repeat == 4);  // no bit is used twice; stamps are kept as int32
    const std::uint64_t when = (std::uint64_t{before->repeat} << 32) | static_cast<std::uint32_t>(stamp);
    const rng::Words w = rng::draw(own, when, which);
    return rng::uniform52(w[0], w[1]);
  }
  /// Stamp of the last postsynaptic spike before `until`, 0 without one.
  Step last_post(Step until) const {
    const PostLine& line = post->line(local);
    for (auto i = static_cast<std::size_t>(line.count); i-- > 0;)
      if (line.stamp[i] < until) return line.stamp[i];
    const auto after = post->first_older(local, until - 1);
    return after == post->older(local).begin() ? 0 : (after - 1)->stamp;
  }
  /// Calls f(stamp) for postsynaptic spikes that reach the synapse with stamps in (after, until], in order.
  template <class F>
  void for_post_spikes(Step after, Step until, F&& f) const {
    const auto& older = post->older(local);
    for (auto s = post->first_older(local, after); s != older.end() && s->stamp <= until; ++s) f(Step{s->stamp});
    const PostLine& line = post->line(local);
    for (std::size_t i = 0; i < static_cast<std::size_t>(line.count); ++i)
      if (line.stamp[i] > after && line.stamp[i] <= until) f(Step{line.stamp[i]});
  }
};

/// A run of such synapses, as PlasticRun.
struct SingleRun {
  PlasticRun plastic;       ///< its PreTrace is not used
  const PreValues* before;
  const PostTrace* post_triplet;
  Gid source;
  const Gid* gid;           ///< [n] of the targets
  const std::uint16_t* nth; ///< [n], null: the rule does not draw
  double* values;           ///< [n x synapse_values]
  double* sent;             ///< [n] filled: the weight that was sent, nan: nothing was
  rng::Key key;
};

class SinglePlasticity : public Plasticity {
 public:
  /// Values kept per synapse; all 0 at first.
  virtual int synapse_values() const = 0;
  /// Does it ask for random numbers?
  virtual bool draws() const { return false; }
  /// Does the first spike of a source meet all postsynaptic spikes since time 0? Then those are never forgotten.
  virtual bool meets_all() const { return false; }
  /// ms; 0: the rule asks for no second postsynaptic trace.
  virtual double tau_minus_triplet() const { return 0.0; }
  /// As Plasticity::spike.
  virtual PreValues source_spike(Step stamp, std::int32_t& last, double* values) const = 0;
  virtual void process_each(const SingleRun& run, bool double_weights) const = 0;
  const SinglePlasticity* single() const final { return this; }

 private:
  PreTrace spike(Step, std::int32_t&, double*) const final { return {}; }  // never asked: see single()
  void process(const PlasticRun&, bool) const final {}
};

/// What a Rule has unless it says otherwise.
struct SingleDefaults {
  static constexpr int row_values = 1, synapse_values = 0;
  static constexpr bool random = false, meets_all = false;
  double tau_minus = 0.0, tau_minus_triplet = 0.0;  ///< [ms] 0: no such trace
  static double largest_weight() { return 0.0; }
  static WeightBounds weight_bounds() { return {}; }
  static std::array<double, PreValues::most> source(double, bool, double*) { return {}; }
  static std::optional<double> state(std::string_view, const double*, const double*) { return std::nullopt; }
};

/// @tparam Rule with the members of SingleDefaults: `source(double ms, bool first, double* kept)` gives PreValues::value for a spike `ms` after the
/// last one (the first: after time 0) and moves the row on; and `send(const SingleEvent&, double& weight, double* values)`, which moves the
/// synapse on and returns the weight that it sends, `nothing_sent` for none.
inline constexpr double nothing_sent = std::numeric_limits<double>::quiet_NaN();

template <class Rule>
class SingleModel final : public SinglePlasticity {
 public:
  SingleModel(const double* parameters, double dt_ms) : rule_(parameters, dt_ms), dt_(dt_ms) {}

  int row_values() const override { return Rule::row_values; }
  int synapse_values() const override { return Rule::synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return Rule::meets_all; }
  double tau_minus() const override { return rule_.tau_minus; }
  double tau_minus_triplet() const override { return rule_.tau_minus_triplet; }
  double largest_weight() const override { return rule_.largest_weight(); }
  WeightBounds weight_bounds() const override { return rule_.weight_bounds(); }
  PreValues source_spike(Step stamp, std::int32_t& last, double* kept) const override {
    PreValues before{last, rule_.source(static_cast<double>(stamp - last) * dt_, last == 0, kept)};
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own) const override { return rule_.state(name, row, own); }
  void process_each(const SingleRun& run, bool double_weights) const override { double_weights ? loop<double>(run) : loop<float>(run); }

 private:
  template <class W>
  void loop(const SingleRun& r) const {
    const PlasticRun& p = r.plastic;
    W* weight = static_cast<W*>(p.weight);
    for (std::uint32_t k = 0; k < p.n; ++k) {
      const SingleEvent event{r.source, r.gid[k], p.target[k], p.stamp, p.delay, r.nth ? r.nth[k] : std::uint16_t{0}, r.before, p.post, r.post_triplet, r.key};
      auto w = static_cast<double>(weight[k]);
      const double sent = r.sent[k] = rule_.send(event, w, r.values + std::size_t{k} * Rule::synapse_values);
      weight[k] = static_cast<W>(w);
      *p.largest = std::max(*p.largest, std::fabs(w));
      if (!std::isnan(sent)) p.sums[p.target[k]] += p.counts ? 1 : round_to_fixed(sent * p.to_fixed);
    }
  }

  Rule rule_;
  double dt_;
};

template <class Rule>
std::unique_ptr<Plasticity> make_single(const double* parameters, double dt_ms) {
  return std::make_unique<SingleModel<Rule>>(parameters, dt_ms);
}

}  // namespace npl::synapses
