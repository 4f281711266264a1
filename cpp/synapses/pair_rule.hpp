// SPDX-License-Identifier: Apache-2.0
/// Pair-based STDP with all-to-all or nearest-neighbour pairing (Morrison et al. 2008), over the runs of a row.
/// A rule supplies facilitate(w, k) and depress(w, k), both branch-free. A run is processed when it is due: with dendritic delay d a
/// presynaptic spike at t pairs with postsynaptic spikes up to t - d, all of which are known by then, so no retroactive correction is
/// needed. Synapses are processed in batches: (1) copy the postsynaptic spike times (one cache line per synapse) into columns and select
/// those that pair, (2) apply the first potentiation of all synapses, then the second, ... as vector loops, (3) depress. The operations on
/// each synapse keep their order, so the result does not depend on batch size or vector width.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/simd.hpp"
#include "synapses/model.hpp"

namespace npl::synapses {

/// Pairing scheme (Morrison, Diesmann & Gerstner 2008, figure 7).
enum class Pairing {
  all,        ///< all-to-all
  nearest,    ///< each spike with the last spike of the other side (7 A)
  immediate,  ///< only spikes without another spike of either side between them (7 C)
};

/// Time window of one run [steps]: postsynaptic spikes in (from, until] potentiate, those before until contribute to depression.
struct PairWindow {
  std::int32_t from, until;
};

/// Working columns of one batch, one entry per synapse.
struct PairBatch {
  static constexpr std::uint32_t capacity = 256;
  double weight[capacity], minus[capacity], gathered[capacity], trace[capacity];
  std::int32_t stamp[PostLine::capacity][capacity];  ///< postsynaptic spike times, transposed so that comparisons vectorise
  std::int32_t first[capacity], pairs[capacity];     ///< the pairing spikes of the line: first .. first + pairs - 1
  std::int32_t newest[capacity];                     ///< index of the newest spike before the window's end; -1: none
  std::int32_t steps[capacity];                      ///< arguments of decays [steps]
  std::int32_t short_line[capacity];                 ///< 1: the synapse needs spikes older than those in the line
  std::uint16_t list[capacity + 1];                  ///< synapses with pairs left to process
  std::uint16_t older[capacity];                     ///< synapses with short_line set
  std::uint32_t n_listed, n_older;

  /// max(so_far, |weight| of the batch). Compares the bit patterns as integers: the same order for numbers >= 0, and it vectorises.
  NPL_INLINE double largest(std::uint32_t n, double so_far) const {
    auto top = std::bit_cast<std::int64_t>(so_far);
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::int64_t size = std::bit_cast<std::int64_t>(weight[k]) & INT64_MAX;
      top = size > top ? size : top;
    }
    return std::bit_cast<double>(top);
  }

  NPL_INLINE void copy_stamps(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) {
    constexpr std::uint32_t ahead = 16;
    const PostLine* lines = run.post->lines();
    const std::uint16_t* target = run.target + begin;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (begin + k + ahead < run.n) __builtin_prefetch(lines + target[k + ahead]);
      const PostLine& line = lines[target[k]];
      for (std::size_t s = 0; s < PostLine::capacity; ++s) stamp[s][k] = line.stamp[s];
    }
  }

  /// Selects the pairing spikes and the depressing spike of each synapse; returns the largest number of pairs.
  NPL_INLINE std::int32_t compare(PairWindow w, std::uint32_t n) {
    std::int32_t most = 0, any_short = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      std::int32_t up_to_from = 0, up_to_until = 0, before = 0, last = 0;
      for (const auto& column : stamp) {
        const std::int32_t s = column[k];
        up_to_from += s <= w.from;
        up_to_until += s <= w.until;
        before += s < w.until;
        last = s < w.until ? s : last;
      }
      first[k] = up_to_from;
      pairs[k] = up_to_until - up_to_from;
      most = pairs[k] > most ? pairs[k] : most;
      newest[k] = before - 1;
      steps[k] = before > 0 ? w.until - last : 0;
      short_line[k] = (stamp[PostLine::capacity - 1][k] != PostLine::never) & ((up_to_from == 0) | (before == 0));
      any_short |= short_line[k];
    }
    n_older = 0;
    for (std::uint32_t k = 0; any_short && k < n; ++k) {
      older[n_older] = static_cast<std::uint16_t>(k);
      n_older += static_cast<std::uint32_t>(short_line[k]);
    }
    return most;
  }

  template <Pairing P>
  NPL_INLINE void depressing_traces(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) {
    const DecayTable::View decay = run.post->decay().view();
    if constexpr (P != Pairing::all) {
      for (std::uint32_t k = 0; k < n; ++k) minus[k] = newest[k] < (P == Pairing::immediate ? first[k] : 0) ? 0.0 : decay(steps[k]);
      return;
    }
    const PostLine* lines = run.post->lines();
    const std::uint16_t* target = run.target + begin;
    for (std::uint32_t k = 0; k < n; ++k) minus[k] = lines[target[k]].trace[static_cast<std::size_t>(newest[k] < 0 ? 0 : newest[k])];
    for (std::uint32_t k = 0; k < n; ++k) minus[k] = newest[k] < 0 ? 0.0 : minus[k] * decay(steps[k]);
  }

  /// Lists the synapses with more than `round` pairs. Rounds ascend, so each list is a subset of the previous one.
  NPL_INLINE void list_round(std::int32_t round, std::uint32_t n) {
    std::uint32_t m = 0;
    for (std::uint32_t i = 0; i < (round ? n_listed : n); ++i) {
      const std::uint16_t k = round ? list[i] : static_cast<std::uint16_t>(i);
      list[m] = k;
      m += pairs[k] > round;
    }
    n_listed = m;
  }
};

