// SPDX-License-Identifier: Apache-2.0
/// Pair rules with parameters that differ from synapse to synapse. With equal parameters the results are those of PairPlasticity, bit by
/// bit. The trace K+ is kept per source row, and per synapse only where its time constant differs.
#pragma once
#include "synapses/exact.hpp"
#include "synapses/pair_rule.hpp"
#include "synapses/single.hpp"
#include "synapses/varied_parameters.hpp"

namespace npl::synapses {

/// @tparam Rule as for PairPlasticity
template <class Rule, Pairing P>
class VariedPairs final : public SinglePlasticity {
 public:
  VariedPairs(const std::vector<double>& parameters, const std::vector<int>& varied, double dt_ms)
      : given_(parameters, varied),
        common_(given_.common().data()),
        tau_varies_(given_.varies(0)),
        plus_(tau_varies_ ? DecayTable() : DecayTable(common_.tau_plus, dt_ms)),
        dt_(dt_ms),
        initial_(parameters[Rule::initial]) {}

  int synapse_values() const override { return keeps_trace() ? 1 : 0; }
  double tau_minus() const override { return common_.tau_minus; }
  bool all_pairs() const override { return P == Pairing::all; }
  bool meets_all() const override { return initial_ > 0.0; }
  bool asks_arrivals() const override { return true; }
  double largest_weight() const override { return common_.largest_weight(); }
  WeightBounds weight_bounds() const override { return common_.weight_bounds(); }
  WeightBounds bounds_of(const double* varied) const override {
    return varied ? Rule(given_.of(varied).data()).weight_bounds() : weight_bounds();
  }
  PreValues source_spike(Step stamp, std::int32_t& last, double* trace) const override {
    PreValues before{last, {last <= 0 ? initial_ : *trace}};
    if (last < 0)
      before = tau_varies_ ? PreValues{-last, {initial_, static_cast<double>(-last)}} : PreValues{-last, {initial_ * plus_(-last)}};
    *trace = P == Pairing::all && !tau_varies_ ? before.value[0] * plus_(stamp - before.last) + 1.0 : 1.0;
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own, const double*) const override {
    const double* trace = keeps_trace() ? own : row;
    return name == "Kplus" ? std::optional(*trace > 0.0 ? *trace : initial_) : std::nullopt;
  }
  void process_each(const SingleRun& run) const override { Dispatch<Loop>::run(this, &run); }

 private:
  static constexpr std::uint32_t capacity = PairBatch::capacity;
  using Columns = ParameterColumns<Rule::parameters, capacity>;
  bool keeps_trace() const { return P == Pairing::all && tau_varies_; }

  /// The rules of a batch, see update_pairs().
  class Rules {
   public:
    NPL_INLINE Rules(const VariedPairs& model, const SingleRun& run, std::int32_t longest)
        : model_(model),
          run_(run),
          plus_(model.plus_.view()),
          trace_(run.before->value[0]),
          passed_(static_cast<std::int32_t>(run.before->value[1])),
          longest_(longest + passed_),
          all_(model.given_, most(run)),
          chosen_(model.given_, most(run)) {}

    NPL_INLINE void take(std::uint32_t begin, std::uint32_t n) {
      begin_ = begin;
      const std::uint32_t next = std::min(capacity, run_.plastic.n - begin - n);
      prefetch_lines(own(n), next * model_.given_.width() * sizeof(double));
      all_.take(own(0), n);
      if (model_.keeps_trace() && (run_.before->last == 0 || passed_ > 0)) std::fill_n(run_.values + begin, n, model_.initial_);
    }
    NPL_INLINE const Rule& common() const { return model_.common_; }
    NPL_INLINE Rule of(std::uint32_t k) const { return Rule(all_.of(k).data()); }
    NPL_INLINE Rule of_chosen(std::uint32_t i) const { return Rule(chosen_.of(i).data()); }
    NPL_INLINE double choose(std::uint32_t i, std::uint32_t k, const PairBatch& b, std::int32_t post) {
      const std::int32_t from = b.from[0];
      chosen_.put(i, own(k));
      if (!model_.tau_varies_) return trace_ * plus_.since(from, post);
      steps_[i] = post - from + passed_;
      return P == Pairing::all ? run_.values[begin_ + k] : trace_;
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
      const auto since = static_cast<std::int32_t>(run_.plastic.stamp - run_.before->last) + passed_;
      double* trace = run_.values + begin_;
      for (std::uint32_t k = 0; k < n; ++k) trace[k] = trace[k] * Decay(tau[k], dt).over(since) + 1.0;
    }

   private:
    NPL_INLINE static std::uint32_t most(const SingleRun& run) { return std::min(capacity, PairBatch::padded(run.plastic.n)); }
    NPL_INLINE const double* own(std::uint32_t k) const { return run_.varied + std::size_t{begin_ + k} * model_.given_.width(); }

    const VariedPairs& model_;
    const SingleRun& run_;
    const DecayTable::View plus_;
    const double trace_;
    const std::int32_t passed_;   ///< at the first spike: steps before the synapses were made, in which traces have decayed
    const std::int32_t longest_;  ///< time from `from` to the spikes that pair [steps]
    std::uint32_t begin_ = 0;
    Columns all_, chosen_;
    std::int32_t steps_[capacity];  ///< of the chosen ones: from the last spike of the source to the spike that pairs
  };

  struct Loop {
    NPL_INLINE static void run(const VariedPairs* self, const SingleRun* r) {
      const PlasticRun& run = r->plastic;
      PairBatch batch;
      batch.until = static_cast<std::int32_t>(run.stamp - run.delay);
      batch.set_window(0, r->before->last - run.delay, r->before->value[0]);
      Rules rules(*self, *r, batch.until - batch.from[0]);
      for (std::uint32_t begin = 0; begin < run.n; begin += capacity) {
        const std::uint32_t n = std::min(capacity, run.n - begin);
        rules.take(begin, n);
        update_pairs<P>(run, begin, n, batch, rules);
        rules.spike(n);
        std::copy_n(batch.weight, n, r->sent + begin);
      }
    }
  };

  VariedParameters given_;
  Rule common_;
  bool tau_varies_;
  DecayTable plus_;      ///< of a common time constant
  double dt_, initial_;  ///< K+ at time 0
};

/// The description of a pair rule whose parameters may differ from synapse to synapse, but for tau_minus.
template <class Rule, Pairing P = Pairing::all>
SynapseInfo with_varied_pairs(SynapseInfo info) {
  info.check = [](const double* parameters) { Rule::check(parameters); };
  info.prepare_varied = [](const std::vector<double>& parameters, const std::vector<int>& varied,
                           double dt_ms) -> std::unique_ptr<Plasticity> {
    return std::make_unique<VariedPairs<Rule, P>>(parameters, varied, dt_ms);
  };
  info.common = {"tau_minus", "Kplus"};
  info.prepare_exact = make_exact<ExactPair<Rule, P>>;
  return info;
}

}  // namespace npl::synapses
