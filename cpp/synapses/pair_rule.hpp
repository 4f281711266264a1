// SPDX-License-Identifier: Apache-2.0
/// Spike-timing dependent plasticity by pairs, all to all (Morrison et al. 2008), as one loop over the runs of a row.
/// A rule gives facilitate(w, k) and depress(w, k). Because a run is processed when it is due, everything it needs has happened:
/// with dendritic delay d a presynaptic spike at t meets postsynaptic spikes up to t - d, so no correction is ever needed.
#pragma once
#include <cmath>

#include "synapses/model.hpp"

namespace npl::synapses {

template <class Rule>
class PairPlasticity final : public Plasticity {
 public:
  PairPlasticity(const double* parameters, double dt_ms)
      : rule_(parameters), plus_(rule_.tau_plus, dt_ms) {}

  double decay_plus(Step steps) const override { return plus_(steps); }
  double tau_minus() const override { return rule_.tau_minus; }
  double largest_weight() const override { return rule_.largest_weight(); }
  void process(const PlasticRun& run, bool double_weights) const override {
    double_weights ? loop<double>(run) : loop<float>(run);
  }

 private:
  template <class W>
  void loop(const PlasticRun& run) const {
    W* weight = static_cast<W*>(run.weight);
    const Step from = run.before.last - run.delay, until = run.stamp - run.delay;
    double largest = *run.largest;
    constexpr std::uint32_t ahead = 12;
    for (std::uint32_t k = 0; k < run.n; ++k) {
      if (k + ahead < run.n) run.post->prefetch(run.target[k + ahead]);
      const W w = static_cast<W>(updated<W>(weight[k], run, run.target[k], from, until));
      weight[k] = w;
      largest = std::fmax(largest, std::fabs(static_cast<double>(w)));
      run.sums[run.target[k]] += round_to_fixed(static_cast<double>(w) * run.to_fixed);
    }
    *run.largest = largest;
  }

  /// The weight after the pairs with postsynaptic spikes in (from, until] and the depression by those before `until`.
  /// Each step is rounded to the stored precision, so that it does not matter in how many pieces the pairs are processed.
  template <class W>
  NPL_INLINE double updated(double w, const PlasticRun& run, Local target, Step from, Step until) const {
    const PostLine& line = run.post->line(target);
    if (line.count == PostLine::capacity && line.stamp[0] > from) w = pairs_with_older<W>(w, run, target, from, until);
    double minus = 0.0;
    for (std::int32_t i = 0; i < line.count; ++i) {
      const Step stamp = line.stamp[static_cast<std::size_t>(i)];
      if (stamp > until) break;
      if (stamp > from) w = static_cast<W>(rule_.facilitate(w, run.before.trace * plus_(stamp - from)));
      if (stamp < until) minus = line.trace[static_cast<std::size_t>(i)] * run.post->decay()(until - stamp);
    }
    if (line.count == PostLine::capacity && line.stamp[0] >= until) minus = run.post->before(target, until);
    return rule_.depress(w, minus);
  }

  template <class W>
  [[gnu::noinline]] double pairs_with_older(double w, const PlasticRun& run, Local target, Step from, Step until) const {
    for (const PostSpike& s : run.post->older(target))
      if (s.stamp > from && s.stamp <= until) w = static_cast<W>(rule_.facilitate(w, run.before.trace * plus_(s.stamp - from)));
    return w;
  }

  Rule rule_;
  DecayTable plus_;
};

}  // namespace npl::synapses
