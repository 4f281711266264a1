// SPDX-License-Identifier: Apache-2.0
/// Queue of single synaptic events by the step in which they are due, for tables whose runs are so short that a calendar entry per run
/// costs more than the events themselves: a spike copies its row here at once. Memory follows the events in flight: steps share chunks.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"

namespace npl::pathways {

/// A queued event. @tparam W type of the weights in the table, or NoWeight
template <class W>
struct Event {
  W weight;
  std::uint16_t target;
};
struct NoWeight {};
template <>
struct Event<NoWeight> {
  std::uint16_t target;
};

/// The type of the events is that of the calls between two resets; it must be trivially copyable.
class ScatterQueue {
  struct Chunk {
    Chunk* earlier;  ///< of the same step; or of the free list
    alignas(8) std::byte events[1016];
  };
  struct alignas(32) Slot {
    std::byte *next = nullptr, *end = nullptr;  ///< in the last chunk
    Chunk *last = nullptr, *first = nullptr;
  };

 public:
  /// Drops all events. @param longest_delay largest distance of due steps from the current step [steps]
  void reset(Delay longest_delay) {
    for (Slot& s : slots_) release(s);
    slots_.assign(std::bit_ceil(std::size_t{longest_delay} + 2), {});
  }
  /// Frees all memory.
  void clear() { *this = ScatterQueue(); }

  /// Adds events of one type. Keeps the place of the ring in registers: valid until the queue is reset.
  template <class Event>
  class Writer {
   public:
    explicit Writer(ScatterQueue& queue) : queue_(queue), slots_(queue.slots_.data()), mask_(queue.slots_.size() - 1) {}
    /// The event to be filled; due at most `longest_delay` + 1 steps after the current step. Throws std::bad_alloc.
    NPL_INLINE Event& add(Step due) const {
      Slot& s = slots_[static_cast<std::size_t>(due) & mask_];
      if (s.next == s.end) [[unlikely]]
        queue_.extend(s, sizeof(Event));
      auto* event = reinterpret_cast<Event*>(s.next);
      s.next += sizeof(Event);
      return *event;
    }
    /// Adds n events that are no more than their targets. @param readable targets that there are from `target` on
    NPL_INLINE void add(Step due, const std::uint16_t* target, std::size_t n, std::size_t readable) const {
      constexpr std::size_t at_once = 8;  // always so many: the end of a loop over each short row would be mispredicted
      Slot& s = slots_[static_cast<std::size_t>(due) & mask_];
      if (n > at_once || readable < at_once || static_cast<std::size_t>(s.end - s.next) < at_once * sizeof *target) {
        for (std::size_t k = 0; k < n; ++k) add(due).target = target[k];
        return;
      }
      std::memcpy(s.next, target, at_once * sizeof *target);
      s.next += n * sizeof *target;
    }

   private:
    ScatterQueue& queue_;
    Slot* const slots_;
    const std::size_t mask_;
  };
  /// Calls f(events, n) for all events of a step, in pieces, and removes them. Returns their number.
  template <class Event, class F>
  std::size_t take(Step step, F&& f) {
    Slot& s = slots_[static_cast<std::size_t>(step) & (slots_.size() - 1)];
    std::size_t total = 0;
    const std::byte* end = s.next;
    for (const Chunk* c = s.last; c; c = c->earlier) {
      if (c->earlier) prefetch_lines(c->earlier, sizeof(Chunk));
      const auto n = static_cast<std::size_t>(end - c->events) / sizeof(Event);
      f(reinterpret_cast<const Event*>(c->events), n);
      total += n;
      if (c->earlier) end = c->earlier->events + used_bytes(sizeof(Event));
    }
    release(s);
    return total;
  }
  /// Bytes of the chunks.
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& b : blocks_) total += b.bytes();
    return total;
  }
  /// Expected bytes; delays are taken to be half of the longest on average.
  static double expected_bytes(double events_per_step, double longest_delay, double event_bytes) {
    const double ring = math::power_of_two_from(longest_delay + 2.0), flying = events_per_step * (longest_delay / 2 + 1);
    return ring * sizeof(Chunk) + flying * event_bytes;
  }

 private:
  static constexpr std::size_t first_block = 16, largest_block = 4096;  ///< [chunks]

  static constexpr std::size_t used_bytes(std::size_t event) { return sizeof(Chunk::events) / event * event; }
  [[gnu::noinline]] void extend(Slot& s, std::size_t event) {
    Chunk* c = free_ ? std::exchange(free_, free_->earlier) : fresh();
    c->earlier = s.last;
    s = {c->events, c->events + used_bytes(event), c, s.first ? s.first : c};
    if (free_) __builtin_prefetch(free_);  // the next to be taken
  }
  Chunk* fresh() {
    if (unused_ == 0) {
      unused_ = blocks_.empty() ? first_block : std::min(2 * blocks_.back().size(), largest_block);
      blocks_.emplace_back(unused_);
    }
    return &blocks_.back()[blocks_.back().size() - unused_--];
  }
  /// The chunks of a step go to the free list as they are linked; those used last, which are in cache, are used first again.
  void release(Slot& s) {
    if (s.last) s.first->earlier = std::exchange(free_, s.last);
    s = {};
  }

  std::vector<Slot> slots_;
  std::vector<Buffer<Chunk>> blocks_;
  Chunk* free_ = nullptr;
  std::size_t unused_ = 0;  ///< chunks of the last block that were never used
};

}  // namespace npl::pathways
