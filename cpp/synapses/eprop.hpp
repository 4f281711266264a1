// SPDX-License-Identifier: Apache-2.0
/// Synapses that learn by eligibility propagation. A synapse is brought up to date when its source spikes: it goes through the steps since
/// then, reading what its target has recorded. In targets with an interval between updates the weight changes with the first spike after
/// an interval, by the gradient of the interval (Bellec et al. 2020); else with every spike (Korcsak-Gorzo et al. 2025).
#pragma once
#include "synapses/eligibility.hpp"
#include "synapses/optimizer.hpp"
#include "synapses/rule.hpp"

namespace npl::synapses {

struct EligibilitySteps;

/// What a model says of its synapses.
struct EpropRule {
  Optimizer optimizer;
  double kappa = 0.0;       ///< per step: of the filter of eligibility, where the synapse knows it; else the target does
  bool averages = false;    ///< the gradient is divided by the steps in which is learned
  bool by_interval = true;  ///< of its targets
  bool each_step = false;   ///< without intervals: there is an update in each step, not with each spike
  double eta_before = 0.0;  ///< learning rate of intervals that have begun by `eta_since`
  Step eta_since = 0;       ///< [steps]
};

class Eprop final : public RuleOver<Step> {
 public:
  Eprop(const EpropRule& rule) : rule_(rule) {
    if (rule_.each_step) rule_.optimizer.remember();
  }

  /// LastSpikes::counts; of targets that learn in intervals SpikeSteps, too.
  int row_values() const override { return rule_.by_interval ? 1 + int{SpikeSteps::words} : 1; }
  /// EligibilityValue, then the optimizer's; with updates in each step also the weight learned since the last spike, and that spike's.
  int synapse_values() const override { return static_cast<int>(n_eligibility) + rule_.optimizer.values() + (rule_.each_step ? 2 : 0); }
  bool reads_history() const override { return true; }
  bool catches_up() const override { return true; }
  WeightBounds weight_bounds() const override { return {rule_.optimizer.Wmin, rule_.optimizer.Wmax}; }
  double tau_minus() const override { return 0.0; }
  double largest_weight() const override { return std::max(std::fabs(rule_.optimizer.Wmin), std::fabs(rule_.optimizer.Wmax)); }

  /// m, v: moments of Adam.
  bool state(Name name, const double* row, const double* own, const double* varied, double& to) const override {
    return Plasticity::put(found(name, row, own, varied), to);
  }
  std::optional<double> found(std::string_view name, const double*, const double* own, const double*) const {
    if (rule_.optimizer.adam == 0.0 || (name != "m" && name != "v")) return std::nullopt;
    return own[n_eligibility + (name == "m" ? 1 : 2)];
  }
  void spike(std::span<FiredAt<Step>> fired, const RowStates& rows) const override { spike_each(*this, fired, rows); }
  PreValues source_spike(Step stamp, std::int32_t& last, double* kept) const {
    const PreValues before{last, {kept[0]}};
    kept[0] = static_cast<double>(last > 0 ? LastSpikes::with_another(static_cast<std::uint64_t>(kept[0]), stamp - last) : 1);
    if (rule_.by_interval) SpikeSteps::add(kept + 1, stamp - last);
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  void process(const RunAt<Step>& run) const override { process_parts(run, true); }
  void catch_up(const RunAt<Step>& run) const override { process_parts(run, false); }
  bool settles(Step arrived, Step now, Step delay) const override;

 private:
  /// One part of a run.
  struct Due {
    const RunAt<Step>& run;
    const PartAt<Step>& part;
    const std::uint16_t* target;  ///< [part.n]
    double* values;               ///< [part.n x synapse_values]
    double* sent;                 ///< [part.n]
    const double* row_values;     ///< present state of the row
    Step row_last;                ///< its last spike
  };
  /// Synapses of a part that learn together, and when.
  struct Chunk {
    const TargetHistory* history;
    const TargetHistory* filled = nullptr;  ///< all lanes have the constants of its nodes
    const Learner* one;                     ///< of its first target
    std::uint32_t begin;                    ///< in the part
    Step through, closed, first, interval, lag, hold, cutoff;
    double window;
    bool loses;  ///< spikes that arrive in the first step of an interval
    Step known;  ///< signals are known up to this step
    LastSpikes spikes;
    EligibilityLanes lanes;

    /// Intervals that have ended before a spike that arrives.
    Step ended(Step arrival) const { return std::max<Step>(0, (arrival - 1 - first) / interval); }
    Step end_of(Step nth) const { return first + nth * interval - 1; }  ///< last step of an interval, from 1
  };

  std::size_t width() const { return static_cast<std::size_t>(synapse_values()); }

  double ahead(double weight, const double* values) const;
  static void meet(Chunk& c, const Due& due, std::uint32_t begin);
  LastSpikes spikes_before(const Due& due) const;
  static bool may_wait(const Chunk& c, Step arrival);
  static std::uint32_t n_alike(const Chunk& c, const Due& due);
  void fill(EligibilityLanes& l, std::size_t k, const Learner& of) const;
  /// As many synapses from `begin` on as learn together.
  void gather(const Due& due, Chunk& c) const;
  static EligibilitySteps steps_of(const Chunk& c, Step first, Step until);
  void learn(Chunk& c, Step until) const;
  static void complete(Chunk& c);
  void apply(EligibilityLanes& l, Step nth, double eta) const;
  void close(Chunk& c, Step until) const;
  void learn_on(Chunk& c, Step until) const;
  void update(Chunk& c, Step until) const;
  void store(const Chunk& c, const Due& due, bool spikes) const;
  /// @param n synapses from the first of a chunk on
  static void send(const Chunk& c, const Due& due, std::uint32_t n, bool lost);
  void learn_now(Chunk& c, const Due& due, bool spikes, bool lost) const;
  void process_part(const Due& due, bool spikes) const;
  void process_parts(const RunAt<Step>& run, bool spikes) const;

  EpropRule rule_;
};

}  // namespace npl::synapses