/// Pair-based plasticity.
/// @tparam Rule `tau_plus`, `tau_minus` [ms], `largest_weight()`, and the new weights `facilitate(w, k)`, `depress(w, k)` for trace k
template <class Rule, Pairing P = Pairing::all>
class PairPlasticity final : public Plasticity {
 public:
  PairPlasticity(const double* parameters, double dt_ms) : rule_(parameters), plus_(rule_.tau_plus, dt_ms) {}

  PreTrace spike(Step stamp, std::int32_t& last, double* trace) const override {
    const PreTrace before{last, *trace};
    *trace = P == Pairing::all ? before.trace * plus_(stamp - before.last) + 1.0 : 1.0;
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  std::optional<double> state(std::string_view name, const double* row, const double*) const override {
    return P == Pairing::all && name == "Kplus" ? std::optional(*row) : std::nullopt;
  }
  double tau_minus() const override { return rule_.tau_minus; }
  double largest_weight() const override { return rule_.largest_weight(); }
  WeightBounds weight_bounds() const override {
    if constexpr (requires { rule_.weight_bounds(); }) return rule_.weight_bounds();
    return {};
  }
  void process(const PlasticRun& run, bool double_weights) const override {
    double_weights ? Dispatch<Loop<double>>::run(this, &run) : Dispatch<Loop<float>>::run(this, &run);
  }

 private:
  template <class W>
  struct Loop {
    NPL_INLINE static void run(const PairPlasticity* self, const PlasticRun* run) {
      const auto until = static_cast<std::int32_t>(run->stamp - run->delay);
      const bool pairs = run->before.trace > 0.0;  // false at the first spike of a source: no potentiation
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
    b.copy_stamps(run, begin, n);
    const std::int32_t most = b.compare(window, n);
    b.template depressing_traces<P>(run, begin, n);
    for (std::uint32_t i = 0; i < b.n_older; ++i) use_older<W>(run, window, begin, b.older[i], b);
    for (std::int32_t round = 0; round < (P == Pairing::immediate && most > 1 ? 1 : most); ++round) {
      b.list_round(round, n);
      potentiate<W>(run, window, round, b);
    }
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

  /// Potentiates every listed synapse by its pair number `round`; rounds the weight to the stored precision after each pair.
  template <class W>
  NPL_INLINE void potentiate(const PlasticRun& run, PairWindow window, std::int32_t round, PairBatch& b) const {
    const Rule rule = rule_;
    const DecayTable::View plus = plus_.view();
    const double before = run.before.trace;
    const std::uint32_t m = b.n_listed;
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint16_t k = b.list[i];
      b.gathered[i] = b.weight[k];
      b.steps[i] = b.stamp[b.first[k] + round][k] - window.from;
    }
    for (std::uint32_t i = 0; i < m; ++i) b.trace[i] = before * plus(b.steps[i]);
    for (std::uint32_t i = 0; i < m; ++i) b.gathered[i] = static_cast<W>(rule.facilitate(b.gathered[i], b.trace[i]));
    for (std::uint32_t i = 0; i < m; ++i) b.weight[b.list[i]] = b.gathered[i];
  }

  /// Handles spikes older than those in the line: potentiates by their pairs (before those of the line) and corrects the depressing trace.
  /// Rare: only after a long silence of the source.
  template <class W>
  [[gnu::noinline]] void use_older(const PlasticRun& run, PairWindow window, std::uint32_t begin, std::uint16_t k, PairBatch& b) const {
    const Local target = run.target[begin + k];
    double w = b.weight[k];
    const auto& older = run.post->older(target);
    for (auto s = run.post->first_older(target, window.from); s != older.end() && s->stamp <= window.until; ++s) {
      w = static_cast<W>(rule_.facilitate(w, run.before.trace * plus_(s->stamp - window.from)));
      if (P != Pairing::immediate) continue;
      b.pairs[k] = 0;
      break;
    }
    b.weight[k] = w;
    b.minus[k] = P == Pairing::all ? run.post->before(target, window.until) : nearest_older(run, window, target, b.newest[k], b.minus[k]);
  }

  /// Depressing trace of nearest-neighbour pairing: `in_line` when the line holds the spike, else from the list of older spikes.
  double nearest_older(const PlasticRun& run, PairWindow window, Local target, std::int32_t newest, double in_line) const {
    const auto& older = run.post->older(target);
    if (newest >= 0) return in_line;
    auto after = std::lower_bound(older.begin(), older.end(), window.until, [](const PostSpike& s, std::int32_t t) { return s.stamp < t; });
    if (after == older.begin()) return 0.0;
    --after;
    return P == Pairing::immediate && after->stamp <= window.from ? 0.0 : run.post->decay()(window.until - after->stamp);
  }

  Rule rule_;
  DecayTable plus_;
};

}  // namespace npl::synapses
