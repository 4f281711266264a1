// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic spikes that have arrived at the synapses of one dendritic delay d: a presynaptic spike at t pairs with those up to t - d.
/// All events of a step with this delay have the same t - d, so stamps and trace at that time are kept per neuron: the work is per
/// postsynaptic spike instead of per event.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "synapses/decay.hpp"
#include "synapses/post_history.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace npl::synapses {

/// The newest stamps [steps] of one neuron in order of time, the last one in the last place; `PostHistory::none` in unused places.
struct alignas(32) PostStamps {
  static constexpr std::int32_t capacity = 8;
  std::array<std::int32_t, capacity> stamp;

  /// Number of stamps <= time.
  NPL_INLINE std::int32_t up_to(std::int32_t time) const {
#if defined(__SSE2__)
    const auto* s = reinterpret_cast<const __m128i*>(stamp.data());
    const __m128i t = _mm_set1_epi32(time);
    const __m128i later = _mm_packs_epi32(_mm_cmpgt_epi32(_mm_load_si128(s), t), _mm_cmpgt_epi32(_mm_load_si128(s + 1), t));
    return std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(later, later))) | 1u << capacity);  // stamps ascend
#else
    std::int32_t n = 0;
    for (std::int32_t s : stamp) n += s <= time;
    return n;
#endif
  }
};

/// Not thread safe: used by the thread of the slice.
class PostArrivals {
 public:
  explicit PostArrivals(Delay delay) : delay_(delay), stamps_(0), last_(0), trace_(0) {}

  Delay delay() const { return delay_; }
  std::int32_t until() const { return until_; }

  /// Adds a new spike; stamps must not decrease.
  void add(Local node, PostSpike spike);
  /// Moves on to a time [steps], not before until().
  void advance(std::int32_t until, const std::vector<PostHistory>& histories);
  /// Makes minus() of this time.
  void sum(const DecayTable& decay);

  /// [nodes] spikes up to until()
  const PostStamps* stamps() const { return stamps_.data(); }
  /// [nodes] the last spike before until()
  const PostSpike* last() const { return last_.data(); }
  /// [nodes] trace K- at until() of the spikes before; null: not made
  const double* minus() const { return summed_ == until_ ? trace_.data() : nullptr; }

  std::size_t bytes() const { return stamps_.bytes() + last_.bytes() + trace_.bytes() + pending_.capacity() * sizeof(pending_[0]); }
  static constexpr std::size_t bytes_per_node = sizeof(PostStamps) + sizeof(PostSpike) + sizeof(double);

 private:
  struct Pending {
    Local node;
    PostSpike spike;
  };
  void restart(const std::vector<PostHistory>& histories);

  Delay delay_;
  std::int32_t until_ = PostHistory::none, summed_ = PostHistory::none;
  Buffer<PostStamps> stamps_;
  Buffer<PostSpike> last_;
  Buffer<double> trace_;
  std::vector<Pending> pending_;                 ///< in order of time: later spikes, and some that are in stamps_ and last_ already
  std::size_t n_in_stamps_ = 0, n_in_last_ = 0;  ///< number of pending_ that are
  std::size_t since_advance_ = 0;                ///< number of spikes since the last advance
  bool stale_ = true;                            ///< spikes are missing: restart() before the next use
};

}  // namespace npl::synapses
