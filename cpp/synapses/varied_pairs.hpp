// SPDX-License-Identifier: Apache-2.0
/// Pair rules with parameters that differ from synapse to synapse. With equal parameters the results are those of PairPlasticity, bit by
/// bit. The trace K+ is kept per source row, and per synapse only where its time constant differs.
#pragma once
#include "synapses/pair_rule.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {

/// @tparam Rule as for PairPlasticity
template <class Rule, Pairing P>
class VariedPairs final : public RuleOver<Step> {
 public:
  VariedPairs(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
      : given_(parameters, varied),
        common_(given_.common().data()),
        tau_varies_(given_.varies(0)),
        plus_(tau_varies_ ? DecayTable() : DecayTable(common_.tau_plus, dt_ms)),
        dt_(dt_ms),
        initial_(initial_trace<Rule>(parameters.data())) {}

  int synapse_values() const override { return keeps_trace() ? 1 : 0; }
  double tau_minus() const override { return common_.tau_minus; }
  bool all_pairs() const override { return P == Pairing::all; }
  bool meets_all() const override { return initial_ > 0.0 || pairs_always<Rule>; }
  bool asks_arrivals() const override { return true; }
  double largest_weight() const override { return common_.largest_weight(); }
  WeightBounds weight_bounds() const override { return common_.weight_bounds(); }
  WeightBounds bounds_of(const double* varied) const override {
    return varied ? Rule(given_.of(varied).data()).weight_bounds() : weight_bounds();
  }
  void spike(std::span<FiredAt<Step>> fired, const RowStates& rows) const override { spike_each(*this, fired, rows); }
  PreValues source_spike(Step stamp, std::int32_t& last, double* trace) const {
    PreValues before{last, {last <= 0 ? initial_ : *trace}};
    if (last < 0)
      before = tau_varies_ ? PreValues{-last, {initial_, static_cast<double>(-last)}} : PreValues{-last, {initial_ * plus_(-last)}};
    *trace = P == Pairing::all && !tau_varies_ ? before.value[0] * plus_(stamp - before.last) + 1.0 : 1.0;
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  bool state(Name name, const double* row, const double* own, const double* varied, double& to) const override {
    return Plasticity::put(found(name, row, own, varied), to);
  }
  std::optional<double> found(std::string_view name, const double* row, const double* own, const double*) const {
    const double* trace = keeps_trace() ? own : row;
    return is_trace<Rule>(name) ? std::optional(*trace > 0.0 ? *trace : initial_) : std::nullopt;
  }
  void process(const RunAt<Step>& run) const override { Dispatch<Loop>::run(this, &run); }

 private:
  static constexpr std::uint32_t capacity = PairBatch::capacity;
  using Columns = ParameterColumns<Rule::parameters, capacity>;
  bool keeps_trace() const { return P == Pairing::all && tau_varies_; }

  /// The rules of a batch, see update_pairs().
  class Rules {
   public:
    NPL_INLINE Rules(const VariedPairs& model, std::uint32_t longest)
        : model_(model), plus_(model.plus_.view()), all_(model.given_, most(longest)), chosen_(model.given_, most(longest)) {}

    /// Turns to the synapses of a part. @param steps from the last spike of the source to this one
    NPL_INLINE void begin(const RunAt<Step>& run, const PartAt<Step>& part, std::int32_t steps) {
      part_ = &part;
      own_ = run.varied + std::size_t{part.first} * model_.given_.width();
      values_ = run.values + (model_.keeps_trace() ? part.first : 0);
      trace_ = part.before.value[0];
      passed_ = static_cast<std::int32_t>(part.before.value[1]);
      longest_ = steps + passed_;
    }
    NPL_INLINE void take(std::uint32_t begin, std::uint32_t n) {
      begin_ = begin;
      const std::uint32_t next = std::min(capacity, part_->n - begin - n);
      prefetch_lines(own(n), next * model_.given_.width() * sizeof(double));
      all_.take(own(0), n);
      if (model_.keeps_trace() && (part_->before.last == 0 || passed_ > 0)) std::fill_n(values_ + begin, n, model_.initial_);
    }
    NPL_INLINE const Rule& common() const { return model_.common_; }
    NPL_INLINE Rule of(std::uint32_t k) const { return Rule(all_.of(k).data()); }
    NPL_INLINE Rule of_chosen(std::uint32_t i) const { return Rule(chosen_.of(i).data()); }
    NPL_INLINE double choose(std::uint32_t i, std::uint32_t k, const PairBatch& b, std::int32_t post) {
      const std::int32_t from = b.from[0];
      chosen_.put(i, own(k));
      if (!model_.tau_varies_) return trace_ * plus_.since(from, post);
      steps_[i] = post - from + passed_;
      return P == Pairing::all ? values_[begin_ + k] : trace_;
    }
    NPL_INLINE void decay_chosen(std::uint32_t n, double* trace) const {
      if (!model_.tau_varies_) return;
      const double *tau = chosen_.values(0), dt = model_.dt_;
      if (longest_ <= Decay::mask)
        for (std::uint32_t i = 0; i < n; ++i) trace[i] *= Decay::entry(Decay::exponent(dt, tau[i]) * steps_[i]);
      else
        for (std::uint32_t i = 0; i < n; ++i) trace[i] *= Decay(tau[i], dt).over(steps_[i]);
    }
    /// Adds the spike of the source to the traces of the batch.
    NPL_INLINE void spike(std::uint32_t n) const {
      if (!model_.keeps_trace()) return;
      const double *tau = all_.values(0), dt = model_.dt_;
      const auto since = static_cast<std::int32_t>(part_->stamp - part_->before.last) + passed_;
      double* trace = values_ + begin_;
      for (std::uint32_t k = 0; k < n; ++k) trace[k] = trace[k] * Decay(tau[k], dt).over(since) + 1.0;
    }

   private:
    NPL_INLINE static std::uint32_t most(std::uint32_t n) { return std::min(capacity, PairBatch::padded(n)); }
    NPL_INLINE const double* own(std::uint32_t k) const { return own_ + std::size_t{begin_ + k} * model_.given_.width(); }

    const VariedPairs& model_;
    const DecayTable::View plus_;
    const PartAt<Step>* part_ = nullptr;
    const double* own_ = nullptr;  ///< parameters of its synapses
    double* values_ = nullptr;
    double trace_ = 0.0;
    std::int32_t passed_ = 0;   ///< at the first spike: steps before the synapses were made, in which traces have decayed
    std::int32_t longest_ = 0;  ///< time from `from` to the spikes that pair [steps]
    std::uint32_t begin_ = 0;
    Columns all_, chosen_;
    std::int32_t steps_[capacity];  ///< of the chosen ones: from the last spike of the source to the spike that pairs
  };

  struct Loop {
    NPL_INLINE static void run(const VariedPairs* self, const RunAt<Step>* r) {
      std::uint32_t longest = 0;
      for (const PartAt<Step>& p : r->parts) longest = std::max(longest, p.n);
      PairBatch batch;
      batch.always = pairs_always<Rule>;
      Rules rules(*self, longest);
      double* sent = r->sent;
      for (const PartAt<Step>& p : r->parts) {
        const PlasticRun run{p.n, r->target + p.first, p.weight, p.stamp,   {}, p.delay, r->post, nullptr,
                             0.0, r->largest,          false,    r->arrived};
        batch.until = static_cast<std::int32_t>(p.stamp - p.delay);
        batch.set_window(0, p.before.last - p.delay, p.before.value[0]);
        rules.begin(*r, p, batch.until - batch.from[0]);
        for (std::uint32_t begin = 0; begin < p.n; begin += capacity) {
          const std::uint32_t n = std::min(capacity, p.n - begin);
          rules.take(begin, n);
          update_pairs<P>(run, begin, n, batch, rules);
          rules.spike(n);
          std::copy_n(batch.weight, n, sent + begin);
        }
        sent += p.n;
      }
    }
  };

  VariedParameters given_;
  Rule common_;
  bool tau_varies_;
  DecayTable plus_;      ///< of a common time constant
  double dt_, initial_;  ///< K+ at time 0
};

/// A pair rule as a rule of single synapses, at moments.
template <class Pair, Pairing P>
struct PairAtMoments : RuleDefaults {
  static constexpr int row_values = 1;
  using Event = EventAt<Moment>;
  Pair rule;
  Decay plus;

  double initial;
  bool meets_all;

  PairAtMoments(const double* p, double dt) : rule(p), plus(rule.tau_plus, dt), initial(initial_trace<Pair>(p)) {
    meets_all = initial > 0.0 || pairs_always<Pair>;
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
    return is_trace<Pair>(name) ? std::optional(*row > 0.0 ? *row : initial) : std::nullopt;
  }
  double send(const Event& e, double& weight, double*) const {
    const Moment last = e.last(), from = last - e.delay, until = e.stamp - e.delay;
    bool paired = false;
    if (e.before->value[0] > 0.0 || pairs_always<Pair>)
      e.for_post_spikes(from, until, [&](const Moment& post) {
        if (P != Pairing::immediate || !paired) weight = rule.facilitate(weight, e.before->value[0] * plus(post - from));
        paired = true;
      });
    const bool alone = P == Pairing::immediate && e.before->value[0] > 0.0 && !paired;
    return weight = rule.depress(weight, alone ? 0.0 : minus(e, until));
  }

 private:
  static double minus(const Event& e, const Moment& until) {
    if (P == Pairing::all) return e.post->before(e.local, until);
    const Moment post = e.last_post(until);
    return happened(post) ? e.post->decay()(until - post) : 0.0;
  }
};

/// A synapse model from a pair rule, whose parameters may differ from synapse to synapse, but for the common ones. @param state its trace
template <class Rule, Pairing P = Pairing::all>
SynapseInfo pair_synapse(const char* name, const char* doc, std::vector<Field> parameters,
                         std::vector<std::string> common = {"tau_minus", "Kplus"}, std::vector<Field> state = {}) {
  SynapseInfo info{name, doc, std::move(parameters), true, make_pair<Rule, P>};
  info.check = [](const double* p) { Rule::check(p); };
  info.prepare_varied = [](const std::vector<double>& given, const std::vector<int>& varied, double dt_ms) -> std::unique_ptr<Plasticity> {
    return std::make_unique<VariedPairs<Rule, P>>(given, varied, dt_ms);
  };
  info.common = std::move(common), info.state = std::move(state);
  info.prepare_exact = make_at_moments<PairAtMoments<Rule, P>>;
  return info;
}

}  // namespace npl::synapses
