// SPDX-License-Identifier: Apache-2.0
/// Rules with parameters that differ from synapse to synapse. The rule of a synapse is made anew for each spike from its parameters, so
/// rules must be cheap to make, and the state that synapses of a source share otherwise is kept per synapse. With equal parameters the
/// results are those of the rule with common ones, bit by bit.
#pragma once
#include <span>

#include "synapses/decay.hpp"
#include "synapses/exact.hpp"
#include "synapses/short_term.hpp"
#include "synapses/single.hpp"
#include "synapses/varied_parameters.hpp"

namespace npl::synapses {

/// The synapses of a run of short-term plasticity, in vectors.
template <class ShortTerm>
struct Release {
  static constexpr std::uint32_t capacity = 128, vector = 8;
  using Columns = ParameterColumns<ShortTerm::parameters, capacity>;
  using Kept = double[ShortTerm::values][capacity];

  NPL_INLINE static void run(const VariedParameters* given, const SingleRun* r, double ms, bool first) {
    first ? release<true>(*given, *r, ms) : release<false>(*given, *r, ms);
  }

 private:
  template <bool First>
  NPL_INLINE static void release(const VariedParameters& given, const SingleRun& r, double ms) {
    const PlasticRun& p = r.plastic;
    Columns columns(given, std::min(capacity, padded(p.n)));
    alignas(64) Kept kept;
    alignas(64) double share[capacity];
    for (std::uint32_t begin = 0; begin < p.n; begin += capacity) {
      const std::uint32_t n = std::min(capacity, p.n - begin);
      double* values = r.values + std::size_t{begin} * ShortTerm::values;
      const double* own = r.varied + begin * given.width();
      const std::uint32_t next = std::min(capacity, p.n - begin - n);
      prefetch_lines(own + n * given.width(), next * given.width() * sizeof *own);  // few lines are in cache: rows are far apart
      prefetch_lines(values + n * ShortTerm::values, next * ShortTerm::values * sizeof *values);
      columns.take(own, n);
      split_columns<ShortTerm::values>(values, n, kept);
      each<First>(columns, padded(n), ms, kept, share);
      join_columns<ShortTerm::values>(kept, n, values);
      send(p, p.weight.from(begin), share, {r.sent + begin, n}, p.target + begin);
    }
  }
  /// @param n whole vectors: entries beyond the synapses are padding
  template <bool First>
  NPL_INLINE static void each(const Columns& columns, std::uint32_t n, double ms, Kept& kept, double* share) {
    for (std::uint32_t k = 0; k < n; ++k) {
      double own[ShortTerm::values];
      for (std::size_t v = 0; v < ShortTerm::values; ++v) own[v] = kept[v][k];
      share[k] = ShortTerm(columns.of(k).data()).release(ms, First, own);
      for (std::size_t v = 0; v < ShortTerm::values; ++v) kept[v][k] = own[v];
    }
  }
  NPL_INLINE static void send(const PlasticRun& p, StoredWeights weight, const double* share, std::span<double> sent,
                              const std::uint16_t* target) {
    weight.load(sent.data(), static_cast<std::uint32_t>(sent.size()));
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = share[k] * sent[k];
    if (p.counts)
      for (std::size_t k = 0; k < sent.size(); ++k) p.sums[target[k]] += 1;
    else
      for (std::size_t k = 0; k < sent.size(); ++k) p.sums[target[k]] += round_to_fixed(sent[k] * p.to_fixed);
  }
  static constexpr std::uint32_t padded(std::uint32_t n) { return (n + vector - 1) & ~(vector - 1); }
};

/// @tparam Rule as for SingleModel; what it computes from parameters must take little time (Decay, not DecayTable)
template <class Rule>
class VariedModel final : public SinglePlasticity {
 public:
  /// @param parameters all of the model; @param varied indices of those with a value per synapse
  VariedModel(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
      : given_(parameters, varied), dt_(dt_ms), common_(given_.common().data(), dt_ms) {}

  int synapse_values() const override { return Rule::row_values + common_.synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return common_.meets_all; }
  bool reads_history() const override { return Rule::reads_history; }
  double tau_minus() const override { return common_.tau_minus; }
  double tau_minus_triplet() const override { return common_.tau_minus_triplet; }
  double largest_weight() const override { return common_.largest_weight(); }
  WeightBounds weight_bounds() const override { return common_.weight_bounds(); }
  WeightBounds bounds_of(const double* varied) const override { return varied ? rule_of(varied).weight_bounds() : weight_bounds(); }
  PreValues source_spike(Step stamp, std::int32_t& last, double*) const override {
    const PreValues before{last};
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  std::optional<double> state(std::string_view name, const double*, const double* own, const double* varied) const override {
    return rule_of(varied).state(name, own, own + Rule::row_values);
  }
  void process_each(const SingleRun& r) const override {
    const double ms = static_cast<double>(r.plastic.stamp - std::max<Step>(r.before->last, 0)) * dt_;
    const bool first = r.before->last <= 0;
    if constexpr (requires { typename Rule::ShortTerm; }) {
      Dispatch<Release<typename Rule::ShortTerm>>::run(&given_, &r, ms, first);
    } else {
      PreValues before = *r.before;
      auto all = given_.common();
      send_each(r, [&](std::uint32_t k, SingleEvent event, double& weight) {
        given_.set(r.varied + std::size_t{k} * given_.width(), all);
        const Rule rule(all.data(), dt_);
        double* values = r.values + std::size_t{k} * static_cast<std::size_t>(synapse_values());
        before.value = rule.source(ms, first, values);
        event.before = &before;
        return rule.send(event, weight, values + Rule::row_values);
      });
    }
  }

 private:
  Rule rule_of(const double* varied) const { return Rule(given_.of(varied).data(), dt_); }

  VariedParametersOf<Rule::most_parameters> given_;
  double dt_;
  Rule common_;  ///< for what no parameter changes that differs
};

/// Short-term plasticity as a rule of single synapses.
template <class Common>
struct Released : SingleDefaults {
  using ShortTerm = Common;
  static constexpr int row_values = ShortTerm::values;
  ShortTerm rule;

  Released(const double* p, double) : rule(p) {}
  static void check(const double* p) { ShortTerm::check(p); }
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const { return {rule.release(ms, first, kept), 0.0}; }
  std::optional<double> state(std::string_view name, const double* row, const double*) const { return rule.state(name, row); }
  double send(const ExactEvent& e, double& weight, double*) const { return e.before->value[0] * weight; }
};

/// The description of a model whose parameters may differ from synapse to synapse. @param common those that may not
/// @param exact SynapseInfo::prepare_exact, of short-term plasticity known
template <class Rule>
SynapseInfo with_varied(SynapseInfo info, std::vector<std::string> common = {}, decltype(SynapseInfo::prepare_exact) exact = nullptr) {
  info.check = [](const double* parameters) { Rule::check(parameters); };
  info.prepare_varied = [](const std::vector<double>& parameters, const std::vector<int>& varied,
                           double dt_ms) -> std::unique_ptr<Plasticity> {
    return std::make_unique<VariedModel<Rule>>(parameters, varied, dt_ms);
  };
  info.common = std::move(common);
  info.prepare_exact = exact;
  if constexpr (requires { typename Rule::ShortTerm; }) info.prepare_exact = make_exact<Rule>;
  return info;
}

}  // namespace npl::synapses
