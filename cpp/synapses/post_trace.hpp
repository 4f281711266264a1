// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic trace, stored once per neuron and time constant: the newest spikes with the trace K- after the last of them, in one cache
/// line, and all spikes that a synapse with a long silent source may still need.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "synapses/post_arrivals.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace npl::synapses {

/// Time window [steps]: postsynaptic spikes in (from, until] pair with the presynaptic spike before, those before until with this one.
struct PairWindow {
  std::int32_t from, until;
  bool first = false;  ///< no presynaptic spike was before
};

/// The newest spikes of one neuron in order of time, the last one in the last place.
struct alignas(64) PostLine {
  static constexpr std::int32_t capacity = 8, traces = 4;
  std::array<std::int32_t, capacity> stamp;  ///< [steps]; PostHistory::none in unused places
  std::array<double, traces> trace;          ///< just after each of the last spikes

  /// Numbers of spikes later than either end of a window.
  struct Later {
    std::int32_t from, until;
  };
  NPL_INLINE Later later(PairWindow w) const {
#if defined(__SSE2__)
    const auto* s = reinterpret_cast<const __m128i*>(stamp.data());
    const __m128i a = _mm_load_si128(s), b = _mm_load_si128(s + 1), from = _mm_set1_epi32(w.from), until = _mm_set1_epi32(w.until);
    const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(_mm_cmpgt_epi32(a, from), _mm_cmpgt_epi32(b, from)),
                                          _mm_packs_epi32(_mm_cmpgt_epi32(a, until), _mm_cmpgt_epi32(b, until)));
    const __m128i sums = _mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), bytes), _mm_setzero_si128());
    return {_mm_cvtsi128_si32(sums), _mm_extract_epi16(sums, 4)};
#else
    Later n{0, 0};
    for (std::int32_t s : stamp) n.from += s > w.from, n.until += s > w.until;
    return n;
#endif
  }
};
static_assert(sizeof(PostLine) == 64);

/// Postsynaptic traces of the nodes of a slice. Not thread safe: used by the thread of the slice.
class PostTrace {
 public:
  PostTrace(std::size_t nodes, double tau_minus_ms, double dt_ms) : tau_minus_(tau_minus_ms), decay_(tau_minus_ms, dt_ms), lines_(0) {
    resize(nodes);
  }

  double tau_minus() const { return tau_minus_; }
  std::size_t nodes() const { return history_.size(); }
  const PostLine& line(Local node) const { return lines_[node]; }
  const PostLine* lines() const { return lines_.data(); }
  /// Of a node whose synapses read this trace; of others after add_unread().
  const PostHistory& history(Local node) const { return history_[node]; }
  const DecayTable& decay() const { return decay_; }

  /// Makes room for more nodes; existing traces stay. Never shrinks.
  void resize(std::size_t nodes);
  /// Adds a spike of the neuron, or several of one step; stamps [steps] must not decrease.
  void add(Local node, std::int32_t stamp, std::size_t spikes = 1);
  /// Tells which nodes have synapses that read this trace: the spikes of others are only counted.
  /// @param read [nodes]
  void set_read(std::vector<bool> read);
  /// Completes the histories of nodes that no synapse reads.
  void add_unread();
  /// Drops spikes with stamp <= oldest [steps], which no synapse needs any more, except the newest of them: it carries the trace.
  void forget(std::int32_t oldest);
  /// Of a checkpoint: the history of a neuron that has none.
  void restore(Local node, PostHistory history);
  /// The same for a neuron that may have one.
  void replace(Local node, PostHistory history);
  /// Number of spikes kept, of all nodes.
  std::size_t kept() const { return kept_; }
  std::size_t bytes() const;
  /// Memory per node without spikes.
  static constexpr std::size_t bytes_per_node = sizeof(PostLine) + sizeof(PostHistory);
  /// Trace at `stamp` [steps] of all spikes strictly before it.
  double before(Local node, std::int64_t stamp) const;
  /// What the synapses of a delay see at a time, which must not decrease from call to call. Valid until the next call or change.
  const PostArrivals& arrivals(Delay delay, std::int32_t until) const { return arrivals_of(delay, until); }
  /// The same with the traces K- of all neurons, which pay when most of them will be asked for.
  const PostArrivals& arrivals_with_traces(Delay delay, std::int32_t until) const;

 private:
  /// Spikes of one step of a node that no synapse reads: relays may send most of the spikes.
  struct Unread {
    Local node;
    std::int32_t stamp, spikes;
  };
  PostArrivals& arrivals_of(Delay delay, std::int32_t until) const;
  void add_to_history(Local node, std::int32_t stamp, std::size_t spikes);
  void forget_unread(std::int32_t oldest);
  void show_last(Local node);

  double tau_minus_;
  DecayTable decay_;
  Buffer<PostLine> lines_;
  std::vector<PostHistory> history_;
  std::vector<bool> read_;      ///< [nodes] empty: all
  std::vector<Unread> unread_;  ///< in order of time: after those in history_
  std::size_t kept_ = 0;
  mutable std::deque<PostArrivals> arrivals_;  ///< a cache: follows from histories
};

}  // namespace npl::synapses
