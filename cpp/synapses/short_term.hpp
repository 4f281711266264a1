// SPDX-License-Identifier: Apache-2.0
/// Short-term plasticity: the transmitted share of the weight depends on the previous spikes of the source, not on the target. The state is
/// therefore stored once per source row and updated at emission; delivery only multiplies.
#pragma once
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"
#include "synapses/row_rule.hpp"

namespace npl::synapses {

/// Whether what a rule releases may be larger than the weight.
template <class Rule>
inline constexpr bool amplifies = requires { requires Rule::amplifies; };

/// How large what is sent is; what is not a number is too large.
NPL_INLINE double size_of_sent(double sent) { return math::choose(sent == sent, std::fabs(sent), HUGE_VAL); }

/// Adds the share of the weights of a run that is released to its sums. @tparam Amplifies the share may exceed 1
template <bool Amplifies>
struct ShareLoop {
  NPL_INLINE static void run(const PlasticRun* run) {
    if (run->counts) {
      for (std::uint32_t k = 0; k < run->n; ++k) add_wrapping(run->sums[run->target[k]], 1);
      return;
    }
    if (Amplifies && exceeds_one(*run))
      add<true>(*run);
    else
      add<false>(*run);
  }
  /// Whether more than the weight of a synapse is sent, or what is not a number.
  NPL_INLINE static bool exceeds_one(const PlasticRun& run) {
    if (!run.each) return !(std::fabs(run.before.trace) <= 1.0);
    bool found = false;
    for (std::uint32_t k = 0; k < run.n; ++k) found |= !(std::fabs(run.each[k].trace) <= 1.0);
    return found;
  }
  /// @tparam Raises raises `largest` by what is sent where the share exceeds 1, whatever else is in the run (law 1)
  template <bool Raises>
  NPL_INLINE static void add(const PlasticRun& run) {
    const PreTrace* before = run.each ? run.each : &run.before;
    const std::size_t step = run.each ? 1 : 0;
    double largest = 0.0;
    for (std::uint32_t k = 0; k < run.n; ++k) {
      const double share = before[k * step].trace, sent = share * run.weight[k];
      if (Raises && !(std::fabs(share) <= 1.0)) largest = std::max(largest, size_of_sent(sent));
      add_wrapping(run.sums[run.target[k]], round_to_fixed(sent * run.to_fixed));
    }
    if (Raises) *run.largest = std::max(*run.largest, largest);
  }
};

/// @tparam Rule
/// - `check(parameters)`: throws BadParameter for relations between them that are not allowed;
/// - `parameters`: their number;
/// - `values`: number of state values per row, stored in `kept` as differences from the initial values;
/// - `double release(double ms, bool first, double* kept) const`: updates the state at a spike `ms` after the previous one (the first
///   spike: after time 0) and returns the share of the weight that it releases;
/// - optional `static constexpr bool amplifies = true`: the share may exceed 1;
/// - optional `optional<double> state(string_view name, const double* kept) const`: see Plasticity::state.
template <class Rule>
class ShortTermPlasticity final : public RowRule {
 public:
  ShortTermPlasticity(const double* parameters, double dt_ms) : rule_(parameters), dt_(dt_ms) {}

  int row_values() const override { return Rule::values; }
  using RowRule::spike;
  void spike(std::span<RowFired> fired, std::int32_t* last, double* values) const override { spike_each(*this, fired, last, values); }
  PreTrace source_spike(Step stamp, std::int32_t& last, double* values) const {
    const PreTrace now{last, rule_.release(static_cast<double>(stamp - last) * dt_, last == 0, values)};
    last = static_cast<std::int32_t>(stamp);
    return now;
  }
  bool state(Name name, const double* row, const double* own, const double* varied, double& to) const override {
    return Plasticity::put(found(name, row, own, varied), to);
  }
  std::optional<double> found(std::string_view name, const double* row, const double*, const double*) const {
    if constexpr (requires { rule_.state(name, row); }) return rule_.state(name, row);
    return std::nullopt;
  }
  double tau_minus() const override { return 0.0; }
  double largest_weight() const override { return 0.0; }
  double share_sent(const PreTrace& before) const override { return before.trace; }
  bool amplifies() const override { return synapses::amplifies<Rule>; }
  void process(const PlasticRun& run) const override { Dispatch<ShareLoop<synapses::amplifies<Rule>>>::run(&run); }

 private:
  Rule rule_;
  double dt_;
};

/// SynapseInfo::prepare for such a Rule. Throws BadParameter.
template <class Rule>
std::unique_ptr<Plasticity> make_short_term(const double* parameters, double dt_ms) {
  Rule::check(parameters);
  return std::make_unique<ShortTermPlasticity<Rule>>(parameters, dt_ms);
}

/// Throws BadParameter for a value above 1.
inline void check_share(const char* name, double value) {
  if (value > 1.0) throw BadParameter(name, value, "from 0 to 1");
}

/// exp(-ms / tau_ms), and 0 for a time constant of 0.
NPL_INLINE double left_after(double ms, double tau_ms) { return math::choose(tau_ms > 0.0, math::exp(-ms / tau_ms), 0.0); }

}  // namespace npl::synapses
