// SPDX-License-Identifier: Apache-2.0
/// Makes rules of single synapses, at steps and at moments, from one struct each. Where parameters differ from synapse to synapse, the rule
/// of a synapse is made anew for each spike from its parameters, so rules must be cheap to make, and the state that synapses of a source
/// share otherwise is kept per synapse. With equal parameters the results are those of the rule with common ones, bit by bit.
#pragma once
#include <cmath>

#include "base/error.hpp"
#include "synapses/decay.hpp"
#include "synapses/release.hpp"
#include "synapses/rule.hpp"
#include "synapses/varied_parameters.hpp"

namespace npl::synapses {

/// Default members of a Rule. A rule may have its own `synapse_values` that follows from its parameters, then common ones.
struct RuleDefaults {
  static constexpr int row_values = 0, synapse_values = 0;
  static constexpr std::size_t most_parameters = 16;  ///< where they may differ from synapse to synapse
  static constexpr bool random = false, meets_all = false, reads_history = false, amplifies = false;
  double tau_minus = 0.0, tau_minus_triplet = 0.0;  ///< [ms] 0: no such trace
  Hearing hears{};
  static void check(const double*) {}  ///< relations between parameters; throws BadParameter
  static double largest_weight() { return 0.0; }
  static WeightBounds weight_bounds() { return {}; }
  static std::array<double, PreValues::most> source(double, bool, double*) { return {}; }
  static std::optional<double> state(std::string_view, const double*, const double*) { return std::nullopt; }
};

/// @tparam Rule the members of RuleDefaults, and
/// - `source(double ms, bool first, double* kept)`: updates the row state at a spike `ms` after the previous one (the first spike: after
///   time 0) and returns PreValues::value;
/// - `send(const EventAt<Time>&, double& weight, double* values)`: updates the synapse and returns the transmitted weight or
///   `nothing_sent`.
/// @tparam Varied parameters differ from synapse to synapse; else the state of `source` is kept per row, after the offset of the last spike
/// where times are moments
template <class Rule, class Time, bool Varied>
class RuleModel final : public RuleOver<Time> {
 public:
  RuleModel(const double* parameters, double dt_ms)
    requires(!Varied)
      : common_(parameters, dt_ms), dt_(dt_ms) {}
  /// @param parameters all of the model; @param varied indices of those with a value per synapse
  RuleModel(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
    requires Varied
      : given_(parameters, varied), common_(given_.common().data(), dt_ms), dt_(dt_ms) {}

  int row_values() const override { return std::max(1, offsets + (Varied ? 0 : Rule::row_values)); }
  int synapse_values() const override { return kept_by_synapse + common_.synapse_values; }
  bool draws() const override { return Rule::random; }
  bool meets_all() const override { return common_.meets_all; }
  bool reads_history() const override { return Rule::reads_history; }
  bool amplifies() const override { return Rule::amplifies; }
  double tau_minus() const override { return common_.tau_minus; }
  double tau_minus_triplet() const override { return common_.tau_minus_triplet; }
  Hearing hears() const override { return common_.hears; }
  double largest_weight() const override { return common_.largest_weight(); }
  WeightBounds weight_bounds() const override { return common_.weight_bounds(); }
  WeightBounds bounds_of(const double* varied) const override {
    if constexpr (Varied)
      if (varied) return rule_of(varied).weight_bounds();
    return weight_bounds();
  }
  bool state(Name name, const double* row, const double* own, const double* varied, double& to) const override {
    return Plasticity::put(found(name, row, own, varied), to);
  }
  std::optional<double> found(std::string_view name, const double* row, const double* own, const double* varied) const {
    if constexpr (Varied)
      return rule_of(varied).state(name, own, own + kept_by_synapse);
    else
      return common_.state(name, row + offsets, own);
  }
  void advance(const EventAt<Time>& event, bool spikes, double& weight, double* values) const override {
    if constexpr (requires { common_.advance(event, weight, values); })
      spikes ? static_cast<void>(common_.send(event, weight, values)) : common_.advance(event, weight, values);
  }
  void spike(std::span<FiredAt<Time>> fired, const RowStates& rows) const override { this->spike_each(*this, fired, rows); }
  PreValues source_spike(const Time& at, std::int32_t& last, double* kept) const {
    PreValues before{last, {}, 0, offsets > 0 ? *kept : 0.0};
    if constexpr (!Varied) before.value = common_.source(since(before, at), last <= 0, kept + offsets);
    last = static_cast<std::int32_t>(stamp_of(at));
    if constexpr (offsets > 0) *kept = offset_of(at);
    return before;
  }
  void process(const RunAt<Time>& run) const override {
    if constexpr (requires { typename Rule::ShortTerm; } && std::is_same_v<Time, Step>)
      Dispatch<Release<typename Rule::ShortTerm>>::run(&given_, &run, dt_);
    else
      send_each(run);
  }

 private:
  static constexpr int offsets = std::is_same_v<Time, Step> ? 0 : 1;  ///< kept per row
  static constexpr int kept_by_synapse = Varied ? Rule::row_values : 0;
  struct Nothing {
    Nothing common() const { return {}; }
  };

  double since(const PreValues& before, const Time& spike) const {
    const double steps = static_cast<double>(stamp_of(spike) - std::max<Step>(before.last, 0)) * dt_;
    return offsets > 0 ? steps - (offset_of(spike) - before.offset) : steps;
  }
  Rule rule_of(const double* varied) const { return Rule(given_.of(varied).data(), dt_); }

  /// Updates the synapses of a run one by one.
  void send_each(const RunAt<Time>& run) const {
    const auto width = static_cast<std::size_t>(synapse_values());
    double *sent = run.sent, largest = *run.largest;
    auto all = given_.common();
    for (const PartAt<Time>& p : run.parts) {
      PreValues before = p.before;
      EventAt<Time> event{Rule::random ? run.source[p.row] : 0,
                          0,
                          0,
                          p.stamp,
                          p.delay,
                          0,
                          &before,
                          run.post,
                          run.post_triplet,
                          run.key,
                          run.histories,
                          run.volume};
      for (std::uint32_t k = 0; k < p.n; ++k, ++sent) {
        const std::size_t i = p.first + k;
        event.local = run.target[i];
        if constexpr (Rule::random) event.target = run.nodes->gid(event.local), event.nth = run.nth[i];
        double w = p.weight[k];
        *sent = send(run, i, all, event, before, w, run.values + i * width);
        p.weight.set(k, w);
        if (offsets > 0 && *sent == w) *sent = p.weight[k];  // the whole weight as it is stored, not a share of it
        largest = std::max(largest, std::fabs(w));
        if constexpr (Rule::amplifies) largest = std::max(largest, std::fabs(*sent));  // nan, which is not sent, is not larger
      }
    }
    *run.largest = largest;
  }
  /// @param all parameters: those that vary are set @param before of the event: its values follow from them
  template <class All>
  double send(const RunAt<Time>& run, std::size_t i, All& all, const EventAt<Time>& event, PreValues& before, double& w,
              double* values) const {
    if constexpr (Varied) {
      given_.set(run.varied + i * given_.width(), all);
      const Rule rule(all.data(), dt_);
      before.value = rule.source(since(before, event.stamp), before.last <= 0, values);
      return rule.send(event, w, values + kept_by_synapse);
    } else {
      return common_.send(event, w, values);
    }
  }

  [[no_unique_address]] std::conditional_t<Varied, VariedParametersOf<Rule::most_parameters>, Nothing> given_;
  Rule common_;  ///< where parameters vary, for what none of those changes
  double dt_;
};

/// SynapseInfo::prepare for a Rule. Throws BadParameter.
template <class Rule>
std::unique_ptr<Plasticity> make_rule(const double* parameters, double dt_ms) {
  Rule::check(parameters);
  return std::make_unique<RuleModel<Rule, Step, false>>(parameters, dt_ms);
}
/// SynapseInfo::prepare_varied.
template <class Rule>
std::unique_ptr<Plasticity> make_varied(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms) {
  return std::make_unique<RuleModel<Rule, Step, true>>(parameters, varied, dt_ms);
}
/// SynapseInfo::prepare_exact.
template <class Rule>
std::unique_ptr<Plasticity> make_at_moments(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms) {
  if (varied.empty()) return std::make_unique<RuleModel<Rule, Moment, false>>(parameters.data(), dt_ms);
  return std::make_unique<RuleModel<Rule, Moment, true>>(parameters, varied, dt_ms);
}

/// True for rules whose synapses take any kind of event.
template <class Rule>
concept TakesMoments = requires(const Rule rule, const EventAt<Moment> event, double weight) { rule.send(event, weight, &weight); };

/// A synapse model from a Rule. @tparam OfTables the same rule with decays from tables, for common parameters
/// @param common parameters that may not differ from synapse to synapse @param state what Rule::state gives
template <class Rule, class OfTables = Rule>
SynapseInfo rule_synapse(const char* name, const char* doc, std::vector<Field> parameters, std::vector<std::string> common = {},
                         std::vector<Field> state = {}) {
  SynapseInfo info{name, doc, std::move(parameters), true, make_rule<OfTables>};
  info.check = [](const double* p) { Rule::check(p); };
  info.prepare_varied = make_varied<Rule>;
  if constexpr (TakesMoments<Rule>) info.prepare_exact = make_at_moments<Rule>;
  info.common = std::move(common), info.state = std::move(state);
  return info;
}
template <template <class> class Rule>
SynapseInfo rule_synapse(const char* name, const char* doc, std::vector<Field> parameters, std::vector<std::string> common = {},
                         std::vector<Field> state = {}) {
  return rule_synapse<Rule<Decay>, Rule<DecayTable>>(name, doc, std::move(parameters), std::move(common), std::move(state));
}

/// A synapse model with a third factor: its Rule has `advance(const EventAt<Step>&, double& weight, double* values)` as well, and all its
/// state is per synapse. Its parameters are common.
template <template <class> class Rule>
SynapseInfo modulated_synapse(const char* name, const char* doc, std::vector<Field> parameters, std::vector<std::string>,
                              std::vector<Field> state = {}) {
  SynapseInfo info{name, doc, std::move(parameters), true, make_rule<Rule<DecayTable>>};
  info.check = [](const double* p) { Rule<DecayTable>::check(p); };
  info.state = std::move(state);
  return info;
}
inline Field transmitter_field() {
  return Field{"volume_transmitter", "", 0.0, "Node whose spikes raise the concentration: a volume_transmitter"}.with(Mark::hidden);
}
/// Throws BadParameter unless this is the number of a node, or 0.
inline void check_transmitter(double gid) {
  if (gid < 0.0 || gid != std::floor(gid) || gid > 0x1p52) throw BadParameter("volume_transmitter", gid, "the number of a node");
}

/// Short-term plasticity as a rule of single synapses.
template <class Common>
struct Released : RuleDefaults {
  using ShortTerm = Common;
  static constexpr int row_values = ShortTerm::values;
  static constexpr bool amplifies = synapses::amplifies<Common>;
  ShortTerm rule;

  Released(const double* p, double) : rule(p) {}
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const { return {rule.release(ms, first, kept), 0.0}; }
  std::optional<double> state(std::string_view name, const double* row, const double*) const { return rule.state(name, row); }
  double send(const EventAt<Moment>& e, double& weight, double*) const { return e.before->value[0] * weight; }
};

/// A synapse model with short-term plasticity. @param state what ShortTerm::state gives beside parameters
template <class ShortTerm>
SynapseInfo short_term_synapse(const char* name, const char* doc, std::vector<Field> parameters, std::vector<std::string> = {},
                               std::vector<Field> state = {}) {
  SynapseInfo info{name, doc, std::move(parameters), true, make_short_term<ShortTerm>};
  info.check = [](const double* p) { ShortTerm::check(p); };
  info.prepare_varied = make_varied<Released<ShortTerm>>;
  info.prepare_exact = make_at_moments<Released<ShortTerm>>;
  info.state = std::move(state);
  return info;
}

}  // namespace npl::synapses
