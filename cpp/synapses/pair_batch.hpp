// SPDX-License-Identifier: Apache-2.0
/// Update of the synapses of a run by a pair rule, in batches: (1) find the postsynaptic spikes that pair and the depressing trace, (2)
/// apply the first potentiation of all synapses, then the second, ... as vector loops, (3) depress. The operations on each synapse keep
/// their order, so the result does not depend on batch size or vector width.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/math.hpp"
#include "base/simd.hpp"
#include "synapses/row_rule.hpp"

namespace npl::synapses {

/// Pairing scheme (Morrison, Diesmann & Gerstner 2008, figure 7).
enum class Pairing {
  all,        ///< all-to-all
  nearest,    ///< each spike with the last spike of the other side (7 A)
  immediate,  ///< only spikes without another spike of either side between them (7 C); depression, as in NEST, after any postsynaptic
              ///< spike since the last presynaptic one, also one that comes together with this one, by the last before this one
};

/// Working columns of one batch, one entry per synapse. Loops of arithmetic run over whole vectors: entries beyond the batch are padding.
struct PairBatch {
  static constexpr std::uint32_t capacity = 256, vector = 8;
  alignas(64) double weight[capacity], minus[capacity];  ///< minus: trace K- that depresses
  double chosen[capacity], trace[capacity];              ///< weights and traces of one round of pairs
  std::int32_t newest[capacity];                         ///< stamp of the spike that depresses
  const std::int32_t* first[capacity];                   ///< stamp of the first postsynaptic spike that pairs
  std::int32_t pairs[capacity];                          ///< number of spikes that pair
  std::uint16_t list[capacity + 1];                      ///< synapses with pairs left to process
  std::uint16_t distant[capacity + 1];                   ///< synapses that need more than the line of their target
  std::uint32_t n_listed, n_distant;
  std::int32_t from[capacity], until;  ///< the windows in which postsynaptic spikes pair; see PairWindow
  double before[capacity];             ///< trace K+ at `from`; 0: the source has not spiked before
  bool always = false;                 ///< postsynaptic spikes count before the first one of the source, too
  std::uint32_t own = 0;               ///< mask of indices in `from` and `before`: 0 where all synapses have the same

  NPL_INLINE PairWindow window(std::uint32_t k) const { return {from[k & own], until, !(before[k & own] > 0.0)}; }
  /// Sets the windows of n synapses of a run from the states of their sources.
  NPL_INLINE void set_windows(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) {
    until = static_cast<std::int32_t>(run.stamp - run.delay);
    own = run.each ? capacity - 1 : 0;
    const PreTrace* sources = run.each ? run.each + begin : &run.before;
    for (std::uint32_t k = 0; k < (run.each ? n : 1); ++k) set_window(k, sources[k].last - run.delay, sources[k].trace);
  }
  NPL_INLINE void set_window(std::uint32_t k, Step begin, double trace) {
    from[k] = trace > 0.0 || always ? static_cast<std::int32_t>(begin) : until;  // else no potentiation at the first spike of a source
    before[k] = trace;
  }

  /// n rounded up to whole vectors.
  NPL_INLINE static std::uint32_t padded(std::uint32_t n) { return (n + vector - 1) & ~(vector - 1); }

  /// Finds the pairing spikes and the depressing trace of each synapse in the line of its target, for any delay.
  template <Pairing P>
  NPL_INLINE void look_up(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) {
    constexpr std::uint32_t ahead = 16;
    constexpr std::int32_t last_trace = PostLine::traces - 1;
    const PostLine* lines = run.post->lines();
    const DecayTable::View decay = run.post->decay().view();
    const std::uint16_t* target = run.target + begin;
    std::uint32_t listed = 0, far = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (begin + k + ahead < run.n) __builtin_prefetch(lines + target[k + ahead]);
      const PostLine& line = lines[target[k]];
      const PostLine::Later later = line.later(window(k));
      const std::int32_t back = later.until < last_trace ? later.until : last_trace;
      newest[k] = line.stamp[static_cast<std::size_t>(PostLine::capacity - 1 - back)];
      first[k] = line.stamp.data() + (PostLine::capacity - later.from);
      pairs[k] = later.from - later.until;
      if constexpr (P == Pairing::all) minus[k] = line.trace[static_cast<std::size_t>(last_trace - back)];
      if constexpr (P == Pairing::immediate) minus[k] = window(k).first || pairs[k] > 0 ? 1.0 : 0.0;
      list[listed] = distant[far] = static_cast<std::uint16_t>(k);
      listed += pairs[k] > 0;
      far += (later.from == PostLine::capacity) | (later.until > last_trace) | (newest[k] == until);
    }
    n_listed = listed;
    n_distant = far;
    const std::uint32_t whole = padded(n);  // in a loop of its own: without branches, which random spikes would mispredict
    for (std::uint32_t k = 0; k < whole; ++k) {
      const double scale = P == Pairing::all ? minus[k] : newest[k] == PostHistory::none ? 0.0 : P == Pairing::nearest ? 1.0 : minus[k];
      minus[k] = scale * decay.since(newest[k], until);
    }
  }

