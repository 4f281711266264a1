// SPDX-License-Identifier: Apache-2.0
/// Plasticity onto neurons that spike between grid points: the rules of single.hpp and pair_rule.hpp at exact times of both sides. Synapses
/// are updated one by one, and what they transmit becomes events between grid points.
#pragma once
#include "synapses/exact_trace.hpp"
#include "synapses/pair_batch.hpp"
#include "synapses/single.hpp"
#include "synapses/varied_parameters.hpp"

namespace npl::synapses {

/// Due part of a row of such synapses; see SingleRun.
struct ExactRun {
  std::uint32_t n;
  const std::uint16_t* target;
  StoredWeights weight;  ///< [n]
  Moment stamp;          ///< of the presynaptic spike
  Step delay;            ///< of the dendrite, less that of the axon [steps]
  const PreValues* before;
  const ExactTrace *post, *post_triplet;
  Gid source;
  const Gid* gid;
  const std::uint16_t* nth;
  double* values;
  const double* varied;
  double* sent;     ///< [n] out: transmitted weight; nan: no transmission
  double* largest;  ///< in/out
  rng::Key key;
};

class ExactPlasticity : public SinglePlasticity {
 public:
  /// Plasticity::spike for these rules.
  virtual PreValues exact_spike(const Moment& spike, std::int32_t& last, double* values) const = 0;
  virtual void process_exact(const ExactRun& run) const = 0;
  const ExactPlasticity* exact() const final { return this; }

 private:
  PreValues source_spike(Step, std::int32_t&, double*) const final { return {}; }  // not called: callers use exact_spike, see exact()
  void process_each(const SingleRun&) const final {}
};

/// @tparam Rule as for SingleModel, with a `send` for any kind of event. A row keeps the offset of its last spike before the rule's values;
/// where parameters differ from synapse to synapse, synapses keep these.
template <class Rule>
class ExactModel final : public ExactPlasticity {
 public:
  ExactModel(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
      : given_(parameters, varied), varies_(!varied.empty()), dt_(dt_ms), common_(given_.common().data(), dt_ms) {}

  int row_values() const override { return varies_ ? 1 : 1 + Rule::row_values; }
  int synapse_values() const override { return (varies_ ? Rule::row_values : 0) + common_.synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return common_.meets_all; }
  double tau_minus() const override { return common_.tau_minus; }
  double tau_minus_triplet() const override { return common_.tau_minus_triplet; }
  double largest_weight() const override { return common_.largest_weight(); }
  WeightBounds weight_bounds() const override { return common_.weight_bounds(); }
  WeightBounds bounds_of(const double* varied) const override { return varied ? rule_of(varied).weight_bounds() : weight_bounds(); }
  PreValues exact_spike(const Moment& spike, std::int32_t& last, double* values) const override {
    PreValues before{last, {}, 0, values[0]};
    if (!varies_) before.value = common_.source(since(before, spike), last <= 0, values + 1);
    last = static_cast<std::int32_t>(spike.stamp), values[0] = spike.before;
    return before;
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own, const double* varied) const override {
    return varies_ ? rule_of(varied).state(name, own, own + Rule::row_values) : common_.state(name, row + 1, own);
  }
  void process_exact(const ExactRun& r) const override {
    for (std::uint32_t k = 0; k < r.n; ++k) {
      PreValues before = *r.before;
      const ExactEvent event{r.source,       r.gid ? r.gid[k] : Gid{0},
                             r.target[k],    r.stamp,
                             r.delay,        r.nth ? r.nth[k] : std::uint16_t{0},
                             &before,        r.post,
                             r.post_triplet, r.key,
                             nullptr};
      double w = r.weight[k];
      double* values = r.values + std::size_t{k} * static_cast<std::size_t>(synapse_values());
      if (varies_) {
        const Rule rule = rule_of(r.varied + std::size_t{k} * given_.width());
        before.value = rule.source(since(before, r.stamp), before.last <= 0, values);
        r.sent[k] = rule.send(event, w, values + Rule::row_values);
      } else {
        r.sent[k] = common_.send(event, w, values);
      }
      r.weight.set(k, w);
      if (r.sent[k] == w) r.sent[k] = r.weight[k];  // the whole weight as it is stored, not a share of it
      *r.largest = std::max(*r.largest, std::fabs(w));
    }
  }

 private:
  double since(const PreValues& before, const Moment& spike) const {
    return static_cast<double>(spike.stamp - std::max<Step>(before.last, 0)) * dt_ - (spike.before - before.offset);
  }
  Rule rule_of(const double* varied) const { return Rule(given_.of(varied).data(), dt_); }

  VariedParameters given_;
  bool varies_;
  double dt_;
  Rule common_;
};

/// A pair rule as a rule of single synapses.
template <class Pair, Pairing P>
struct ExactPair : SingleDefaults {
  static constexpr int row_values = 1;
  Pair rule;
  ExactDecay plus;

  double initial;
  bool meets_all;

  ExactPair(const double* p, double dt) : rule(p), plus(rule.tau_plus, dt), initial(p[Pair::initial]), meets_all(initial > 0.0) {
    tau_minus = rule.tau_minus;
  }
  double largest_weight() const { return rule.largest_weight(); }
  WeightBounds weight_bounds() const { return rule.weight_bounds(); }
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    const double before = first ? initial : *kept;
    *kept = P == Pairing::all ? before * Decay::entry(Decay::exponent(ms, rule.tau_plus)) + 1.0 : 1.0;
    return {before, 0.0};
  }
  std::optional<double> state(std::string_view name, const double* row, const double*) const {
    return name == "Kplus" ? std::optional(*row > 0.0 ? *row : initial) : std::nullopt;
  }
  double send(const ExactEvent& e, double& weight, double*) const {
    const Moment last = e.last(), from = last - e.delay, until = e.stamp - e.delay;
    bool paired = false;
    if (e.before->value[0] > 0.0)
      e.for_post_spikes(from, until, [&](const Moment& post) {
        if (P != Pairing::immediate || !paired) weight = rule.facilitate(weight, e.before->value[0] * plus(post - from));
        paired = true;
      });
    const bool alone = P == Pairing::immediate && e.before->value[0] > 0.0 && !paired;
    return weight = rule.depress(weight, alone ? 0.0 : minus(e, until));
  }

 private:
  static double minus(const ExactEvent& e, const Moment& until) {
    if (P == Pairing::all) return e.post->before(e.local, until);
    const Moment post = e.last_post(until);
    return happened(post) ? e.post->decay()(until - post) : 0.0;
  }
};

/// SynapseInfo::prepare_exact for a Rule.
template <class Rule>
std::unique_ptr<Plasticity> make_exact(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms) {
  return std::make_unique<ExactModel<Rule>>(parameters, varied, dt_ms);
}

}  // namespace npl::synapses
