// SPDX-License-Identifier: Apache-2.0
/// Index from the gid of a source to its rows, which are adjacent: a compressed sorted list of sources, all or some.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "base/simd.hpp"
#include "tables/source_list.hpp"

namespace npl::tables {

/// Sort order of rows. stride 1: by gid. Else (round-robin distribution over `stride` ranks): by (rank, gid), so that the sources of a rank
/// are adjacent and a spike needs to carry only an index among them.
struct SourceOrder {
  Gid stride = 1;
  Gid per_rank = 0;  ///< upper bound of the number of nodes of a rank

  /// Sort key of a source, and its inverse.
  std::uint64_t key(Gid gid) const {
    return static_cast<std::uint64_t>(stride == 1 ? gid : (gid - 1) % stride * per_rank + (gid - 1) / stride);
  }
  Gid gid(std::uint64_t key) const {
    const auto k = static_cast<Gid>(key);
    return stride == 1 ? k : k % per_rank * stride + k / per_rank + 1;
  }
  bool by_rank() const { return stride != 1; }
  /// False for nodes created after the table: they have no key.
  bool has(Gid gid) const { return gid >= 1 && (stride == 1 || (gid - 1) / stride < per_rank); }
};

/// Immutable except for keep, keep_rank and keep_only; threads may share it.
class SourceIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;  ///< no such row
  using Pair = std::pair<std::uint32_t, Gid>;         ///< row, gid

  SourceIndex() = default;
  /// @param gids sources of rows 0, 1, ..., ascending; equal gids: several rows of one source
  explicit SourceIndex(std::span<const Gid> gids);
  /// A row for each source that has synapses, ascending. @param synapses their number for the sources `lowest`, `lowest` + 1, ...
  SourceIndex(Gid lowest, std::span<const std::uint32_t> synapses);
  /// @param keys of the sources of rows 0, 1, ..., in `order`; equal keys: several rows of one source
  SourceIndex(SourceList keys, SourceOrder order);
  /// @param some rows in any order; only the first row of each source is indexed
  explicit SourceIndex(std::vector<Pair> some);

