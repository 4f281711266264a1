// SPDX-License-Identifier: Apache-2.0
/// Pair-based STDP with all-to-all or nearest-neighbour pairing (Morrison et al. 2008), over the runs of a row.
/// A rule supplies facilitate(w, k) and depress(w, k), both branch-free. A run is processed when it is due: with dendritic delay d a
/// presynaptic spike at t pairs with postsynaptic spikes up to t - d, all of which are known by then, so no retroactive correction is
/// needed.
#pragma once
#include "synapses/pair_batch.hpp"

namespace npl::synapses {

/// K+ at time 0, which models from equations do not have, and what users call the trace.
template <class Rule>
double initial_trace(const double* parameters) {
  if constexpr (requires { Rule::initial; }) return parameters[Rule::initial];
  return 0.0;
}
template <class Rule>
bool is_trace(std::string_view name) {
  if constexpr (requires { Rule::trace; }) return name == Rule::trace;
  return name == "Kplus";
}

/// Whether spikes of targets before the first one of the source count even where the trace is 0.
template <class Rule>
inline constexpr bool pairs_always = requires { requires Rule::always; };

/// Pair-based plasticity.
/// @tparam Rule
/// - `parameters`: how many parameters the model has; the first one is tau_plus;
/// - optional `initial`: index of K+ at time 0; optional `trace`: its name; optional `always = true`: see pairs_always;
/// - `check(parameters)`, `tau_plus`, `tau_minus` [ms], `largest_weight()`, and the new weights `facilitate(w, k)`, `depress(w, k)` for
///   trace k
template <class Rule, Pairing P = Pairing::all>
class PairPlasticity final : public RowRule {
 public:
  PairPlasticity(const double* parameters, double dt_ms)
      : rule_(parameters), plus_(rule_.tau_plus, dt_ms), initial_(initial_trace<Rule>(parameters)) {}

  using RowRule::spike;
  void spike(std::span<RowFired> fired, std::int32_t* last, double* values) const override { spike_each(*this, fired, last, values); }
  PreTrace source_spike(Step stamp, std::int32_t& last, double* trace) const {
    PreTrace before{last, last <= 0 ? initial_ : *trace};
    if (last < 0) before = {-last, initial_ * plus_(-last)};
    *trace = P == Pairing::all ? before.trace * plus_(stamp - before.last) + 1.0 : 1.0;
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  bool state(Name name, const double* row, const double* own, const double* varied, double& to) const override {
    return Plasticity::put(found(name, row, own, varied), to);
  }
  std::optional<double> found(std::string_view name, const double* row, const double*, const double*) const {
    return is_trace<Rule>(name) ? std::optional(*row > 0.0 ? *row : initial_) : std::nullopt;
  }
  double tau_minus() const override { return rule_.tau_minus; }
  bool all_pairs() const override { return P == Pairing::all; }
  bool meets_all() const override { return initial_ > 0.0 || pairs_always<Rule>; }
  double largest_weight() const override { return rule_.largest_weight(); }
  WeightBounds weight_bounds() const override { return rule_.weight_bounds(); }
  void process(const PlasticRun& run) const override { Dispatch<Loop>::run(this, &run); }

 private:
  /// One rule for all synapses, see update_pairs().
  struct Rules {
    const Rule rule;
    const DecayTable::View plus;

    NPL_INLINE const Rule& common() const { return rule; }
    NPL_INLINE Rule of(std::uint32_t) const { return rule; }
    NPL_INLINE Rule of_chosen(std::uint32_t) const { return rule; }
    NPL_INLINE double choose(std::uint32_t, std::uint32_t k, const PairBatch& b, std::int32_t post) const {
      return b.before[k & b.own] * plus.since(b.from[k & b.own], post);
    }
    NPL_INLINE void decay_chosen(std::uint32_t, double*) const {}
  };

  struct Loop {
    NPL_INLINE static void run(const PairPlasticity* self, const PlasticRun* run) {
      const Rules rules{self->rule_, self->plus_.view()};
      PairBatch batch;
      batch.always = pairs_always<Rule>;
      for (std::uint32_t begin = 0; begin < run->n; begin += PairBatch::capacity) {
        const std::uint32_t n = run->n - begin < PairBatch::capacity ? run->n - begin : PairBatch::capacity;
        batch.set_windows(*run, begin, n);
        update_pairs<P>(*run, begin, n, batch, rules);
        batch.send(*run, begin, n);
      }
    }
  };

  Rule rule_;
  DecayTable plus_;
  double initial_;  ///< K+ at time 0
};

/// SynapseInfo::prepare for such a Rule. Throws BadParameter.
template <class Rule, Pairing P = Pairing::all>
std::unique_ptr<Plasticity> make_pair(const double* parameters, double dt_ms) {
  Rule::check(parameters);
  return std::make_unique<PairPlasticity<Rule, P>>(parameters, dt_ms);
}

}  // namespace npl::synapses
