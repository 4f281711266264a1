// SPDX-License-Identifier: Apache-2.0
/// Spike-timing dependent plasticity by pairs, all to all (Morrison et al. 2008), over the runs of a row.
/// A rule gives facilitate(w, k) and depress(w, k), branch-free. Because a run is processed when it is due, everything it needs has
/// happened: with dendritic delay d a presynaptic spike at t meets postsynaptic spikes up to t - d, so no correction is ever needed.
/// Work goes in batches: which postsynaptic spikes count (one cache line per synapse), then all first potentiations, all second ones, ...
/// in vectors, then depression. A synapse's own operations keep their order, so batches and vectors do not change a bit.
#pragma once
#include <bit>
#include <cstdint>

#include "base/simd.hpp"
#include "synapses/model.hpp"

namespace npl::synapses {

/// The times that matter for one run: postsynaptic spikes in (from, until] pair, those before until depress.
struct PairWindow {
  std::int32_t from, until;
};

/// What one batch remembers per synapse.
struct PairBatch {
  static constexpr std::uint32_t capacity = 256;
  double weight[capacity], minus[capacity], gathered[capacity], trace[capacity];
  std::uint8_t first[capacity], pairs[capacity];  ///< spikes first .. first + pairs of the line pair
  std::uint16_t list[capacity + 1];  ///< synapses with another pair to go
  std::uint16_t older[capacity];     ///< synapses that need spikes older than the line holds
  std::uint32_t n_older;

  /// The largest of |weight| and `so_far`, compared as integers: that order is the same and it vectorises.
  NPL_INLINE double largest(std::uint32_t n, double so_far) const {
    auto top = std::bit_cast<std::int64_t>(so_far);
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::int64_t size = std::bit_cast<std::int64_t>(weight[k]) & INT64_MAX;
      top = size > top ? size : top;
    }
    return std::bit_cast<double>(top);
  }

  /// Reads the postsynaptic lines; returns the largest number of pairs of one synapse.
  NPL_INLINE std::uint32_t look(const PlasticRun& run, PairWindow w, std::uint32_t begin, std::uint32_t n) {
    constexpr std::uint32_t ahead = 16;
    std::uint32_t most = 0;
    n_older = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (begin + k + ahead < run.n) run.post->prefetch(run.target[begin + k + ahead]);
      const PostLine& line = run.post->line(run.target[begin + k]);
      const std::uint32_t first = line.up_to(w.from), last = line.up_to(w.until), before = line.up_to(w.until - 1);
      this->first[k] = static_cast<std::uint8_t>(first);
      pairs[k] = static_cast<std::uint8_t>(last - first);
      most = last - first > most ? last - first : most;
      const std::uint32_t newest = before ? before - 1 : 0;
      minus[k] = before ? line.trace[newest] * run.post->decay()(w.until - line.stamp[newest]) : 0.0;
      if (line.count == PostLine::capacity && (first == 0 || before == 0)) older[n_older++] = static_cast<std::uint16_t>(k);
    }
    return most;
  }
};

template <class Rule>
class PairPlasticity final : public Plasticity {
 public:
  PairPlasticity(const double* parameters, double dt_ms) : rule_(parameters), plus_(rule_.tau_plus, dt_ms) {}

  double decay_plus(Step steps) const override { return plus_(steps); }
  double tau_minus() const override { return rule_.tau_minus; }
  double largest_weight() const override { return rule_.largest_weight(); }
  void process(const PlasticRun& run, bool double_weights) const override {
    double_weights ? Dispatch<Loop<double>>::run(this, &run) : Dispatch<Loop<float>>::run(this, &run);
  }

 private:
  template <class W>
  struct Loop {
    NPL_INLINE static void run(const PairPlasticity* self, const PlasticRun* run) {
      const auto until = static_cast<std::int32_t>(run->stamp - run->delay);
      const bool pairs = run->before.trace > 0.0;  // at the first spike of a source there is nothing to pair with
      const PairWindow window{pairs ? static_cast<std::int32_t>(run->before.last - run->delay) : until, until};
      PairBatch batch;
      for (std::uint32_t begin = 0; begin < run->n; begin += PairBatch::capacity) {
        const std::uint32_t n = run->n - begin < PairBatch::capacity ? run->n - begin : PairBatch::capacity;
        self->template update<W>(*run, window, begin, n, batch);
      }
    }
  };

  template <class W>
  NPL_INLINE void update(const PlasticRun& run, PairWindow window, std::uint32_t begin, std::uint32_t n, PairBatch& b) const {
    W* weight = static_cast<W*>(run.weight) + begin;
    for (std::uint32_t k = 0; k < n; ++k) b.weight[k] = weight[k];
    const std::uint32_t most = b.look(run, window, begin, n);
    for (std::uint32_t i = 0; i < b.n_older; ++i) use_older<W>(run, window, begin, b.older[i], b);
    for (std::uint32_t round = 0; round < most; ++round) potentiate<W>(run, window, begin, n, round, b);
    const Rule rule = rule_;
    for (std::uint32_t k = 0; k < n; ++k) {
      const W w = static_cast<W>(rule.depress(b.weight[k], b.minus[k]));
      weight[k] = w;
      b.weight[k] = static_cast<double>(w);
    }
    *run.largest = b.largest(n, *run.largest);
    if (run.counts)
      for (std::uint32_t k = 0; k < n; ++k) run.sums[run.target[begin + k]] += 1;
    else
      for (std::uint32_t k = 0; k < n; ++k) run.sums[run.target[begin + k]] += round_to_fixed(b.weight[k] * run.to_fixed);
  }

  /// Pair number `round` of every synapse that has one; the weight is rounded to the stored precision each time.
  template <class W>
  NPL_INLINE void potentiate(const PlasticRun& run, PairWindow window, std::uint32_t begin, std::uint32_t n, std::uint32_t round, PairBatch& b) const {
    std::uint32_t m = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      b.list[m] = static_cast<std::uint16_t>(k);
      m += b.pairs[k] > round;
    }
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint16_t k = b.list[i];
      b.gathered[i] = b.weight[k];
      b.trace[i] = run.before.trace * plus_(run.post->line(run.target[begin + k]).stamp[b.first[k] + round] - window.from);
    }
    const Rule rule = rule_;
    for (std::uint32_t i = 0; i < m; ++i) b.gathered[i] = static_cast<W>(rule.facilitate(b.gathered[i], b.trace[i]));
    for (std::uint32_t i = 0; i < m; ++i) b.weight[b.list[i]] = b.gathered[i];
  }

  /// Spikes that left the line: their pairs come first, and the trace may be theirs. Rare: sources silent for long.
  template <class W>
  [[gnu::noinline]] void use_older(const PlasticRun& run, PairWindow window, std::uint32_t begin, std::uint16_t k, PairBatch& b) const {
    const Local target = run.target[begin + k];
    double w = b.weight[k];
    for (auto s = run.post->first_older(target, window.from); s != run.post->older(target).end() && s->stamp <= window.until; ++s)
      w = static_cast<W>(rule_.facilitate(w, run.before.trace * plus_(s->stamp - window.from)));
    b.weight[k] = w;
    b.minus[k] = run.post->before(target, window.until);
  }

  Rule rule_;
  DecayTable plus_;
};

}  // namespace npl::synapses
