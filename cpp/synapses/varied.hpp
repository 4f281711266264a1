// SPDX-License-Identifier: Apache-2.0
/// Rules with parameters that differ from synapse to synapse. The rule of a synapse is made anew for each spike from its parameters, so
/// rules must be cheap to make, and the state that synapses of a source share otherwise is kept per synapse. With equal parameters the
/// results are those of the rule with common ones, bit by bit.
#pragma once
#include "synapses/decay.hpp"
#include "synapses/short_term.hpp"
#include "synapses/single.hpp"

namespace npl::synapses {

/// @tparam Rule as for SingleModel; what it computes from parameters must take little time (Decay, not DecayTable)
template <class Rule>
class VariedModel final : public SinglePlasticity {
 public:
  /// @param parameters all of the model; @param varied indices of those with a value per synapse
  VariedModel(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
      : varied_(varied), dt_(dt_ms), given_(parameters, varied), common_(given_.value.data(), dt_ms) {}

  int synapse_values() const override { return Rule::row_values + Rule::synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return Rule::meets_all; }
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
  void process_each(const SingleRun& run, bool double_weights) const override { double_weights ? loop<double>(run) : loop<float>(run); }

 private:
  static constexpr std::size_t most_parameters = 16;
  struct Parameters {
    std::array<double, most_parameters> value{};
    /// Those that differ are nan: then so are the bounds that depend on them, which nothing exceeds.
    Parameters(const std::vector<double>& all, const std::vector<int>& varied) {
      std::copy_n(all.begin(), std::min(all.size(), most_parameters), value.begin());
      for (const int k : varied) value[static_cast<std::size_t>(k)] = std::numeric_limits<double>::quiet_NaN();
    }
  };

  Rule rule_of(const double* varied) const {
    Parameters all = given_;
    for (std::size_t j = 0; j < varied_.size(); ++j) all.value[static_cast<std::size_t>(varied_[j])] = varied[j];
    return Rule(all.value.data(), dt_);
  }
  template <class W>
  void loop(const SingleRun& r) const {
    const Step last = r.before->last;
    const double ms = static_cast<double>(r.plastic.stamp - last) * dt_;
    PreValues before = *r.before;
    send_each<W>(r, [&](std::uint32_t k, SingleEvent event, double& weight) {
      const Rule rule = rule_of(r.varied + std::size_t{k} * varied_.size());
      double* values = r.values + std::size_t{k} * (Rule::row_values + Rule::synapse_values);
      before.value = rule.source(ms, last == 0, values);
      event.before = &before;
      return rule.send(event, weight, values + Rule::row_values);
    });
  }

  std::vector<int> varied_;
  double dt_;
  Parameters given_;
  Rule common_;  ///< for what no parameter changes that differs
};

/// Short-term plasticity as a rule of single synapses.
template <class ShortTerm>
struct Released : SingleDefaults {
  static constexpr int row_values = ShortTerm::values;
  ShortTerm rule;

  Released(const double* p, double) : rule(p) {}
  static void check(const double* p) { ShortTerm::check(p); }
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const { return {rule.release(ms, first, kept), 0.0}; }
  double send(const SingleEvent& e, double& weight, double*) const { return e.before->value[0] * weight; }
  std::optional<double> state(std::string_view name, const double* row, const double*) const { return rule.state(name, row); }
};

/// The description of a model whose parameters may differ from synapse to synapse. @param common those that may not
template <class Rule>
SynapseInfo with_varied(SynapseInfo info, std::vector<std::string> common = {}) {
  info.check = [](const double* parameters) { Rule::check(parameters); };
  info.prepare_varied = [](const std::vector<double>& parameters, const std::vector<int>& varied,
                           double dt_ms) -> std::unique_ptr<Plasticity> {
    return std::make_unique<VariedModel<Rule>>(parameters, varied, dt_ms);
  };
  info.common = std::move(common);
  return info;
}

}  // namespace npl::synapses