  /// The (first) row of a source, or none.
  std::uint32_t row(Gid gid) const {
    const bool known = !by_rank() || order_.has(gid);  // not by rank: also numbers from 0
    const std::size_t at = known ? list_.find(order_.key(gid)) : list_.size();
    return at == list_.size() ? none : row_at(at);
  }
  /// Fetches what row() reads first of a source, where finding that is cheap. Inlined always: gcc drops calls that only prefetch.
  NPL_INLINE void prefetch(Gid gid) const {
    if (!by_rank()) list_.prefetch(static_cast<std::uint64_t>(gid));
  }
  /// True when some source has several rows.
  bool repeats() const { return !again_.empty(); }
  /// True when this row has the same source as the previous row. Valid also for row n (one past the last).
  bool continues(std::uint32_t row) const { return !again_.empty() && (again_[row / 64] >> (row % 64) & 1) != 0; }
  /// Calls f(row) for all rows of a source.
  template <class F>
  void for_rows(Gid gid, F&& f) const {
    std::uint32_t r = row(gid);
    if (r == none) return;
    do f(r);
    while (continues(++r));
  }
  /// Calls f(i, row) for all rows of the sources of spikes i = 0, 1, ...
  template <class F>
  NPL_INLINE void for_rows(std::span<const Spike> spikes, F&& f) const {
    if (!list_.has_bits() || by_rank() || repeats() || !row_.empty()) {
      look_ahead(
          spikes, [this](Gid gid) NPL_INLINE_LAMBDA { prefetch(gid); },
          [&](std::size_t i) NPL_INLINE_LAMBDA { for_rows(spikes[i].gid, [&](std::uint32_t row) { f(i, row); }); });
      return;
    }
    const SourceList::Bits bits = list_.bits();
    const std::uint32_t first_row = first_row_;
    look_ahead(
        spikes, [bits](Gid gid) NPL_INLINE_LAMBDA { bits.prefetch(static_cast<std::uint64_t>(gid)); },
        [&](std::size_t i) NPL_INLINE_LAMBDA {
          const std::size_t at = bits.find(static_cast<std::uint64_t>(spikes[i].gid));
          if (at != bits.none) f(i, first_row + static_cast<std::uint32_t>(at));
        });
  }
  /// Calls f(row, gid) for all rows: by ascending gid, or in order of rows if they are sorted by rank.
  template <class F>
  void for_each(F&& f) const {
    for (SourceList::Cursor c(list_); !c.at_end(); c.next()) {
      std::uint32_t r = row_at(c.index());
      do f(r, order_.gid(*c));
      while (some_ && continues(++r));
    }
  }
  /// True when rows are sorted by (rank, gid).
  bool by_rank() const { return order_.by_rank(); }
  const SourceOrder& order() const { return order_; }
  const SourceList& keys() const { return list_; }
  /// True when rows are sorted by (rank, gid), or less than a quarter of the gids of the range have rows.
  bool sparse() const { return by_rank() || list_.span() / 4 >= list_.size(); }
  /// (by rank) The sources of a rank, to be given to keep().
  SourceIndex of_rank(int rank) const {
    std::vector<Pair> kept;
    const std::uint64_t first = static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(order_.per_rank);
    list_.for_range(first, first + static_cast<std::uint64_t>(order_.per_rank),
                    [&](std::size_t row, std::uint64_t key) { kept.emplace_back(static_cast<std::uint32_t>(row), order_.gid(key)); });
    return SourceIndex(std::move(kept));
  }
  /// The sources with wanted(gid), to be given to keep().
  template <class F>
  SourceIndex only(F&& wanted) const {
    std::vector<Pair> kept;
    for_each([&](std::uint32_t row, Gid gid) {
      if (wanted(gid)) kept.emplace_back(row, gid);
    });
    return SourceIndex(std::move(kept));
  }
  /// Drops all sources but these from the index; rows stay. Allocates nothing.
  void keep(SourceIndex some) noexcept {
    some.again_ = std::move(again_);
    *this = std::move(some);
  }
  void keep_rank(int rank) { keep(of_rank(rank)); }
  template <class F>
  void keep_only(F&& wanted) {
    keep(only(std::forward<F>(wanted)));
  }
  /// Expected bytes of an index of n sources that are spread over a range of numbers. @param follow rows follow one another in it
  static double expected_bytes(double n, double span, bool follow) {
    return SourceList::expected_bytes(n, span) + (follow ? 0.0 : sizeof(std::uint32_t) * n);
  }
  std::size_t bytes() const { return list_.bytes() + row_.bytes() + again_.bytes(); }

 private:
  /// Calls look(i) for spikes i = 0, 1, ..., and fetch(gid) some spikes before.
  template <class Fetch, class Look>
  NPL_INLINE static void look_ahead(std::span<const Spike> spikes, Fetch fetch, Look look) {
    constexpr std::size_t ahead = 32;
    const std::size_t n = spikes.size(), fetched = std::min(ahead, n);
    for (std::size_t i = 0; i < fetched; ++i) fetch(spikes[i].gid);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n) fetch(spikes[i + ahead].gid);
      look(i);
    }
  }
  /// The row of the source at a position of the list.
  std::uint32_t row_at(std::size_t at) const { return row_.empty() ? first_row_ + static_cast<std::uint32_t>(at) : row_[at]; }
  void mark_again(std::uint32_t row, std::size_t rows);

  SourceList list_;  ///< keys of all rows; of some sources: each once
  SourceOrder order_;
  Buffer<std::uint64_t> again_;  ///< bit r: row r has the same source as row r - 1; empty: every source has one row
  bool some_ = false;            ///< only some sources are in the list
  std::uint32_t first_row_ = 0;  ///< row of the first source, if rows follow one another in the list
  Buffer<std::uint32_t> row_;    ///< (first) row of each source, if they do not
};

}  // namespace npl::tables