  /// The same from what is kept for the delay of the run: less than half the work.
  template <Pairing P>
  NPL_INLINE void look_up_arrived(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) {
    const std::uint16_t* target = run.target + begin;
    const PostStamps* stamps = run.arrived->stamps();
    std::uint32_t listed = 0, far = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      const PostStamps& line = stamps[target[k]];
      const std::int32_t earlier = line.up_to(from[k & own]);
      first[k] = line.stamp.data() + earlier;
      pairs[k] = PostStamps::capacity - earlier;
      list[listed] = static_cast<std::uint16_t>(k);
      listed += earlier < PostStamps::capacity;
      if constexpr (P == Pairing::immediate) minus[k] = window(k).first || pairs[k] > 0 ? 1.0 : 0.0;
      if (earlier == 0) [[unlikely]]
        distant[far++] = static_cast<std::uint16_t>(k);
    }
    n_listed = listed;
    n_distant = far;
    if (const double* sums = P == Pairing::all ? run.arrived->minus() : nullptr) {
      for (std::uint32_t k = 0; k < n; ++k) minus[k] = sums[target[k]];
      return;
    }
    see_last<P>(run.arrived->last(), target, run.post->decay().view(), until, n, minus);
  }

  /// The trace that depresses, from the last spikes of all nodes. @param seen out; (immediate) in: 0 where none does
  template <Pairing P>
  NPL_INLINE static void see_last(const PostSpike* __restrict spikes, const std::uint16_t* __restrict target, DecayTable::View decay,
                                  std::int32_t until, std::uint32_t n, double* __restrict seen) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const PostSpike& last = spikes[target[k]];
      const double one = last.stamp == PostHistory::none ? 0.0 : P == Pairing::nearest ? 1.0 : seen[k];
      seen[k] = (P == Pairing::all ? last.trace : one) * decay.since(last.stamp, until);
    }
  }

  /// Looks a synapse up in the history of its target.
  template <Pairing P>
  [[gnu::noinline]] void look_back(const PlasticRun& run, Local target, std::uint16_t k) {
    const PairWindow w = window(k);
    const PostHistory& h = run.post->history(target);
    const std::size_t begin = h.first_after(w.from), end = std::max(begin, h.first_after(w.until)),
                      newest = h.first_after(std::int64_t{w.until} - 1);
    if (pairs[k] == 0 && end > begin) list[n_listed++] = k;
    first[k] = h.stamp.data() + begin;
    pairs[k] = static_cast<std::int32_t>(end - begin);
    const bool depresses = newest > 0 && (P != Pairing::immediate || w.first || end > begin);
    const double scale = P == Pairing::all ? (depresses ? h.trace[newest - 1] : 0.0) : 1.0;
    minus[k] = depresses ? scale * run.post->decay()(w.until - h.stamp[newest - 1]) : 0.0;
  }

  /// Adds the weights of n synapses of a run to its sums.
  NPL_INLINE void send(const PlasticRun& run, std::uint32_t begin, std::uint32_t n) const {
    const std::uint16_t* target = run.target + begin;
    if (run.counts)
      for (std::uint32_t k = 0; k < n; ++k) add_wrapping(run.sums[target[k]], 1);
    else
      for (std::uint32_t k = 0; k < n; ++k) add_wrapping(run.sums[target[k]], round_to_fixed(weight[k] * run.to_fixed));
  }

  /// max(so_far, |weight| of the batch). Compares the bit patterns as integers: the same order for numbers >= 0, and it vectorises.
  NPL_INLINE double largest(std::uint32_t n, double so_far) const {
    auto top = std::bit_cast<std::int64_t>(so_far);
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::int64_t size = std::bit_cast<std::int64_t>(weight[k]) & INT64_MAX;
      top = size > top ? size : top;
    }
    return std::bit_cast<double>(top);
  }
};

