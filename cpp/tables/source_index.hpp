// SPDX-License-Identifier: Apache-2.0
/// From a source's gid to its rows: a plain array where the sources are dense, a compressed sorted list where they are sparse, pairs where
/// only some are kept. A source may have several rows, which are neighbours.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "tables/source_list.hpp"

namespace npl::tables {

/// The order of rows. Where the nodes of a rank are every `stride`-th one, sources are sorted by (rank, gid), so that those of a rank are
/// neighbours and no spike needs to carry more than their number among them; stride 1: by gid.
struct SourceOrder {
  Gid stride = 1;
  Gid per_rank = 0;  ///< upper bound of the nodes of a rank

  std::uint64_t key(Gid gid) const {
    return static_cast<std::uint64_t>(stride == 1 ? gid : (gid - 1) % stride * per_rank + (gid - 1) / stride);
  }
  Gid gid(std::uint64_t key) const {
    const auto k = static_cast<Gid>(key);
    return stride == 1 ? k : k % per_rank * stride + k / per_rank + 1;
  }
  bool by_rank() const { return stride != 1; }
  /// Nodes made after the table have no key.
  bool has(Gid gid) const { return gid >= 1 && (stride == 1 || (gid - 1) / stride < per_rank); }
};

class SourceIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;
  using Pair = std::pair<std::uint32_t, Gid>;  ///< row, gid

  SourceIndex() = default;
  /// @param gids of rows 0, 1, ..., ascending; equal ones: rows of one source
  explicit SourceIndex(std::span<const Gid> gids);
  /// @param keys of rows 0, 1, ... in the order given; equal ones: rows of one source
  SourceIndex(SourceList keys, SourceOrder order);
  /// Any rows in any order; of the rows of one source only the first is found.
  explicit SourceIndex(std::vector<Pair> some);

  /// The (first) row of a source, or none.
  std::uint32_t row(Gid gid) const {
    if (list_.size()) return row_in_list(gid);
    if (gid < first_ || gid > last_) return none;
    if (!direct_.empty()) return direct_[static_cast<std::size_t>(gid - first_)];
    const auto at = std::lower_bound(some_.begin(), some_.end(), gid);
    return at != some_.end() && *at == gid ? row_[static_cast<std::size_t>(at - some_.begin())] : none;
  }
  /// Has this row the source of the row before it? Also asked for the row after the last one.
  bool continues(std::uint32_t row) const { return !again_.empty() && (again_[row / 64] >> (row % 64) & 1) != 0; }
  /// Calls f(row) for all rows of a source.
  template <class F>
  void for_rows(Gid gid, F&& f) const {
    std::uint32_t r = row(gid);
    if (r == none) return;
    do f(r);
    while (continues(++r));
  }
  /// Calls f(row, gid) for all rows, by ascending gid or, where the order is by rank, in order of rows.
  template <class F>
  void for_each(F&& f) const {
    for (SourceList::Cursor c(list_); !c.at_end(); c.next()) f(static_cast<std::uint32_t>(c.index()), order_.gid(*c));
    const auto all_of = [&](std::uint32_t r, Gid gid) {
      do f(r, gid);
      while (continues(++r));
    };
    for (std::size_t i = 0; i < direct_.size(); ++i)
      if (direct_[i] != none) all_of(direct_[i], first_ + static_cast<Gid>(i));
    for (std::size_t i = 0; i < some_.size(); ++i) all_of(row_[i], some_[i]);
  }
  /// Whether rows are sorted by (rank, gid); their keys are then `keys`.
  bool by_rank() const { return order_.by_rank(); }
  const SourceOrder& order() const { return order_; }
  const SourceList& keys() const { return list_; }
  /// Where rows are by rank: forgets the sources of all ranks but this one.
  void keep_rank(int rank) {
    std::vector<Pair> kept;
    const std::uint64_t first = static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(order_.per_rank);
    list_.for_range(first, first + static_cast<std::uint64_t>(order_.per_rank),
                    [&](std::size_t row, std::uint64_t key) { kept.emplace_back(static_cast<std::uint32_t>(row), order_.gid(key)); });
    keep(std::move(kept));
  }
  /// Forgets the sources for which wanted(gid) is false; their rows stay as they are.
  template <class F>
  void keep_only(F&& wanted) {
    std::vector<Pair> kept;
    for_each([&](std::uint32_t row, Gid gid) {
      if (wanted(gid)) kept.emplace_back(row, gid);
    });
    keep(std::move(kept));
  }
  std::size_t bytes() const { return direct_.bytes() + list_.bytes() + some_.bytes() + row_.bytes() + again_.bytes(); }

 private:
  std::uint32_t row_in_list(Gid gid) const {
    const std::size_t at = order_.has(gid) ? list_.find(order_.key(gid)) : list_.size();
    return at == list_.size() ? none : static_cast<std::uint32_t>(at);
  }

  void keep(std::vector<Pair> kept) {
    Buffer<std::uint64_t> again = std::move(again_);
    *this = SourceIndex(std::move(kept));
    again_ = std::move(again);
  }
  void mark_again(std::uint32_t row, std::size_t rows);

  Gid first_ = 0, last_ = -1;
  Buffer<std::uint64_t> again_;   ///< bit r: row r has the source of row r - 1; empty: every source has one row
  Buffer<std::uint32_t> direct_;  ///< (first) row of gid first_ + i, or none
  SourceList list_;               ///< keys of all rows
  SourceOrder order_;
  Buffer<Gid> some_;           ///< where only some are kept: their gids, ascending
  Buffer<std::uint32_t> row_;  ///< and rows
};

}  // namespace npl::tables
