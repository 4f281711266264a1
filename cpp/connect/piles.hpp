// SPDX-License-Identifier: Apache-2.0
/// Edges in piles by ranges of sources; each pile is small enough to be sorted in cache. For tables with fewer synapses than possible
/// sources, where counters per source would take more memory than the edges.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/simd.hpp"
#include "base/slabs.hpp"
#include "connect/edge.hpp"

namespace npl::connect {

template <class W>
class Piles {
 public:
  static constexpr double wanted_size = 8192;  ///< edges: with their sorting keys they fit the L2 cache
  static constexpr std::uint64_t most_piles = 1 << 16;

  /// @param keys number of possible source keys; @param expected number of edges; @param pool memory to take from, null: own
  Piles(std::uint64_t keys, double expected, SlabPool* pool = nullptr) : slabs_(pool) {
    const auto wanted = static_cast<std::uint64_t>(std::min(expected / wanted_size, double{most_piles}));
    const std::uint64_t each = keys / std::max<std::uint64_t>(1, wanted);
    shift_ = std::min(static_cast<unsigned>(std::bit_width(each)), 32u);  // slots have 32 bits
    piles_.resize(static_cast<std::size_t>(keys >> shift_) + 1);
    const double per_pile = expected / static_cast<double>(piles_.size());
    while (capacity_ > 16 && static_cast<double>(capacity_) > per_pile) capacity_ /= 2;
    pages_ = capacity_ == page_bytes / sizeof(Edge<W>);
  }

  /// Adds an edge. @param key of the source, see tables::SourceOrder; @param delay [steps]
  NPL_INLINE void add(std::uint64_t key, std::uint16_t target, Delay delay, W weight) {
    Pile& p = piles_[key >> shift_];
    if (p.left == 0) extend(p);
    *p.next++ = {static_cast<std::uint32_t>(key & ((std::uint64_t{1} << shift_) - 1)), target, delay, weight};
    --p.left;
  }

  /// Number of piles.
  std::size_t size() const { return piles_.size(); }
  /// Number of bits of Edge::slot.
  unsigned slot_bits() const { return shift_; }
  std::uint64_t n_edges() const {
    std::uint64_t n = 0;
    for (const Pile& p : piles_) n += p.chunks.size() * capacity_ - p.left;
    return n;
  }
  /// First key of a pile; Edge::slot = key - base.
  std::uint64_t base(std::size_t pile) const { return static_cast<std::uint64_t>(pile) << shift_; }
  /// Moves the edges of a pile to `out`, in the order in which they were added. @param forget free its pages at once
  void take(std::size_t pile, std::vector<Edge<W>>& out, bool forget) {
    Pile& p = piles_[pile];
    out.resize(p.chunks.size() * capacity_ - p.left);
    Edge<W>* to = out.data();
    for (Edge<W>* chunk : p.chunks) {
      const auto n = std::min(capacity_, static_cast<std::size_t>(out.data() + out.size() - to));
      std::copy_n(chunk, n, to);
      to += n;
      if (forget && pages_) forget_pages(chunk, page_bytes);
    }
    p = {};
  }

 private:
  struct Pile {
    Edge<W>* next = nullptr;
    std::size_t left = 0;
    std::vector<Edge<W>*> chunks;
  };
  [[gnu::noinline]] void extend(Pile& p) {
    p.next = reinterpret_cast<Edge<W>*>(slabs_.take(pages_ ? page_bytes : capacity_ * sizeof(Edge<W>)));
    p.left = capacity_;
    p.chunks.push_back(p.next);
  }

  unsigned shift_ = 0;
  std::size_t capacity_ = page_bytes / sizeof(Edge<W>);  ///< edges of a chunk: a page, or less where piles are small
  bool pages_ = false;
  std::vector<Pile> piles_;
  Slabs slabs_;
};

}  // namespace npl::connect