/// Calls loop(facilitate), once, with what makes a new weight of (rule, w, k). A rule with variants offers `facilitation`, which chooses
/// one before the loop, since loops with branches do not vectorise.
template <class Rule, class Loop>
NPL_INLINE void with_facilitation(const Rule& rule, Loop&& loop) {
  if constexpr (requires { rule.facilitation(loop); })
    rule.facilitation(loop);
  else
    loop([](const Rule& of_synapse, double w, double k) NPL_INLINE_LAMBDA { return of_synapse.facilitate(w, k); });
}
/// The same for depression.
template <class Rule, class Loop>
NPL_INLINE void with_depression(const Rule& rule, Loop&& loop) {
  if constexpr (requires { rule.depression(loop); })
    rule.depression(loop);
  else
    loop([](const Rule& of_synapse, double w, double k) NPL_INLINE_LAMBDA { return of_synapse.depress(w, k); });
}

/// Potentiates every listed synapse by its pair number `round`, and lists those with more pairs. Rounds the weight to the stored precision
/// after each pair.
template <Pairing P, class Rules>
NPL_INLINE void potentiate(StoredWeights weights, std::int32_t round, PairBatch& b, Rules& rules) {
  const std::uint32_t m = b.n_listed, whole = PairBatch::padded(m);
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint16_t k = b.list[i];
    b.chosen[i] = b.weight[k];
    b.trace[i] = rules.choose(i, k, b, b.first[k][round]);
  }
  rules.decay_chosen(whole, b.trace);
  with_facilitation(rules.common(), [&](auto facilitate) NPL_INLINE_LAMBDA {
    for (std::uint32_t i = 0; i < whole; ++i) b.chosen[i] = weights.round(facilitate(rules.of_chosen(i), b.chosen[i], b.trace[i]));
  });
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint16_t k = b.list[i];
    b.weight[k] = b.chosen[i];
    b.list[left] = k;
    left += b.pairs[k] > round + 1;
  }
  b.n_listed = P == Pairing::immediate ? 0 : left;
}

/// Updates the weights of n synapses of a run. @param begin index of the first in the run
/// @param b its windows are set
/// @param rules of the synapses of the batch
/// - `common()`: what all have in common, by which the loops are chosen
/// - `of(k)`: rule of synapse k
/// - `choose(i, k, batch, post)`: takes k as the i-th of a round; returns the trace K+ at `post`, or such that `decay_chosen(n, trace)`
///   will make it that; then `of_chosen(i)` is the rule of the i-th
template <Pairing P, class Rules>
NPL_INLINE void update_pairs(const PlasticRun& run, std::uint32_t begin, std::uint32_t n, PairBatch& b, Rules& rules) {
  const std::uint16_t* target = run.target + begin;
  const StoredWeights weights = run.weight.from(begin);
  if (run.arrived)
    b.template look_up_arrived<P>(run, begin, n);
  else
    b.template look_up<P>(run, begin, n);
  for (std::uint32_t i = 0; i < b.n_distant; ++i) b.look_back<P>(run, target[b.distant[i]], b.distant[i]);
  weights.load(b.weight, n);
  for (std::int32_t round = 0; b.n_listed > 0; ++round) potentiate<P>(weights, round, b, rules);
  const std::uint32_t whole = PairBatch::padded(n);
  with_depression(rules.common(), [&](auto depress) NPL_INLINE_LAMBDA {
    for (std::uint32_t k = 0; k < whole; ++k) b.weight[k] = weights.round(depress(rules.of(k), b.weight[k], b.minus[k]));
  });
  weights.store(b.weight, n);
  *run.largest = b.largest(n, *run.largest);
}

}  // namespace npl::synapses
