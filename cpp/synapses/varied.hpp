// SPDX-License-Identifier: Apache-2.0
/// Rules with parameters that differ from synapse to synapse. The rule of a synapse is made anew for each spike from its parameters, so
/// rules must be cheap to make, and the state that synapses of a source share otherwise is kept per synapse. With equal parameters the
/// results are those of the rule with common ones, bit by bit.
#pragma once
#include <span>

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
    if constexpr (requires { typename Rule::Batch; }) return release<W>(r);
    const Step last = r.before->last;
    const double ms = static_cast<double>(r.plastic.stamp - last) * dt_;
    PreValues before = *r.before;
    Parameters all = given_;
    send_each<W>(r, [&](std::uint32_t k, SingleEvent event, double& weight) {
      const double* own = r.varied + std::size_t{k} * varied_.size();
      for (std::size_t j = 0; j < varied_.size(); ++j) all.value[static_cast<std::size_t>(varied_[j])] = own[j];
      const Rule rule(all.value.data(), dt_);
      double* values = r.values + std::size_t{k} * (Rule::row_values + Rule::synapse_values);
      before.value = rule.source(ms, last == 0, values);
      event.before = &before;
      return rule.send(event, weight, values + Rule::row_values);
    });
  }

  /// The same in vectors, for rules of short-term plasticity.
  template <class W>
  void release(const SingleRun& r) const {
    using Batch = typename Rule::Batch;
    const double ms = static_cast<double>(r.plastic.stamp - r.before->last) * dt_;
    const std::size_t width = varied_.size();
    Batch b;
    for (std::size_t j = 0; j < Batch::parameters; ++j) std::fill_n(b.parameter[j], Batch::capacity, given_.value[j]);
    for (std::uint32_t begin = 0; begin < r.plastic.n; begin += Batch::capacity) {
      const std::uint32_t n = std::min(Batch::capacity, r.plastic.n - begin);
      const double* own = r.varied + begin * width;
      double* values = r.values + std::size_t{begin} * Rule::row_values;
      for (std::size_t j = 0; j < width; ++j)
        for (std::size_t k = 0; k < n; ++k) b.parameter[varied_[j]][k] = own[k * width + j];
      for (std::size_t v = 0; v < Rule::row_values; ++v)
        for (std::size_t k = 0; k < n; ++k) b.kept[v][k] = values[k * Rule::row_values + v];
      Dispatch<typename Batch::Release>::run(&b, n, ms, r.before->last == 0);
      for (std::size_t v = 0; v < Rule::row_values; ++v)
        for (std::size_t k = 0; k < n; ++k) values[k * Rule::row_values + v] = b.kept[v][k];
      send(r.plastic, static_cast<const W*>(r.plastic.weight) + begin, b.share, {r.sent + begin, n}, r.plastic.target + begin);
    }
  }
  template <class W>
  static void send(const PlasticRun& p, const W* weight, const double* share, std::span<double> sent, const std::uint16_t* target) {
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = share[k] * static_cast<double>(weight[k]);
    if (p.counts)
      for (std::size_t k = 0; k < sent.size(); ++k) p.sums[target[k]] += 1;
    else
      for (std::size_t k = 0; k < sent.size(); ++k) p.sums[target[k]] += round_to_fixed(sent[k] * p.to_fixed);
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

  /// Working columns of some synapses.
  struct Batch {
    static constexpr std::uint32_t capacity = 128, vector = 8;
    static constexpr std::size_t parameters = ShortTerm::parameters;
    alignas(64) double parameter[parameters][capacity], kept[row_values][capacity] = {}, share[capacity];

    struct Release {
      /// Entries beyond n are padding.
      NPL_INLINE static void run(Batch* b, std::uint32_t n, double ms, bool first) {
        const std::uint32_t whole = (n + vector - 1) & ~(vector - 1);
        first ? each<true>(*b, whole, ms) : each<false>(*b, whole, ms);
      }
      template <bool First>
      NPL_INLINE static void each(Batch& b, std::uint32_t n, double ms) {
        for (std::uint32_t k = 0; k < n; ++k) {
          double p[parameters], kept[row_values];
          for (std::size_t j = 0; j < parameters; ++j) p[j] = b.parameter[j][k];
          for (std::size_t v = 0; v < row_values; ++v) kept[v] = b.kept[v][k];
          b.share[k] = ShortTerm(p).release(ms, First, kept);
          for (std::size_t v = 0; v < row_values; ++v) b.kept[v][k] = kept[v];
        }
      }
    };
  };

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
